// Receipt tab: ledgers in which records and bytes add up, what is worth knowing, and how a file was read and why.
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import type { ShownNote } from '../../../src/core/notes.ts'
import type { Receipt } from '../../api.ts'
import { bytes, count, list, moment, typeName } from '../../format.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { delimiterName } from '../../parts/dialect-fields.tsx'
import { Mark, NoteList } from '../../parts/note-list.tsx'
import { Spoken } from '../../parts/spoken.tsx'
import { Table } from '../../parts/table.tsx'
import { reasonName } from '../../reject-texts.ts'
import { datasetHref } from '../../router.ts'
import { evidenceSentences, whySentence } from '../../sentences.ts'
import { t } from '../../texts.ts'
import { rowsHref } from './rows/row-view.ts'

export function ReceiptTab({ receipt }: { readonly receipt: Receipt }) {
  const { id, records, bytes: sizes, file, notes } = receipt
  const textBytes = file.compression?.bytes ?? file.bytes
  return (
    <div class="page">
      <div class="ledgers">
        <Ledger
          title={t.recordsTitle}
          lines={[
            [t.header, records.header],
            [t.blank, records.blank],
            [t.skipped, records.skipped],
            [t.acceptedAsRows, records.accepted],
            [
              records.rejected === 0 ? t.rejected : <a href={datasetHref(id, 'fix')}>{t.rejected}</a>,
              records.rejected,
              'warn strong',
            ],
          ]}
          total={[t.inFile, records.total]}
        />
        {sizes !== undefined && (
          <Ledger
            title={t.bytesTitle}
            lines={[
              [t.header, sizes.header],
              [t.blankAndSkipped, sizes.blank + sizes.skipped],
              [t.accepted, sizes.accepted],
              [t.rejected, sizes.rejected, 'warn strong'],
              [t.leftOver, Object.values(sizes).reduce((left, one) => left - one, textBytes), 'bad strong'],
            ]}
            total={[file.compression === undefined ? t.received : t.unpacked, textBytes]}
          />
        )}
        <Kept receipt={receipt} />
      </div>
      {(notes.length > 0 || records.rejected > 0) && <WorthKnowing receipt={receipt} />}
      <HowRead receipt={receipt} />
      <Columns receipt={receipt} />
    </div>
  )
}

interface PanelProps {
  readonly title: string
  readonly action?: ComponentChildren
  readonly children: ComponentChildren
}

function Panel({ title, action, children }: PanelProps) {
  const id = useId()
  return (
    <section class="panel" aria-labelledby={id}>
      <div class="row">
        <h2 id={id}>{title}</h2>
        <span class="grow" />
        {action}
      </div>
      {children}
    </section>
  )
}

interface LedgerProps {
  readonly title: string
  readonly lines: readonly (readonly [name: ComponentChildren, amount: number, tone?: string])[]
  readonly total: readonly [name: string, amount: number]
}

