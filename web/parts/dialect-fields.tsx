// Dialect fields: the user's declarations about how a file is read; the rest is detected. Knows no file.
import type { DeclaredDialect } from '../../src/reading/reading.ts'
import { t } from '../texts.ts'
import { Choice, Field } from './controls.tsx'

type Value = DeclaredDialect[keyof DeclaredDialect]

interface DialectField {
  readonly name: keyof DeclaredDialect
  readonly label: string
  readonly options: readonly (readonly [value: Value, label: string])[]
}

const encodings =
  'utf-8 windows-1252 iso-8859-2 windows-1250 windows-1251 utf-16le shift_jis gb18030 big5 euc-kr'.split(' ')

const dialectFields: readonly DialectField[] = [
  {
    name: 'delimiter',
    label: t.delimiter,
    options: [',', ';', '\t', '|', ' ', ':'].map((one) => [one, delimiterName(one)]),
  },
  { name: 'quoteChar', label: t.quote, options: [...['"', "'"].map((one) => [one, one] as const), [null, t.none]] },
  { name: 'encoding', label: t.encoding, options: encodings.map((one) => [one, one]) },
  {
    name: 'header',
    label: t.header,
    options: [
      [true, t.yes],
      [false, t.no],
    ],
  },
]

interface DialectFieldsProps {
  readonly dialect: DeclaredDialect
  readonly onChange: (dialect: DeclaredDialect) => void
}

export function DialectFields({ dialect, onChange }: DialectFieldsProps) {
  /** What is not declared is detected. */
  const change = (name: keyof DeclaredDialect, value: Value | undefined) => {
    const { [name]: _, ...others } = dialect
    onChange(value === undefined ? others : { ...others, [name]: value })
  }
  return (
    <div class="fields">
      {dialectFields.map(({ name, label, options }) => (
        <Choice
          key={name}
          caption={label}
          value={dialect[name]}
          options={[[undefined, t.detected], ...options]}
          onChange={(value) => change(name, value)}
        />
      ))}
      <Field
        caption={t.skipRows}
        type="number"
        min={0}
        max={1_000}
        placeholder={t.detected}
        value={dialect.skipRows?.toString() ?? ''}
        onInput={(value) => change('skipRows', value === '' ? undefined : Number(value))}
      />
    </div>
  )
}

/** The name of a delimiter that is invisible. */
export function delimiterName(delimiter: string): string {
  return delimiter === '\t' ? t.tab : delimiter.replaceAll(' ', '␠')
}
