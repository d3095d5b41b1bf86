// Table: rows below named columns. Knows nothing of what it shows.
import type { ComponentChildren } from 'preact'

interface TableColumn<Row> {
  readonly head: ComponentChildren
  cell(row: Row, at: number): ComponentChildren
  /** Aligned at the end. */
  readonly isNumber?: boolean
  /** The cell names its row. */
  readonly isRowHead?: boolean
  readonly class?: string
  /** Shown beside the cell where the head is not in view. */
  readonly name?: string
}

interface TableProps<Row> {
  readonly columns: readonly TableColumn<Row>[]
  readonly rows: readonly Row[]
  readonly class?: string
  keyOf?(row: Row): string | number
}

export function Table<Row>({ columns, rows, keyOf, ...rest }: TableProps<Row>) {
  return (
    <table class={rest.class}>
      <thead>
        <tr>
          {columns.map(({ head, isNumber, ...column }, at) => (
            <th key={at} scope="col" class={classesOf(isNumber, column.class)}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, at) => (
          <tr key={keyOf?.(row) ?? at}>
            {columns.map(({ cell, isRowHead, isNumber, name, ...column }, place) => {
              const Cell = isRowHead ? 'th' : 'td'
              const className = classesOf(isNumber, column.class)
              return (
                <Cell key={place} scope={isRowHead ? 'row' : undefined} class={className} data-name={name}>
                  {cell(row, at)}
                </Cell>
              )
            })}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function classesOf(isNumber = false, ...names: readonly (string | undefined)[]): string | undefined {
  return [isNumber && 'number num', ...names].filter(Boolean).join(' ') || undefined
}
