// Reject table: rejected records with their place, the reason and their text. Knows no dataset.
import { count } from '../format.ts'
import { t } from '../texts.ts'

export interface ShownReject {
  readonly line: number
  readonly byteOffset: number
  readonly reason: string
  readonly message: string
  readonly text?: string | null
  readonly base64?: string
}

export function RejectTable({ rejects }: { readonly rejects: readonly ShownReject[] }) {
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
                <span lang="en">{reject.message}</span> <span class="quiet">{reject.reason}</span>
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
