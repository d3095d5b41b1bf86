// Column table: the columns of a receipt with their types, and why they have them.
import { count } from '../format.ts'
import { t } from '../texts.ts'

export interface ShownColumn {
  readonly name: string
  readonly type: string
  readonly nulls: number
  readonly why: string
}

export function ColumnTable({ columns }: { readonly columns: readonly ShownColumn[] }) {
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
          {columns.map(({ name, type, nulls, why }) => (
            <tr key={name}>
              <th scope="row" class="name">
                {name}
              </th>
              <td>{type}</td>
              <td class="number" data-name={t.nulls}>
                {count(nulls)}
              </td>
              <td class="quiet" lang="en">
                {why}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
