// Read tab: reads the stored file with another dialect. The first rows show its effect immediately; applying it makes another dataset.
import { useState } from 'preact/hooks'
import type { DeclaredDialect } from '../../../src/reading/reading.ts'
import { getHead, type Receipt, readAgain } from '../../api.ts'
import { useMay } from '../../caller.ts'
import { receiptOf, useCheck } from '../../check/use-check.ts'
import { acceptedText } from '../../format.ts'
import { DialectFields } from '../../parts/dialect-fields.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Preview, ReadingLine } from '../../parts/preview.tsx'
import { datasetHref } from '../../router.ts'
import { t } from '../../texts.ts'
import { useAction, useLoaded } from '../../use-loaded.ts'

export function ReadTab({ receipt }: { readonly receipt: Receipt }) {
  const [dialect, setDialect] = useState<DeclaredDialect>({})
  const { outcome, run } = useAction<Receipt>()
  const mayMake = useMay('upload')
  const head = useLoaded((signal) => getHead(receipt.id, receipt.file.name, signal), [receipt.id])
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault()
    run((signal) => readAgain(receipt.id, dialect, signal))
  }
  return (
    <form class="ready" onSubmit={onSubmit}>
      <p>{t.readingIntro}</p>
      <DialectFields dialect={dialect} onChange={setDialect} />
      <p>
        <button type="submit" disabled={!mayMake || outcome.state === 'loading'}>
          {t.readNow}
        </button>{' '}
        {!mayMake && <strong>{t.mayNotMake}</strong>}
      </p>
      {outcome.state === 'failed' && <Failure error={outcome.error} />}
      {outcome.state === 'loaded' && <Made before={receipt} made={outcome.value} />}
      {head.state === 'loading' && <p class="quiet">{t.loading}</p>}
      {head.state === 'failed' && <Failure error={head.error} />}
      {head.state === 'loaded' && <Effect file={head.value} dialect={dialect} />}
    </form>
  )
}

function Effect({ file, dialect }: { readonly file: File; readonly dialect: DeclaredDialect }) {
  const check = useCheck(file, dialect, 'head')
  const known = receiptOf(check)
  if (check.kind === 'failed') return <Failure error={check.error} />
  return (
    <>
      {known !== null && <ReadingLine receipt={known} />}
      <Preview label={t.preview} receipt={known} />
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
