// Reject table: rejected records with their place, the reason and their text. Knows no dataset.
import { count } from '../format.ts'
import { rejectSentence } from '../sentences.ts'
import type { ShownReason } from '../texts/shown-receipt.ts'
import { t } from '../texts.ts'
import { Spoken } from './spoken.tsx'

export interface ShownReject extends ShownReason {
  readonly line: number
  readonly byteOffset: number
  readonly text?: string | null
  readonly base64?: string
}

interface RejectTableProps {
  readonly rejects: readonly ShownReject[]
  /** Names of the columns of the table. */
  readonly columns: readonly string[]
}

export function RejectTable({ rejects, columns }: RejectTableProps) {
  return (
    <div class="scroll">
      <table class="rejects">
        <thead>
          <tr>
            <th scope="col" class="number">
              {t.line}
            </th>
            <th scope="col" class="number">
              {t.offset}
            </th>
            <th scope="col">{t.reason}</th>
            <th scope="col">{t.text}</th>
          </tr>
        </thead>
        <tbody>
          {rejects.map((reject) => (
            <tr key={reject.byteOffset}>
              <td class="number">{count(reject.line)}</td>
              <td class="number">{count(reject.byteOffset)}</td>
              <td>
                <Spoken sentence={rejectSentence(reject, columns)} /> <span class="quiet">{reject.reason}</span>
              </td>
              <td>
                <code class="record">{reject.text ?? reject.base64 ?? '…'}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
