// Read tab: reads the stored file with another dialect. The first rows show its effect at once; applying it makes another dataset.
import { useState } from 'preact/hooks'
import type { DeclaredDialect } from '../../../src/reading/reading.ts'
import { acceptedText, noRowsText } from '../../accepted-text.ts'
import { getHead, type Receipt, readAgain } from '../../api.ts'
import { useMay } from '../../caller.ts'
import { receiptOf, useCheck } from '../../check/use-check.ts'
import { DialectFields } from '../../parts/dialect-fields.tsx'
import { Failure } from '../../parts/failure.tsx'
import { PreviewTable } from '../../parts/preview-table.tsx'
import { ReadingLine } from '../../parts/reading-line.tsx'
import { datasetHref } from '../../router.ts'
import { t } from '../../texts.ts'
import { useLoaded } from '../../use-loaded.ts'

type Outcome =
  | { readonly kind: 'none' | 'reading' }
  | { readonly kind: 'done'; readonly receipt: Receipt }
  | { readonly kind: 'failed'; readonly error: unknown }

export function ReadTab({ receipt }: { readonly receipt: Receipt }) {
  const [dialect, setDialect] = useState<DeclaredDialect>({})
  const [outcome, setOutcome] = useState<Outcome>({ kind: 'none' })
  const mayMake = useMay('upload')
  const head = useLoaded((signal) => getHead(receipt.id, receipt.file.name, signal), [receipt.id])

  const onSubmit = async (event: SubmitEvent) => {
    event.preventDefault()
    setOutcome({ kind: 'reading' })
    try {
      const made = await readAgain(receipt.id, dialect, new AbortController().signal)
      setOutcome({ kind: 'done', receipt: made })
    } catch (error) {
      setOutcome({ kind: 'failed', error })
    }
  }
  return (
    <form class="ready" onSubmit={onSubmit}>
      <p>{t.readingIntro}</p>
      <DialectFields dialect={dialect} onChange={setDialect} />
      {head.state === 'loading' && <p class="quiet">{t.loading}</p>}
      {head.state === 'failed' && <Failure error={head.error} />}
      {head.state === 'loaded' && <Effect file={head.value} dialect={dialect} />}
      <p>
        <button type="submit" disabled={!mayMake || outcome.kind === 'reading'}>
          {t.readNow}
        </button>{' '}
        {!mayMake && <strong>{t.mayNotMake}</strong>}
      </p>
      {outcome.kind === 'failed' && <Failure error={outcome.error} />}
      {outcome.kind === 'done' && <Made before={receipt} made={outcome.receipt} />}
    </form>
  )
}

/** The first rows as they would be read. */
function Effect({ file, dialect }: { readonly file: File; readonly dialect: DeclaredDialect }) {
  const check = useCheck(file, dialect, 'head')
  const known = receiptOf(check)
  if (check.kind === 'failed') return <Failure error={check.error} />
  if (known === null) return <p class="quiet">{t.reading}</p>
  const said = noRowsText(known)
  return (
    <>
      <ReadingLine receipt={known} />
      <PreviewTable label={t.preview} columns={known.columns} rows={known.rows} />
      {said !== null && <p class="quiet">{said}</p>}
    </>
  )
}

function Made({ before, made }: { readonly before: Receipt; readonly made: Receipt }) {
  if (made.id === before.id) return <p role="status">{t.sameReading}</p>
  return (
    <div role="status">
      <p class="lead">{acceptedText(made.records)}</p>
      <p>
        <a href={datasetHref(made.id)}>{t.openReading}</a>
      </p>
    </div>
  )
}
