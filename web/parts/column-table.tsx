// Column table: the columns of a receipt with their types, and why they have them.
import { count } from '../format.ts'
import { whySentence } from '../sentences.ts'
import type { ShownReceipt } from '../texts/shown-receipt.ts'
import { t } from '../texts.ts'
import { Spoken } from './spoken.tsx'

export function ColumnTable({ receipt }: { readonly receipt: ShownReceipt }) {
  return (
    <div class="scroll">
      <table class="column-list">
        <thead>
          <tr>
            <th scope="col">{t.name}</th>
            <th scope="col">{t.type}</th>
            <th scope="col" class="number">
              {t.nulls}
            </th>
            <th scope="col">{t.why}</th>
          </tr>
        </thead>
        <tbody>
          {receipt.columns.map(({ name, type, nulls }, at) => (
            <tr key={name}>
              <th scope="row" class="name">
                {name}
              </th>
              <td>{type}</td>
              <td class="number" data-name={t.nulls}>
                {count(nulls)}
              </td>
              <td class="quiet">
                <Spoken sentence={whySentence(receipt, at)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
