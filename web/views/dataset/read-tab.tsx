// Read tab: reads the stored file another way: the screen before sending, over the original. Applying it makes another
// dataset.
import { useState } from 'preact/hooks'
import { getHead, type Receipt, readAgain, type TabProps } from '../../api.ts'
import { useMay } from '../../caller.ts'
import { shownName } from '../../format.ts'
import { accountText } from '../../parts/account.tsx'
import { Button } from '../../parts/controls.tsx'
import { choicesOf } from '../../parts/declared-fields.ts'
import { Failure } from '../../parts/failure.tsx'
import { type Declared, FileReading, useReading } from '../../parts/file-reading.tsx'
import { datasetHref } from '../../router.ts'
import { t } from '../../texts.ts'
import { useAction, useLoaded } from '../../use-loaded.ts'

/** @param props.query The column to begin with. */
export function ReadTab({ receipt, query }: TabProps) {
  const head = useLoaded((signal) => getHead(receipt.id, receipt.file.name, signal), [receipt.id])
  const [declared, setDeclared] = useState<Declared>(() => ({
    dialect: {},
    choices: receipt.schema ? choicesOf(receipt.schema) : new Map(),
  }))
  const reading = useReading(head.value, declared, 'head')
  const { value: made, isLoading, error, run } = useAction<Receipt>()
  const mayMake = useMay('upload')
  return (
    <div class="page">
      <div class="row">
        <p class="quiet grow">{t.readingIntro}</p>
        {!mayMake && <strong>{t.mayNotMake}</strong>}
        <Button
          text={t.readNow}
          look="primary"
          disabled={!mayMake || isLoading}
          onClick={() => run((signal) => readAgain(receipt.id, declared.dialect, reading.schema, signal))}
        />
      </div>
      {error !== null && <Failure error={error} />}
      {made !== null && <Made before={receipt} made={made} />}
      {head.isLoading && <p class="quiet">{t.loading}</p>}
      {head.error !== null && <Failure error={head.error} />}
      {head.value !== null && (
        <div class="frame ready">
          <FileReading
            file={head.value}
            name={shownName(receipt.file.name)}
            declared={declared}
            onDeclare={(change) => setDeclared((last) => ({ ...last, ...change }))}
            reading={reading}
            column={query}
            isDialectOpen
          />
        </div>
      )}
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
