// Tests of the format: a name is shown as it is, except for what would make it look like another.
import assert from 'node:assert/strict'
import { test } from 'node:test'

// What the language of a visit is read from.
Object.assign(globalThis, { localStorage: { getItem: () => 'de' }, document: { documentElement: {} } })
const { shownName } = await import('./format.ts')

test('shownName() shows direction marks, and leaves letters of any direction as they are', () => {
  assert.equal(shownName('\u202egnp.csv'), '\ufffdgnp.csv')
  assert.equal(shownName('a\u2067b\u2069.csv'), 'a\ufffdb\ufffd.csv')
  assert.equal(shownName('נתונים.csv'), 'נתונים.csv')
})
