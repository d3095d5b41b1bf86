// Result bars: a query result as bars: the first column that is not numeric names them, the first numeric one measures them.
import type { RowPage } from '../../../api.ts'
import { textOf } from '../../../parts/text-of.ts'
import { isNumeric } from '../../../parts/value.tsx'
import { t } from '../../../texts.ts'

/** More bars would be illegible. */
const barsMax = 60

/** The columns that name and measure the bars; null if a result has none. */
export function barColumns({ columns, rows }: RowPage): { readonly name: number; readonly value: number } | null {
  const value = columns.findLastIndex(({ type }) => isNumeric(type))
  const name = columns.findIndex((_, index) => index !== value)
  return value < 0 || name < 0 || rows.length < 2 ? null : { name, value }
}

export function ResultBars({ page }: { readonly page: RowPage }) {
  const found = barColumns(page)
  if (found === null) return null
  const rows = page.rows.slice(0, barsMax)
  const sizeOf = (row: readonly unknown[]) => Math.abs(Number(row[found.value] ?? 0)) || 0
  const most = Math.max(...rows.map(sizeOf), Number.MIN_VALUE)
  return (
    <table class="bars" aria-label={t.asBars}>
      <thead>
        <tr>
          <th scope="col">{page.columns[found.name]?.name}</th>
          <th scope="col" colSpan={2}>
            {page.columns[found.value]?.name}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={index}>
            <th scope="row" class="name">
              {textOf(row[found.name]) || t.nullValue}
            </th>
            <td class="number">{textOf(row[found.value])}</td>
            <td class="bar-cell">
              <svg aria-hidden="true" viewBox="0 0 100 10" preserveAspectRatio="none">
                <rect class="bar" width={(100 * sizeOf(row)) / most} height={10} />
              </svg>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
