// Tests of the row view: URLs can hold any view and nothing else, and SQL contains only quoted columns and values.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { datasetHref, parseRoute, type Route } from '../../../router.ts'
import { countSql, operators, pageSql, parseView, type RowView, rowsHref, wholeFile } from './row-view.ts'

const columns = ['id', 'odd "name"', 'Row']
const view: RowView = {
  filters: [
    { column: 'odd "name"', operator: 'contains', value: "O'Brien" },
    { column: 'id', operator: '>=', value: '7' },
  ],
  sort: { column: 'id', isDescending: true },
}

const id = '0123456789abcdef0123456789abcdef'

test('parseView() reads what rowsHref() writes', () => {
  const { query } = parseRoute(rowsHref(id, view)) as Route & { readonly view: 'dataset' }
  assert.deepEqual(parseView(query, columns), view)
  assert.equal(rowsHref(id, wholeFile), datasetHref(id, 'rows'))
  assert.deepEqual(parseView('', columns), wholeFile)
})

test('parseView() refuses invalid columns, operators and values', () => {
  const filters = [
    { column: 'gone', operator: '=', value: '1' },
    { column: 'id', operator: '; DROP', value: '1' },
    { column: 'id', operator: '=', value: 1 },
    { column: 'id', operator: '=', value: 'x'.repeat(2_001) },
    null,
  ]
  for (const text of ['[', '1', 'null', '{}', JSON.stringify({ filters, sort: { column: 'gone' } })])
    assert.deepEqual(parseView(text, columns), wholeFile, text)
})

test('SQL has every name and value in quotes, and numbers rows as in the file', () => {
  const where = ` WHERE contains(lower(CAST("odd ""name""" AS VARCHAR)), lower('O''Brien')) AND "id" >= '7'`
  assert.equal(countSql(view), `SELECT count(*) FROM data${where}`)
  assert.equal(
    pageSql(view, columns, 400, 200),
    `SELECT * FROM (SELECT row_number() OVER () AS "row_", * FROM data)${where} ORDER BY "id" DESC NULLS LAST, "row_" LIMIT 200 OFFSET 400`,
  )
})

test('every operator makes a condition', () => {
  for (const operator of operators)
    assert.match(countSql({ filters: [{ column: 'id', operator, value: '1' }], sort: null }), / WHERE .*"id"/)
  const longer = { column: 'id', operator: '>', value: '3', isLength: true } as const
  assert.match(countSql({ filters: [longer], sort: null }), /length\("id"\) > '3'/)
})
