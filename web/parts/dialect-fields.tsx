// Dialect fields: the user's declarations about how a file is read; the rest is detected. Knows no file.
import type { DeclaredDialect } from '../../src/reading/reading.ts'
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
const yesNo = ['yes', 'no'] as const

export interface DialectFieldsProps {
  readonly dialect: DeclaredDialect
  readonly onChange: (dialect: DeclaredDialect) => void
}

export function DialectFields({ dialect, onChange }: DialectFieldsProps) {
  const change = (name: keyof DeclaredDialect, value: string | boolean | number | null | undefined) => {
    const { [name]: _, ...others } = dialect
    onChange(value === undefined ? others : { ...others, [name]: value })
  }
  const headerRows = dialect.header === undefined ? detected : yesNo[dialect.header ? 0 : 1]
  return (
    <div class="fields">
      <Choice
        label={t.delimiter}
        value={dialect.delimiter ?? detected}
        onChange={(value) => change('delimiter', value === detected ? undefined : value)}
        options={delimiters.map((one) => [one, delimiterName(one)])}
      />
      <Choice
        label={t.quote}
        value={dialect.quoteChar === null ? 'none' : (dialect.quoteChar ?? detected)}
        onChange={(value) => change('quoteChar', value === detected ? undefined : value === 'none' ? null : value)}
        options={[...quotes.map((one) => [one, one] as const), ['none', t.none]]}
      />
      <Choice
        label={t.encoding}
        value={dialect.encoding ?? detected}
        onChange={(value) => change('encoding', value === detected ? undefined : value)}
        options={encodings.map((one) => [one, one])}
      />
      <Choice
        label={t.header}
        value={headerRows}
        onChange={(value) => change('header', value === detected ? undefined : value === 'yes')}
        options={[
          ['yes', t.yes],
          ['no', t.no],
        ]}
      />
      <label class="field">
        {t.skipRows}
        <input
          type="number"
          min={0}
          max={1_000}
          placeholder={t.detected}
          value={dialect.skipRows ?? ''}
          onInput={({ currentTarget: { value } }) => change('skipRows', value === '' ? undefined : Number(value))}
        />
      </label>
    </div>
  )
}

/** The name of a delimiter that is invisible. */
export function delimiterName(delimiter: string): string {
  if (delimiter === '\t') return t.tab
  return delimiter.replaceAll(' ', '␠').replaceAll('\t', t.tab)
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
