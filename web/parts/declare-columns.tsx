// Declare columns: the columns of a file with their first values, how many fit, and what a user says about them.
import type { VNode } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'
import type { Column } from '../../src/core/receipt.ts'
import type { Misfits, ProvisionalReceipt } from '../check/provisional.ts'
import { count, shownName, typeName } from '../format.ts'
import { whySentence } from '../sentences.ts'
import { t } from '../texts.ts'
import { Box, Button, Choice, Field, SearchField } from './controls.tsx'
import {
  choosableTypes,
  detectedType,
  type FieldChoice,
  type FieldChoices,
  samplesOf,
  withChoice,
} from './declared-fields.ts'
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
  /** The column to begin with; empty for the first. */
  readonly column: string
}

export function DeclareColumns({ column, ...props }: DeclareColumnsProps) {
  const { detected, receipt, choices, onChange } = props
  const isLong = detected.columns.length > columnsMax
  const [wanted, setWanted] = useState(isLong ? column : '')
  useLayoutEffect(() => {
    if (column !== '') document.querySelector<HTMLElement>(`[aria-label="${CSS.escape(t.typeOf(column))}"]`)?.focus()
  }, [])
  const isFound = ({ name }: Column) => name.toLowerCase().includes(wanted.toLowerCase())
  const found = detected.columns.map((one, at) => ({ ...one, at })).filter(isFound)
  const rows = found.slice(0, columnsMax).map((column) => ({
    ...column,
    isChosen: choices.has(column.name),
    choice: { type: detectedType(column), ...choices.get(column.name) },
    sample: samplesOf(detected, column.at).map(shortened).join(' · '),
    misfits: receipt.misfits.find((misfits) => misfits.column === column.at),
    change: (change: FieldChoice) => onChange(withChoice(choices, column.name, change)),
  }))
  return (
    <>
      {isLong && (
        <div class="row">
          <SearchField label={t.findColumn} value={wanted} onInput={setWanted} />
          {found.length > columnsMax && (
            <span class="quiet small">{t.moreColumns(count(found.length - columnsMax))}</span>
          )}
        </div>
      )}
      <section class="frame" aria-label={t.columns} tabIndex={0}>
        <ColumnTable rows={rows} receipt={receipt} disabled={!detected.dialect.header} />
      </section>
      {receipt.misfits.map((misfits) => (
        <MisfitNote key={misfits.column} misfits={misfits} {...props} />
      ))}
    </>
  )
}

interface ColumnRow {
  readonly at: number
  readonly name: string
  readonly isChosen: boolean
  readonly choice: FieldChoice
  readonly sample: string
  readonly misfits: Misfits | undefined
  readonly change: (change: FieldChoice) => void
}

interface ColumnTableProps {
  readonly rows: readonly ColumnRow[]
  readonly receipt: ProvisionalReceipt
  /** Fields find their columns by the names in the header. */
  readonly disabled: boolean
}

function ColumnTable({ rows, receipt, disabled }: ColumnTableProps) {
  const total = receipt.records.accepted + receipt.misfits.reduce((sum, one) => sum + one.count, 0)
  const nameAndSample = ({ name, sample }: ColumnRow) => [
    <span class="strong name">{shownName(name)}</span>,
    <span class="sub">{sample}</span>,
  ]
  const why = ({ at, isChosen }: ColumnRow) => {
    const sentence = whySentence(receipt, at)
    return isChosen ? t.asChosen : <span title={sentence.text}>{<Spoken sentence={sentence} />}</span>
  }
  return (
    <Table
      class="list columns"
      rows={rows}
      keyOf={({ name }) => name}
      columns={[
        { head: '#', cell: ({ at }) => count(at + 1), isNumber: true, class: 'quiet mid' },
        { head: t.inFile, cell: nameAndSample, isRowHead: true },
        { head: t.samples, cell: ({ sample }) => <div class="sample">{sample}</div>, class: 'phone-hide' },
        { head: t.type, cell: (row) => <TypeChoice {...row} disabled={disabled} /> },
        { head: t.fitOf(count(total)), cell: (row) => <Fit {...row} total={total} />, class: 'phone-hide' },
        ...declarations(disabled).map(([name, cell]) => ({ head: name, cell, class: 'said', name })),
        { head: t.why, cell: why, class: 'wide small quiet' },
      ]}
    />
  )
}

