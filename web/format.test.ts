// Tests of the format: times from now, and a name as it is, except for what would make it look like another.
import assert from 'node:assert/strict'
import { test } from 'node:test'

// What the language of a visit is read from.
Object.assign(globalThis, { localStorage: { getItem: () => 'de' }, document: { documentElement: {} } })
const { ago, percent, remaining, shownName } = await import('./format.ts')

test('shownName() shows direction marks, and leaves letters of any direction as they are', () => {
  assert.equal(shownName('\u202egnp.csv'), '\ufffdgnp.csv')
  assert.equal(shownName('a\u2067b\u2069.csv'), 'a\ufffdb\ufffd.csv')
  assert.equal(shownName('נתונים.csv'), 'נתונים.csv')
})

test('percent() rounds, and tells a small share from none', () => {
  assert.deepEqual([0, 1 / 393, 0.005, 0.5, 1].map(percent), [
    '0\u00a0%',
    '<\u00a01\u00a0%',
    '1\u00a0%',
    '50\u00a0%',
    '100\u00a0%',
  ])
})

test('ago() says how long ago something was, and its day if that is a week ago', () => {
  const now = Date.UTC(2026, 10, 28, 12)
  const minute = 60_000
  const said = [-1, 0, 1, 59, 60, 1_439, 1_440, 10_079].map((minutes) => ago(now - minutes * minute, now))
  assert.deepEqual(said, [
    'jetzt',
    'jetzt',
    'vor 1 Min.',
    'vor 59 Min.',
    'vor 1 Std.',
    'vor 23 Std.',
    'gestern',
    'vor 6 Tagen',
  ])
  assert.match(ago(now - 8 * 1_440 * minute, now), /^20\.11\.2026$/)
})

test('remaining() counts whole days, and hours on the last two', () => {
  const hour = 3_600_000
  const said = [168, 49, 48, 1, 0.5, 0, -1].map((hours) => remaining(hours * hour, 0))
  assert.deepEqual(said, ['7 Tage', '2 Tage', '48 Stunden', '1 Stunde', '1 Stunde', '0 Stunden', '0 Stunden'])
})
