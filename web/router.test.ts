// Tests of the router: URLs of views, and everything else.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { datasetHref, parseRoute, tabs } from './router.ts'
import { rowsHref } from './views/dataset/rows/row-view.ts'

const id = '0123456789abcdef0123456789abcdef'

test('parseRoute() reads what datasetHref() writes', () => {
  for (const tab of tabs) assert.deepEqual(parseRoute(datasetHref(id, tab)), { view: 'dataset', id, tab, query: '' })
})

test('parseRoute() returns the view of rows, and nothing for a truncated one', () => {
  const view = { filters: [{ column: 'a?b%', operator: '=', values: ['"#ä'] }] } as const
  assert.deepEqual(parseRoute(rowsHref(id, view)), { view: 'dataset', id, tab: 'rows', query: JSON.stringify(view) })
  assert.deepEqual(parseRoute(`#/datasets/${id}/rows?%7`), { view: 'dataset', id, tab: 'rows', query: '' })
})

test('parseRoute() accepts nothing else as a view', () => {
  for (const hash of ['', '#', '#/']) assert.deepEqual(parseRoute(hash), { view: 'home', query: '' })
  assert.deepEqual(parseRoute('#/?search=a%26b'), { view: 'home', query: 'search=a%26b' })
  assert.deepEqual(parseRoute('#/trash'), { view: 'trash' })
  for (const hash of ['#/x', `#/datasets/${id}/other`, '#/datasets/../..', `#/datasets/${id.slice(1)}`, '#main'])
    assert.deepEqual(parseRoute(hash), { view: 'unknown' }, hash)
})
