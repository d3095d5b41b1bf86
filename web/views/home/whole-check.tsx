// Whole check: the result of checking a whole file before it is sent: the sentence of its receipt, rejects, types and notes.
import type { RejectPreview } from '../../../src/core/receipt.ts'
import type { ProvisionalReceipt } from '../../check/provisional.ts'
import type { CheckState } from '../../check/use-check.ts'
import { acceptedText, bytes, count, duration, percent } from '../../format.ts'
import { ColumnTable } from '../../parts/column-table.tsx'
import { Failure } from '../../parts/failure.tsx'
import { NoteList } from '../../parts/note-list.tsx'
import { Spoken } from '../../parts/spoken.tsx'
import { Table } from '../../parts/table.tsx'
import { reasonName } from '../../reject-texts.ts'
import { rejectSentence } from '../../sentences.ts'
import { t } from '../../texts.ts'

export function WholeCheck({ state, file }: { readonly state: CheckState; readonly file: File }) {
  switch (state.kind) {
    case 'none':
      return null
    case 'running':
      return <Progress state={state} file={file} />
    case 'failed':
      return <Failure error={state.error} />
    case 'done':
      return <Result receipt={state.receipt} tookMs={state.tookMs} />
  }
}

interface ProgressProps {
  readonly state: CheckState & { readonly kind: 'running' }
  readonly file: File
}

function Progress({ state: { progress, startMs }, file }: ProgressProps) {
  const elapsedMs = Math.max(1, performance.now() - startMs)
  // A compressed file has more text than bytes.
  const share = Math.min(1, progress.bytes / file.size)
  return (
    <div>
      <progress max={1} value={share} aria-label={`${t.checkWhole}: ${file.name}`} />
      <p class="quiet figures">
        {percent(share)} · {t.recordsSoFar(count(progress.accepted), count(progress.rejected))}
        {progress.bytes > 0 && ` · ${bytes((progress.bytes / elapsedMs) * 1_000)}/s`}
      </p>
    </div>
  )
}

function Result({ receipt, tookMs }: { readonly receipt: ProvisionalReceipt; readonly tookMs: number }) {
  const { records, rejects, columns, notes } = receipt
  return (
    <section class="checked" aria-label={t.checked}>
      <p role="status" class="lead">
        {acceptedText(records, t.wouldBeAccepted)}
      </p>
      <p class="quiet">{t.checkedIn(bytes(receipt.bytes), duration(tookMs))}</p>
      {rejects.count > 0 && (
        <details open>
          <summary>
            {t.rejects}:{' '}
            {Object.entries(rejects.reasons)
              .map(([reason, times]) => `${reasonName(reason)} ${count(times)}`)
              .join(', ')}
          </summary>
          <RejectTable rejects={rejects.first} columns={columns.map(({ name }) => name)} />
          {rejects.count > rejects.first.length && <p class="quiet">{t.firstOnly(count(rejects.first.length))}</p>}
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
      <details>
        <summary>
          {t.columns} ({count(columns.length)})
        </summary>
        <ColumnTable receipt={receipt} />
      </details>
    </section>
  )
}

interface RejectTableProps {
  readonly rejects: readonly RejectPreview[]
  /** Names of the columns of the table. */
  readonly columns: readonly string[]
}

function RejectTable({ rejects, columns }: RejectTableProps) {
  const reasonOf = (reject: RejectPreview) => (
    <>
      <Spoken sentence={rejectSentence(reject, columns)} /> <span class="quiet">{reject.reason}</span>
    </>
  )
  return (
    <div class="scroll">
      <Table
        class="rejects"
        rows={rejects}
        keyOf={({ byteOffset }) => byteOffset}
        columns={[
          { head: t.line, cell: ({ line }) => count(line), isNumber: true },
          { head: t.offset, cell: ({ byteOffset }) => count(byteOffset), isNumber: true },
          { head: t.reason, cell: reasonOf },
          { head: t.text, cell: ({ text, base64 }) => <code class="record">{text ?? base64 ?? '…'}</code> },
        ]}
      />
    </div>
  )
}
