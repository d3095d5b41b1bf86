// Tests of the row view: URLs can hold any view and nothing else, and SQL contains only quoted columns and values.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { datasetHref, parseRoute, type Route } from '../../../router.ts'
import {
  countSql,
  type Filter,
  matchesSql,
  operators,
  pageSql,
  parseView,
  type RowView,
  rowsHref,
  sampledRowsMin,
  sumSql,
  wholeFile,
} from './row-view.ts'

const columns = ['id', 'odd "name"', 'Row']
const view: RowView = {
  filters: [
    { column: 'odd "name"', operator: 'contains', values: ["O'Brien"] },
    { column: 'id', operator: '>=', values: ['7'] },
  ],
  sort: { column: 'id', isDescending: true },
  column: 'Row',
  hidden: ['id'],
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
    { column: 'gone', operator: '=', values: ['1'] },
    { column: 'id', operator: '; DROP', values: ['1'] },
    { column: 'id', operator: '=', values: [1] },
    { column: 'id', operator: '=', values: ['1', '2'] },
    { column: 'id', operator: 'between', values: ['1'] },
    { column: 'id', operator: 'in', values: Array.from({ length: 41 }, String) },
    { column: 'id', operator: '=', values: ['x'.repeat(2_001)] },
    null,
  ]
  for (const text of [
    '[',
    '1',
    'null',
    '{}',
    JSON.stringify({ filters, sort: { column: 'gone' }, column: 'gone', hidden: ['gone', 1] }),
  ])
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
  const where = (filter: Omit<Filter, 'column'>) =>
    countSql({ ...wholeFile, filters: [{ column: 'id', ...filter }] }).replace('SELECT count(*) FROM data WHERE ', '')
  for (const operator of operators) assert.match(where({ operator, values: ['1', '2'] }), /"id"/)
  assert.equal(where({ operator: '>', values: ['3'], isLength: true }), `length("id") > '3'`)
  assert.equal(where({ operator: 'between', values: ['1', "2'"] }), `"id" BETWEEN '1' AND '2'''`)
  assert.equal(where({ operator: 'in', values: ['a', 'b'] }), `"id" IN ('a', 'b')`)
})

test('matchesSql() counts each bin once, the last with its end, and samples large tables', () => {
  const bins = { column: 'id', edges: ['0', '5', '9'], isLength: false, isWhole: false }
  const counts = `count(*) FILTER (WHERE "id" >= '0' AND "id" < '5'), count(*) FILTER (WHERE "id" >= '5' AND "id" <= '9')`
  assert.equal(matchesSql(wholeFile, [bins], 10), `SELECT ${counts} FROM data`)
  assert.match(matchesSql(wholeFile, [bins], sampledRowsMin), /FROM \(SELECT \* FROM data TABLESAMPLE/)
})

test('sumSql() sums the selected rows in the order of the view', () => {
  assert.match(sumSql(wholeFile, ['id'], 3, 2), /\(SELECT \* FROM data LIMIT 2 OFFSET 3\)\)$/)
  assert.match(sumSql(view, columns, 3, 2), /ORDER BY "id" DESC NULLS LAST, "row_" LIMIT 2 OFFSET 3\)\)$/)
})
