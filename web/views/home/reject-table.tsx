// Reject table: rejected records with their place, the reason and their text. Knows no dataset.
import type { RejectPreview } from '../../../src/core/receipt.ts'
import { count } from '../../format.ts'
import { Spoken } from '../../parts/spoken.tsx'
import { Table } from '../../parts/table.tsx'
import { rejectSentence } from '../../sentences.ts'
import { t } from '../../texts.ts'

interface RejectTableProps {
  readonly rejects: readonly RejectPreview[]
  /** Names of the columns of the table. */
  readonly columns: readonly string[]
}

export function RejectTable({ rejects, columns }: RejectTableProps) {
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
