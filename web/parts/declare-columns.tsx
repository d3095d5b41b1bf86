// Declare columns: the columns of a file with their first values, how many fit, and what a user says about them.

import { useLayoutEffect, useState } from 'preact/hooks'
import type { ProvisionalReceipt } from '../check/provisional.ts'
import { count, shownName } from '../format.ts'
import { whySentence } from '../sentences.ts'
import { t } from '../texts.ts'
import {
  type ChoosableType,
  choosableTypes,
  detectedType,
  type FieldChoice,
  type FieldChoices,
  samplesOf,
  withChoice,
} from './declared-fields.ts'
import { FindColumn } from './find-column.tsx'
import { Icon } from './icon.tsx'
import { Spoken } from './spoken.tsx'
import { Strip } from './strip.tsx'
import { Table } from './table.tsx'

/** A field finds the others. */
const columnsMax = 40

interface DeclareColumnsProps {
  /** Read without what is said about the columns. */
  readonly detected: ProvisionalReceipt
  /** Read with it. */
  readonly receipt: ProvisionalReceipt
  readonly choices: FieldChoices
  readonly onChange: (choices: FieldChoices) => void
  /** The column to begin with. */
  readonly column?: string | undefined
}

export function DeclareColumns({ detected, receipt, choices, onChange, column }: DeclareColumnsProps) {
  const { columns } = detected
  const [wanted, setWanted] = useState(columns.length > columnsMax ? (column ?? '') : '')
  useLayoutEffect(() => {
    if (column === undefined) return
    document.querySelector<HTMLElement>(`[aria-label="${CSS.escape(t.typeOf(column))}"]`)?.focus()
  }, [])
  const places = columns.flatMap(({ name }, at) => (name.toLowerCase().includes(wanted.toLowerCase()) ? [at] : []))
  const change = (at: number, choice: FieldChoice) => onChange(withChoice(choices, columns[at]?.name ?? '', choice))
  return (
    <>
      {columns.length > columnsMax && (
        <div class="row">
          <FindColumn value={wanted} onInput={setWanted} />
          {places.length > columnsMax && (
            <span class="quiet small">{t.moreColumns(count(places.length - columnsMax))}</span>
          )}
        </div>
      )}
      <section class="frame" aria-label={t.columns} tabIndex={0}>
        <ColumnRows {...{ detected, receipt, choices, change }} places={places.slice(0, columnsMax)} />
      </section>
      <MisfitNotes {...{ detected, receipt, choices, change }} />
    </>
  )
}

interface ColumnsProps extends Omit<DeclareColumnsProps, 'onChange' | 'column'> {
  readonly change: (at: number, choice: FieldChoice) => void
}

function ColumnRows(props: ColumnsProps & { readonly places: number[] }) {
  const { detected, receipt, choices, places } = props
  const total = receipt.records.accepted + receipt.misfits.reduce((sum, one) => sum + one.count, 0)
  const nameOf = (at: number) => detected.columns[at]?.name ?? ''
  const misfitsOf = (at: number) => receipt.misfits.find(({ column }) => column === at)
  const sample = (at: number) => samplesOf(detected, at).map(shortened).join(' · ')
  const fit = (at: number) => <Fit total={total} misfits={misfitsOf(at)} name={nameOf(at)} />
  const why = (at: number) => {
    const sentence = whySentence(receipt, at)
    return choices.has(nameOf(at)) ? t.asChosen : <span title={sentence.text}>{<Spoken sentence={sentence} />}</span>
  }
  const { type, name, isRequired, pattern, missing } = choicesOf(props)
  return (
    <Table
      class="list columns"
      rows={places}
      keyOf={nameOf}
      columns={[
        { head: '#', cell: (at) => count(at + 1), isNumber: true, class: 'quiet mid' },
        { head: t.inFile, cell: (at) => <NameCell name={nameOf(at)} sample={sample(at)} />, isRowHead: true },
        { head: t.samples, cell: (at) => <div class="sample">{sample(at)}</div>, class: 'phone-hide' },
        { head: t.type, cell: type },
        { head: t.fitOf(count(total)), cell: fit, class: 'phone-hide' },
        { head: t.name, cell: name, class: 'said', name: t.name },
        { head: t.filled, cell: isRequired, class: 'said', name: t.filled },
        { head: t.pattern, cell: pattern, class: 'said', name: t.pattern },
        { head: t.nulls, cell: missing, class: 'said', name: t.nulls },
        { head: t.why, cell: why, class: 'wide small quiet' },
      ]}
    />
  )
}

