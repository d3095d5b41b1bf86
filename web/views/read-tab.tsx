// Read tab: reads the stored file with another dialect, which makes another dataset.
import { useState } from 'preact/hooks'
import { type Receipt, readAgain } from '../api.ts'
import { Failure } from '../parts/failure.tsx'
import { datasetHref } from '../router.ts'
import { t } from '../texts.ts'

/** A choice that is not declared is detected. */
const detected = ''

const delimiters = [',', ';', '\t', '|', ' ', ':']
const quotes = ['"', "'"]
const encodings = [
  'utf-8',
  'windows-1252',
  'iso-8859-2',
  'windows-1250',
  'windows-1251',
  'utf-16le',
  'shift_jis',
  'gb18030',
  'big5',
  'euc-kr',
]

export function ReadTab({ receipt }: { readonly receipt: Receipt }) {
  const [delimiter, setDelimiter] = useState(detected)
  const [quoteChar, setQuoteChar] = useState(detected)
  const [encoding, setEncoding] = useState(detected)
  const [header, setHeader] = useState(detected)
  const [isReading, setReading] = useState(false)
  const [error, setError] = useState<unknown>(null)

  const onSubmit = async (event: SubmitEvent) => {
    event.preventDefault()
    const dialect = {
      ...(delimiter !== detected && { delimiter }),
      ...(quoteChar !== detected && { quoteChar: quoteChar === 'none' ? null : quoteChar }),
      ...(encoding !== detected && { encoding }),
      ...(header !== detected && { header: header === 'yes' }),
    }
    setReading(true)
    setError(null)
    try {
      const { id } = await readAgain(receipt.id, dialect, new AbortController().signal)
      location.hash = datasetHref(id)
    } catch (failure) {
      setError(failure)
    } finally {
      setReading(false)
    }
  }
  return (
    <form onSubmit={onSubmit}>
      <p>{t.readingIntro}</p>
      <div class="fields">
        <Choice
          label={t.delimiter}
          value={delimiter}
          onChange={setDelimiter}
          options={delimiters.map((one) => [one, nameOf(one)])}
        />
        <Choice
          label={t.quote}
          value={quoteChar}
          onChange={setQuoteChar}
          options={[...quotes.map((one) => [one, one] as const), ['none', t.none]]}
        />
        <Choice
          label={t.encoding}
          value={encoding}
          onChange={setEncoding}
          options={encodings.map((one) => [one, one])}
        />
        <Choice
          label={t.header}
          value={header}
          onChange={setHeader}
          options={[
            ['yes', t.yes],
            ['no', t.no],
          ]}
        />
      </div>
      <p>
        <button type="submit" disabled={isReading}>
          {t.readNow}
        </button>
      </p>
      {error !== null && <Failure error={error} />}
    </form>
  )
}

function nameOf(delimiter: string): string {
  if (delimiter === '\t') return 'Tab'
  return delimiter === ' ' ? '␠' : delimiter
}

interface ChoiceProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly options: readonly (readonly [string, string])[]
}

function Choice({ label, value, onChange, options }: ChoiceProps) {
  return (
    <label class="field">
      {label}
      <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        <option value={detected}>{t.detected}</option>
        {options.map(([key, name]) => (
          <option key={key} value={key}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}
