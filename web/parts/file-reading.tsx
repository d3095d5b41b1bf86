// File reading: how a file would be read: its account, where its rejects lie, its columns with what is said about them,
// and its first rows. Knows not whether the file is stored.
import type { ComponentChildren } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { ApiError } from '../api.ts'
import type { DeclaredDialect, ProvisionalReceipt, Scope } from '../check/provisional.ts'
import { type Check, useCheck } from '../check/use-check.ts'
import { bytes, count, duration, percent } from '../format.ts'
import { reasonName } from '../reject-texts.ts'
import { rejectSentence } from '../sentences.ts'
import { t } from '../texts.ts'
import { accountText } from './account.tsx'
import { DeclareColumns } from './declare-columns.tsx'
import { type FieldChoices, schemaOf } from './declared-fields.ts'
import { DialectFields } from './dialect-fields.tsx'
import { Failure } from './failure.tsx'
import { NoteList } from './note-list.tsx'
import { Preview } from './preview.tsx'
import { Spoken } from './spoken.tsx'
import { Strip, type Tick } from './strip.tsx'
import { Table } from './table.tsx'

export interface Declared {
  readonly dialect: DeclaredDialect
  readonly choices: FieldChoices
}

export type Reading = ReturnType<typeof useReading>

/** The beginning of a file as it would be read, and all of it on request; null while it is fetched. */
export function useReading(file: File | null, { dialect, choices }: Declared, scope: Scope) {
  const head = useCheck(file, dialect, 'head')
  const detected = head.receipt
  const schema = useMemo(() => (detected === null ? null : schemaOf(choices, detected)), [choices, detected])
  const declared = useCheck(file, dialect, schema === null ? null : 'head', schema)
  const whole = useCheck(file, dialect, scope === 'whole' ? 'whole' : null, schema)
  const known = whole.receipt ?? declared.receipt ?? detected
  return { detected, known, whole, schema, error: head.error ?? declared.error ?? whole.error }
}

interface FileReadingProps {
  readonly file: File
  readonly name: string
  readonly declared: Declared
  readonly onDeclare: (change: Partial<Declared>) => void
  readonly reading: Reading
  /** The column to begin with. */
  readonly column?: string
  /** How it is read is the first thing to be said. */
  readonly isDialectOpen?: boolean
  /** Buttons: above what appears later, so that they do not move under the pointer. */
  readonly children?: ComponentChildren
}

export function FileReading({
  file,
  name,
  declared,
  onDeclare,
  reading,
  column = '',
  isDialectOpen = false,
  children,
}: FileReadingProps) {
  const { detected, known, whole, error } = reading
  const isRefused = error instanceof ApiError
  const [isOpen, setOpen] = useState(isDialectOpen)
  return (
    <div class="reading">
      <div class="head">
        <div>
          <h2 class="h3 name">{name}</h2>
          <p class="facts-line">{known === null ? bytes(file.size) : factsOf(file, known).join(' · ')}</p>
        </div>
        <div class="row">{children}</div>
      </div>
      <div class="account">
        <FileStrip file={file} reading={reading} />
      </div>
      <p class="sum" role="status">
        <Outcome file={file} reading={reading} />
      </p>
      {error !== null &&
        (isRefused || whole.error !== null ? <Failure error={error} /> : <p class="quiet">{t.noPreview}</p>)}
      <details class="dialect" open={isOpen || isRefused} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>{t.changeReading}</summary>
        <DialectFields dialect={declared.dialect} onChange={(dialect) => onDeclare({ dialect })} />
      </details>
      {detected !== null && known !== null && (
        <DeclareColumns
          detected={detected}
          receipt={known}
          choices={declared.choices}
          column={column}
          onChange={(choices) => onDeclare({ choices })}
        />
      )}
      {known !== null && <Findings receipt={known} />}
      {error === null && <Preview label={`${t.preview}: ${name}`} receipt={known} />}
    </div>
  )
}