function Ledger({ title, lines, total }: LedgerProps) {
  return (
    <Panel title={title}>
      <table class="ledger" aria-label={title}>
        <tbody>
          {lines.map(([name, amount, tone], at) => (
            <tr key={at}>
              <th scope="row">{name}</th>
              <td class={amount === 0 ? 'quiet' : tone}>{count(amount)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{total[0]}</th>
            <td>{count(total[1])}</td>
          </tr>
        </tfoot>
      </table>
    </Panel>
  )
}

function Kept({ receipt: { file, parts, createdAt } }: { readonly receipt: Receipt }) {
  const size = parts.reduce((sum, part) => sum + part.bytes, 0)
  const facts: readonly (readonly [string, string])[] = [
    [t.original, bytes(file.bytes)],
    [t.rowsKept, t.parts(count(parts.length), bytes(size))],
    [t.created, moment(createdAt)],
    ['SHA-256', `${file.sha256.slice(0, 8)}…${file.sha256.slice(-7)}`],
  ]
  return (
    <Panel title={t.kept}>
      <dl class="facts">
        {facts.flatMap(([name, value]) => [<dt key={name}>{name}</dt>, <dd key={`${name} value`}>{value}</dd>])}
      </dl>
      <div class="row">
        <CopyButton class="small" label={t.copySha256} text={() => file.sha256} />
      </div>
    </Panel>
  )
}

function WorthKnowing({ receipt: { id, notes, records, rejects } }: { readonly receipt: Receipt }) {
  const causes = Object.entries(rejects.reasons).map(([reason, times]) => `${reasonName(reason)} ${count(times)}`)
  return (
    <Panel title={t.worthKnowing}>
      {records.rejected > 0 && (
        <ul class="notes">
          <li>
            <Mark severity="doubt" />
            <p>
              <b>{t.rejectedSentence(count(records.rejected))}</b> <span class="quiet">{list(causes)}.</span>
            </p>
            <a class="btn small" href={datasetHref(id, 'fix')}>
              {t.fix}
            </a>
          </li>
        </ul>
      )}
      <NoteList notes={notes} remedy={(note) => <Remedy note={note} id={id} />} />
    </Panel>
  )
}

function Remedy({ note: { column, severity }, id }: { readonly note: ShownNote; readonly id: string }) {
  if (column === undefined && severity === 'info') return null
  return column === undefined ? (
    <a class="btn small" href={datasetHref(id, 'read')}>
      {t.readAgain}
    </a>
  ) : (
    <a class="btn small ghost" href={rowsHref(id, { column })}>
      {t.seeColumn}
    </a>
  )
}

function HowRead({ receipt }: { readonly receipt: Receipt }) {
  const { encoding, dialect, evidence } = receipt
  const [encodingWhy, dialectWhy, headerWhy] = evidenceSentences(receipt)
  const lineEnd = dialect.lineTerminator.replaceAll('\r', 'CR ').replaceAll('\n', 'LF ').trim()
  const lines = evidence.figures.header.lines.map(count)
  const facts = [
    { what: t.encoding, found: encoding.name.toUpperCase(), why: encodingWhy },
    { what: t.delimiter, found: delimiterName(dialect.delimiter), why: dialectWhy },
    { what: t.quote, found: dialect.quoteChar ?? t.none },
    { what: t.lineEnd, found: lineEnd },
    { what: t.header, found: lines.length === 0 ? t.none : t.lines(lines.length, lines.join(', ')), why: headerWhy },
  ]
  return (
    <Panel
      title={t.evidence}
      action={
        <a class="btn" href={datasetHref(receipt.id, 'read')}>
          {t.readAgain}
        </a>
      }
    >
      <Table
        class="list"
        rows={facts}
        columns={[
          { head: t.what, cell: ({ what }) => what },
          { head: t.found, cell: ({ found }) => <b>{found}</b> },
          { head: t.why, cell: ({ why }) => why && <Spoken sentence={why} />, class: 'quiet' },
        ]}
      />
    </Panel>
  )
}

/** A table of more would have too many elements; the rows have all columns. */
const columnsMax = 200

function Columns({ receipt }: { readonly receipt: Receipt }) {
  const { id, columns } = receipt
  return (
    <Panel title={t.columns}>
      <Table
        class="list"
        rows={columns.slice(0, columnsMax)}
        keyOf={({ name }) => name}
        columns={[
          { head: t.name, cell: ({ name }) => <a href={rowsHref(id, { column: name })}>{name}</a>, isRowHead: true },
          { head: t.type, cell: ({ type }) => typeName(type) },
          { head: t.nulls, cell: ({ nulls }) => count(nulls), isNumber: true },
          { head: t.why, cell: (_, at) => <Spoken sentence={whySentence(receipt, at)} />, class: 'quiet' },
        ]}
      />
      {columns.length > columnsMax && <p class="quiet">{t.moreColumns(count(columns.length - columnsMax))}</p>}
    </Panel>
  )
}