/** What is said about a column besides its type. */
function declarations(disabled: boolean): readonly (readonly [head: string, cell: (row: ColumnRow) => VNode])[] {
  const textOf = (label: string, value: string, onChange: (text: string) => void, more = {}) => (
    <TextChoice {...{ label, value, onChange, disabled, ...more }} />
  )
  return [
    [
      t.name,
      ({ name, choice, change }) => {
        const value = choice.name ?? name
        const look = value === name ? 'soft' : 'soft differs'
        return textOf(t.nameInDataset(name), value, (text) => change({ name: text.trim() || name }), { look })
      },
    ],
    [
      t.filled,
      ({ name, choice: { isRequired = false }, change }) => (
        <Box
          {...{ disabled, label: t.mustBeFilled(name), isOn: isRequired }}
          onChange={(isOn) => change({ isRequired: isOn })}
        />
      ),
    ],
    [
      t.pattern,
      ({ name, choice: { type, pattern = '' }, change }) =>
        textOf(
          t.patternOf(name),
          pattern,
          (text) => change({ pattern: text }),
          type !== 'string' && { disabled: true },
        ),
    ],
    [
      t.nulls,
      ({ name, choice: { missing = [] }, change }) =>
        textOf(t.nullsOf(name), missing.join(', '), (words) =>
          change({ missing: words.split(/ *, */).filter(Boolean) }),
        ),
    ],
  ]
}

const sampleCharactersMax = 40

function shortened(text: string): string {
  return text.length > sampleCharactersMax ? `${text.slice(0, sampleCharactersMax)}…` : text
}

const namesOfTypes: Readonly<Record<string, string>> = { string: 'text', datetime: 'timestamp' }
const types = choosableTypes.map((one) => [one, typeName(namesOfTypes[one] ?? one)] as const)

function TypeChoice({ name, choice, change, disabled }: ColumnRow & { readonly disabled: boolean }) {
  const onChange = (type: (typeof choosableTypes)[number]) => change({ type, pattern: '' })
  const value = choice.type ?? 'string'
  return <Choice look="soft" label={t.typeOf(name)} options={types} {...{ value, disabled, onChange }} />
}

interface TextChoiceProps {
  readonly label: string
  readonly value: string
  readonly look?: string
  readonly disabled: boolean
  readonly onChange: (value: string) => void
}

function TextChoice({ value, look = 'soft', onChange, ...rest }: TextChoiceProps) {
  // A check that ends meanwhile does not undo what is being typed.
  const [text, setText] = useState(value)
  useLayoutEffect(() => setText(value), [value])
  const field = { ...rest, look, size: 11, value: text, onInput: setText }
  return <Field {...field} onChange={({ currentTarget }) => onChange(currentTarget.value)} />
}

function Fit({ name, total, misfits }: ColumnRow & { readonly total: number }) {
  const { count: many = 0, at = [] } = misfits ?? {}
  return (
    <span class="row fit">
      <span class={many > 0 ? 'num warn strong' : 'num quiet'}>{count(total - many)}</span>
      <Strip isMini label={t.misfitsIn(name, count(many))} ticks={at.map((one) => ({ at: one }))} />
    </span>
  )
}

/** What does not fit, and what could be said about it. */
function MisfitNote({
  misfits,
  detected,
  choices,
  onChange,
}: Omit<DeclareColumnsProps, 'column'> & { readonly misfits: Misfits }) {
  const { column, count: many, values } = misfits
  const name = detected.columns[column]?.name ?? ''
  const change = (choice: FieldChoice) => onChange(withChoice(choices, name, choice))
  const missing = choices.get(name)?.missing ?? []
  return (
    <div class="note warn" role="status">
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
        {values
          .filter(({ value }) => value.trim() !== '')
          .map(({ value }) => (
            <Button
              key={value}
              text={t.readAsNull(shortened(value))}
              look="small"
              onClick={() => change({ missing: [...missing, value] })}
            />
          ))}
        <Button
          text={t.keepAsText}
          look="small"
          onClick={() => change({ type: 'string', isRequired: false, pattern: '', missing: [] })}
        />
      </div>
    </div>
  )
}