/** What it is, in one line. */
function factsOf(file: File, { encoding, dialect, columns }: ProvisionalReceipt): readonly string[] {
  return [
    bytes(file.size),
    t.delimiterWords[dialect.delimiter] ?? dialect.delimiter,
    encoding.name.toUpperCase(),
    dialect.header ? t.withHeader : t.withoutHeader,
    t.columnCount(count(columns.length)),
  ]
}

function FileStrip({ file, reading: { known, whole } }: { readonly file: File; readonly reading: Reading }) {
  const { isRunning } = whole
  const positions = isRunning ? whole.progress.positions : known?.rejects.positions
  // A compressed file has more text than bytes.
  const size = Math.max(file.size, isRunning ? whole.progress.bytes : (known?.bytes ?? 0))
  const read = isRunning ? whole.progress.bytes : (known?.bytes ?? 0)
  const rejects = (positions?.buckets ?? []).map(({ at }) => ({ at: (at * (positions?.bucketBytes ?? 0)) / size }))
  const misfits: readonly Tick[] = isRunning
    ? []
    : (known?.misfits ?? []).flatMap(({ at }) => at.map((one) => ({ at: one })))
  const rejected = isRunning ? whole.progress.rejected : (known?.records.rejected ?? 0)
  return (
    <Strip label={t.wholeFile(count(rejected))} read={size === 0 ? 0 : read / size} ticks={[...rejects, ...misfits]} />
  )
}

function Outcome({ file, reading: { known, whole } }: { readonly file: File; readonly reading: Reading }) {
  if (whole.isRunning) return <Progress check={whole} file={file} />
  if (known === null) return <>{t.reading}</>
  const { isWhole, records } = known
  const isEmpty = records.accepted + records.rejected === 0
  // The place of the first rows says more.
  if (isEmpty && whole.tookMs === null) return null
  return (
    <>
      {isEmpty ? t.noRecords : accountText(records)}
      {!isWhole && ` · ${t.inFirstMegabyte}`}
      {whole.tookMs !== null && ` · ${t.checkedIn(bytes(known.bytes), duration(whole.tookMs))}`}
    </>
  )
}

function Progress({ check: { progress, startMs }, file }: { readonly check: Check; readonly file: File }) {
  const elapsedMs = Math.max(1, performance.now() - startMs)
  const { bytes: read, accepted, rejected } = progress
  return (
    <>
      {percent(Math.min(1, read / file.size))} · {t.recordsSoFar(count(accepted), count(rejected))}
      {read > 0 && ` · ${bytes((read / elapsedMs) * 1_000)}/s`}
    </>
  )
}

/** Rejects by cause with the first of them, and what a careful reader would ask. */
function Findings({ receipt: { rejects, columns, notes } }: { readonly receipt: ProvisionalReceipt }) {
  const { first, reasons } = rejects
  const names = columns.map(({ name }) => name)
  // Records that break what is declared stand in the notes about their columns.
  const listed = rejects.count - (reasons.constraint ?? 0)
  return (
    <>
      {first.length > 0 && (
        <details open>
          <summary>
            {t.rejects}:{' '}
            {Object.entries(reasons)
              .map(([reason, times]) => `${reasonName(reason)} ${count(times)}`)
              .join(', ')}
          </summary>
          <div class="frame scroll" tabIndex={0} role="region" aria-label={t.rejects}>
            <Table
              class="list"
              rows={first}
              keyOf={({ byteOffset }) => byteOffset}
              columns={[
                { head: t.line, cell: ({ line }) => count(line), isNumber: true },
                { head: t.reason, cell: (reject) => <Spoken sentence={rejectSentence(reject, names)} /> },
                { head: t.text, cell: ({ text, base64 }) => <code class="record">{text ?? base64 ?? '…'}</code> },
              ]}
            />
          </div>
          {listed > first.length && <p class="quiet">{t.firstOnly(count(first.length))}</p>}
        </details>
      )}
      {notes.length > 0 && (
        <details open={notes.some(({ severity }) => severity === 'serious')}>
          <summary>
            {t.notes} ({count(notes.length)})
          </summary>
          <NoteList notes={notes} />
        </details>
      )}
    </>
  )
}
