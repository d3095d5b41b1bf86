// Tests of the view of the list: its address and back, and what the service is asked.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filterQuery, filters, type ListView, listHref, listQuery, parseListView, sortable } from './list-view.ts'

test('parseListView() reads what listHref() writes', () => {
  for (const by of sortable)
    for (const isDescending of [true, false])
      for (const search of ['', 'a&b=c#ä %', '-']) {
        const view: ListView = { search, filters: isDescending ? filters : ['today'], sort: { by, isDescending } }
        assert.deepEqual(parseListView(listHref(view).replace(/^#\/\??/, '')), view)
      }
})

test('listHref() is the start page for the list as it is at first, and parseListView() ignores the unknown', () => {
  assert.equal(listHref(parseListView('')), '#/')
  assert.equal(listHref(parseListView('sort=nothing&show=never&x=1')), '#/')
})

test('listQuery() asks for one entry a file, from the beginning of today on this clock', () => {
  const now = new Date(2026, 10, 28, 13, 5)
  assert.equal(filterQuery('today', now).since, String(new Date(2026, 10, 28).getTime()))
  const query = listQuery(parseListView('search=a&show=open+mine&sort=-rows'))
  assert.deepEqual(query, {
    versions: 'latest',
    sort: 'rows',
    order: 'desc',
    search: 'a',
    rejects: 'open',
    mine: 'true',
  })
})