/** The fields of a column, by its index. */
function choicesOf({ detected: { columns, dialect }, choices, change }: ColumnsProps) {
  const nameOf = (at: number) => columns[at]?.name ?? ''
  const choiceOf = (at: number): FieldChoice => choices.get(nameOf(at)) ?? {}
  const typeOf = (at: number) => choiceOf(at).type ?? (columns[at] ? detectedType(columns[at]) : 'string')
  // Fields find their columns by the names in the header.
  const disabled = !dialect.header
  return {
    type: (at: number) => (
      <TypeChoice
        name={nameOf(at)}
        type={typeOf(at)}
        disabled={disabled}
        onChange={(type) => change(at, { type, pattern: '' })}
      />
    ),
    name: (at: number) => (
      <TextChoice
        label={t.nameInDataset(nameOf(at))}
        value={choiceOf(at).name ?? nameOf(at)}
        isOther={(choiceOf(at).name ?? nameOf(at)) !== nameOf(at)}
        disabled={disabled}
        onChange={(name) => change(at, { name: name.trim() || nameOf(at) })}
      />
    ),
    isRequired: (at: number) => (
      <label class="hit">
        <input
          class="check"
          type="checkbox"
          checked={choiceOf(at).isRequired ?? false}
          disabled={disabled}
          onChange={({ currentTarget }) => change(at, { isRequired: currentTarget.checked })}
        />
        <span class="hidden">{t.mustBeFilled(nameOf(at))}</span>
      </label>
    ),
    pattern: (at: number) => (
      <TextChoice
        label={t.patternOf(nameOf(at))}
        value={choiceOf(at).pattern ?? ''}
        disabled={disabled || typeOf(at) !== 'string'}
        onChange={(pattern) => change(at, { pattern })}
      />
    ),
    missing: (at: number) => (
      <TextChoice
        label={t.nullsOf(nameOf(at))}
        value={choiceOf(at).missing?.join(', ') ?? ''}
        disabled={disabled}
        onChange={(words) => change(at, { missing: words.split(/ *, */).filter(Boolean) })}
      />
    ),
  }
}

const sampleCharactersMax = 40

function shortened(text: string): string {
  return text.length > sampleCharactersMax ? `${text.slice(0, sampleCharactersMax)}…` : text
}

function NameCell({ name, sample }: Readonly<Record<'name' | 'sample', string>>) {
  return (
    <>
      <span class="strong name">{shownName(name)}</span>
      <span class="sub">{sample}</span>
    </>
  )
}

interface TypeChoiceProps {
  readonly name: string
  readonly type: ChoosableType
  readonly disabled: boolean
  readonly onChange: (type: ChoosableType) => void
}

function TypeChoice({ name, type, disabled, onChange }: TypeChoiceProps) {
  const typeNames: Readonly<Record<string, string | undefined>> = t.typeNames
  const names = { ...typeNames, string: typeNames.text, datetime: typeNames.timestamp } as Partial<
    Record<string, string>
  >
  return (
    <select
      class="select soft"
      aria-label={t.typeOf(name)}
      value={type}
      disabled={disabled}
      onChange={({ currentTarget }) => onChange(currentTarget.value as ChoosableType)}
    >
      {choosableTypes.map((one) => (
        <option key={one} value={one}>
          {names[one]}
        </option>
      ))}
    </select>
  )
}

interface TextChoiceProps {
  readonly label: string
  readonly value: string
  /** It differs from what the file says. */
  readonly isOther?: boolean
  readonly disabled: boolean
  readonly onChange: (value: string) => void
}

function TextChoice({ label, value, isOther = false, disabled, onChange }: TextChoiceProps) {
  // A check that ends meanwhile does not undo what is being typed.
  const [text, setText] = useState(value)
  useLayoutEffect(() => setText(value), [value])
  return (
    <input
      class={isOther ? 'field soft differs' : 'field soft'}
      size={11}
      aria-label={label}
      value={text}
      disabled={disabled}
      onInput={({ currentTarget }) => setText(currentTarget.value)}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  )
}

interface FitProps {
  readonly name: string
  readonly total: number
  readonly misfits: ProvisionalReceipt['misfits'][number] | undefined
}

function Fit({ name, total, misfits }: FitProps) {
  const many = misfits?.count ?? 0
  return (
    <span class="row fit">
      <span class={many > 0 ? 'num warn strong' : 'num quiet'}>{count(total - many)}</span>
      <Strip isMini label={t.misfitsIn(name, count(many))} ticks={(misfits?.at ?? []).map((at) => ({ at }))} />
    </span>
  )
}

/** What does not fit, and what could be said about it. */
function MisfitNotes({ detected, receipt, choices, change }: ColumnsProps) {
  return (
    <>
      {receipt.misfits.map(({ column: at, count: many, values }) => {
        const name = detected.columns[at]?.name ?? ''
        const missing = choices.get(name)?.missing ?? []
        const words = values.filter(({ value }) => value.trim() !== '')
        return (
          <div key={at} class="note warn" role="status">
            <Icon name="warning" />
            <p>
              <b>{t.misfitCount(count(many), name)}</b>{' '}
              {values.map(({ value, lines }, index) => (
                <span key={value}>
                  {index > 0 && ' · '}
                  <code>{value === '' ? t.emptyText : shortened(value)}</code>
                  {lines.length > 0 && ` ${t.lines(lines.length, lines.map(count).join(', '))}`}
                </span>
              ))}
            </p>
            <div class="row">
              {words.map(({ value }) => (
                <button
                  key={value}
                  type="button"
                  class="btn small"
                  onClick={() => change(at, { missing: [...missing, value] })}
                >
                  {t.readAsNull(shortened(value))}
                </button>
              ))}
              <button
                type="button"
                class="btn small"
                onClick={() => change(at, { type: 'string', isRequired: false, pattern: '', missing: [] })}
              >
                {t.keepAsText}
              </button>
            </div>
          </div>
        )
      })}
    </>
  )
}
