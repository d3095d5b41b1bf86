// Tests of the docs search.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hitsMax, type SearchRow, searchRows } from './docs-search.ts'

const rows: readonly SearchRow[] = [
  ['/docs/faq#a', 'FAQ', 'How large may a file be?', 'As large as --max-file-size says.'],
  ['/docs/errors#b', 'Errors', 'Codes', `${'x'.repeat(100)} FILE_TOO_LARGE ${'y'.repeat(100)}`],
  ['/docs/tutorial#c', 'Tutorial', 'Start', 'Nothing of that.'],
]

test('searchRows() finds sections with all words, first those with the words in the heading', () => {
  const addresses = (query: string) => searchRows(rows, query).map(({ address }) => address)
  assert.deepEqual(addresses('LARGE file'), ['/docs/faq#a', '/docs/errors#b'])
  assert.deepEqual(addresses('codes large'), ['/docs/errors#b'])
  assert.deepEqual(addresses('large nowhere'), [])
  assert.deepEqual(addresses('  '), [])
})

test('searchRows() shows the text around a word', () => {
  const [, hit] = searchRows(rows, 'large')
  assert.match(hit?.excerpt ?? '', /^…x+ FILE_TOO_LARGE y+…$/)
})

test('searchRows() returns no more results than are shown', () => {
  const many = Array.from({ length: 50 }, (_, i): SearchRow => [`/docs/a#${i}`, 'A', `${i}`, 'word'])
  assert.equal(searchRows(many, 'word').length, hitsMax)
})
