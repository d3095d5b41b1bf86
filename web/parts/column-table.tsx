// Column table: the columns of a receipt with their types, and why they have them.
import type { ShownReceipt } from '../check/provisional.ts'
import { count } from '../format.ts'
import { whySentence } from '../sentences.ts'
import { t } from '../texts.ts'
import { Spoken } from './spoken.tsx'
import { Table } from './table.tsx'

export function ColumnTable({ receipt }: { readonly receipt: ShownReceipt }) {
  return (
    <div class="scroll">
      <Table
        class="column-list"
        rows={receipt.columns}
        keyOf={({ name }) => name}
        columns={[
          { head: t.name, cell: ({ name }) => name, isRowHead: true, class: 'name' },
          { head: t.type, cell: ({ type }) => type },
          { head: t.nulls, cell: ({ nulls }) => count(nulls), isNumber: true, name: t.nulls },
          { head: t.why, cell: (_, at) => <Spoken sentence={whySentence(receipt, at)} />, class: 'quiet' },
        ]}
      />
    </div>
  )
}
