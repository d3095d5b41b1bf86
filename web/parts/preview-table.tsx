// Preview table: the first rows of a file as they would be read, with names and types. Knows no file.
import { count } from '../format.ts'
import { t } from '../texts.ts'
import { isNumeric, Value } from './value.tsx'

/** Nobody reads a table with more columns, and browsers render it slowly. */
const columnsMax = 60

export interface PreviewTableProps {
  readonly label: string
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  readonly rows: readonly (readonly unknown[])[]
}

export function PreviewTable({ label, columns, rows }: PreviewTableProps) {
  const shown = columns.slice(0, columnsMax)
  return (
    <>
      <section class="preview" aria-label={label} tabIndex={0}>
        <table class="compact">
          <thead>
            <tr>
              <th scope="col" class="number">
                <span aria-hidden="true">#</span>
                <span class="hidden">{t.rowNumber}</span>
              </th>
              {shown.map(({ name, type }) => (
                <th scope="col" key={name} class={isNumeric(type) ? 'number' : undefined}>
                  {name} <span class="type">{type}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => (
              <tr key={index}>
                <th scope="row" class="number">
                  {count(index + 1)}
                </th>
                {shown.map(({ name, type }, column) => (
                  <td key={name} class={isNumeric(type) ? 'number' : undefined}>
                    <Value value={row[column]} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {columns.length > columnsMax && <p class="quiet">{t.moreColumns(count(columns.length - columnsMax))}</p>}
    </>
  )
}
