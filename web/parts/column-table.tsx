// Column table: the columns of a receipt with their types, and why they have them.
import type { ShownReceipt } from '../check/provisional.ts'
import { count, typeName } from '../format.ts'
import { whySentence } from '../sentences.ts'
import { t } from '../texts.ts'
import { Spoken } from './spoken.tsx'
import { Table } from './table.tsx'

/** A table of more would have too many elements. */
const shownMax = 200

export function ColumnTable({ receipt }: { readonly receipt: ShownReceipt }) {
  return (
    <div class="scroll">
      <Table
        class="list column-list"
        rows={receipt.columns.slice(0, shownMax)}
        keyOf={({ name }) => name}
        columns={[
          { head: t.name, cell: ({ name }) => name, isRowHead: true, class: 'name' },
          { head: t.type, cell: ({ type }) => typeName(type) },
          { head: t.nulls, cell: ({ nulls }) => count(nulls), isNumber: true, name: t.nulls },
          { head: t.why, cell: (_, at) => <Spoken sentence={whySentence(receipt, at)} />, class: 'quiet' },
        ]}
      />
      {receipt.columns.length > shownMax && <p>{t.moreColumns(count(receipt.columns.length - shownMax))}</p>}
    </div>
  )
}
