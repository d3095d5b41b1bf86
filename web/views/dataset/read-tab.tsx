// Read tab: reads the stored file another way: the screen before sending, over the original. Applying it makes another
// dataset.
import { useState } from 'preact/hooks'
import { getHead, type Receipt, readAgain } from '../../api.ts'
import { useMay } from '../../caller.ts'
import { shownName } from '../../format.ts'
import { accountText } from '../../parts/account.tsx'
import { Failure } from '../../parts/failure.tsx'
import { type Declared, FileReading, useReading } from '../../parts/file-reading.tsx'
import { datasetHref } from '../../router.ts'
import { t } from '../../texts.ts'
import { useAction, useLoaded } from '../../use-loaded.ts'

export function ReadTab({ receipt }: { readonly receipt: Receipt }) {
  const head = useLoaded((signal) => getHead(receipt.id, receipt.file.name, signal), [receipt.id])
  return (
    <div class="page">
      <p class="quiet">{t.readingIntro}</p>
      {head.state === 'loading' && <p class="quiet">{t.loading}</p>}
      {head.state === 'failed' && <Failure error={head.error} />}
      {head.state === 'loaded' && <Beginning receipt={receipt} file={head.value} />}
    </div>
  )
}

function Beginning({ receipt, file }: { readonly receipt: Receipt; readonly file: File }) {
  const [declared, setDeclared] = useState<Declared>({ dialect: {}, choices: new Map() })
  const { outcome, run } = useAction<Receipt>()
  const reading = useReading(file, declared, 'head')
  const mayMake = useMay('upload')
  return (
    <div class="frame ready">
      <FileReading
        file={file}
        name={shownName(file.name)}
        declared={declared}
        onDeclare={(change) => setDeclared((last) => ({ ...last, ...change }))}
        reading={reading}
      >
        {!mayMake && <strong>{t.mayNotMake}</strong>}
        <button
          type="button"
          class="btn primary"
          disabled={!mayMake || outcome.state === 'loading'}
          onClick={() => run((signal) => readAgain(receipt.id, declared.dialect, reading.schema, signal))}
        >
          {t.readNow}
        </button>
      </FileReading>
      {outcome.state === 'failed' && <Failure error={outcome.error} />}
      {outcome.state === 'loaded' && <Made before={receipt} made={outcome.value} />}
    </div>
  )
}

function Made({ before, made }: { readonly before: Receipt; readonly made: Receipt }) {
  if (made.id === before.id) return <p role="status">{t.sameReading}</p>
  return (
    <p class="note" role="status">
      <span>{accountText(made.records)}</span> <a href={datasetHref(made.id)}>{t.openReading}</a>
    </p>
  )
}
