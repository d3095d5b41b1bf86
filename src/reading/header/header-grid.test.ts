// Tests of headers whose names are numbers or dates: of a grid of tables few headers are lost, and none without a note.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomFrom } from '../../core/random.testing.ts'
import { readHead } from '../read-head.ts'

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
const random = randomFrom(seed)

/** Names of the second and further columns. */
const names: Readonly<Record<string, (at: number) => string>> = {
  ids: (at) => String(101 + at),
  years: (at) => String(1995 + at),
  dates: (at) => `2020-01-${22 + at}`,
  days: (at) => `0${at + 1}/02/2020`,
  counting: (at) => String(at + 1),
  times: (at) => `0${at}:00`,
  zips: (at) => String(10_115 + 317 * at),
  steps: (at) => String(10 * (at + 1)),
}
const firsts: readonly (readonly [name: string, value: (row: number) => string])[] = [
  ['date', (row) => `2023-01-0${row + 1}`],
  ['id', (row) => String(row + 1)],
  ['region', (row) => ['North', 'South', 'East', 'West'][row] ?? ''],
  ['country', (row) => ['DE', 'FR', 'IT', 'ES'][row] ?? ''],
]
const values: readonly (() => string)[] = [
  () => String(random(10)),
  () => String(random(1000)),
  () => (random(10_000) / 100).toFixed(2),
  () => String(1000 + random(9000)),
  () => `${random(100)}%`,
]

test(`readHead() loses few headers of numbers, and none without a note (SEED=${seed})`, () => {
  let lost = 0
  let tables = 0
  for (const name of Object.values(names)) {
    for (const [first, key] of firsts) {
      for (const columns of [1, 2, 3]) {
        for (const value of values) {
          const header = [first, ...Array.from({ length: columns }, (_, at) => name(at))]
          const rows = [0, 1, 2, 3].map((row) => [key(row), ...Array.from({ length: columns }, value)])
          const text = `${[header, ...rows].join('\n')}\n`
          const { headerFields, notes } = readHead(Buffer.from(text), true)
          tables += 1
          if (headerFields?.join() === header.join()) continue
          lost += 1
          assert.ok(
            notes.some(({ code }) => code === 'HEADER_UNCERTAIN'),
            text,
          )
        }
      }
    }
  }
  assert.equal(tables, 480)
  assert.ok(lost <= 20, `${lost} lost`)
})

test('readHead() takes records of whole numbers for no header, and says nothing of records that are alike', () => {
  for (const text of ['1,2,3\n4,5,6\n7,8,9\n', '10,20\n30,40\n50,60\n', '3,1\n4,1\n5,9\n2,6\n']) {
    assert.equal(readHead(Buffer.from(text), true).headerFields, null, text)
  }
  const alike = 'DE,5,1.5\nFR,7,2.5\nIT,9,3.5\nES,4,4.5\n'
  assert.deepEqual(
    readHead(Buffer.from(alike), true).notes.map(({ code }) => code),
    ['NO_HEADER'],
  )
})

test('readHead() takes a name above a number for a header, with gaps beside it', () => {
  const { headerFields } = readHead(Buffer.from(',,score\n2000,a,0.13\n2001,b,0.25\n2002,c,0.4\n'), true)
  assert.deepEqual(headerFields, ['', '', 'score'])
})

const markers = ['*', '(D)', ':', 'x', 'n.d.', '—', 'TBD', '..', '...', 'c', 'S', '†', 'n.a.', 'supp.']
test('readHead() keeps a first record whose figures are suppressed, and notes it', () => {
  for (const marker of markers) {
    const text = `area,emp,rate\nAnn Arbor,${marker},${marker}\nBoston,50,2.5\nChicago,60,3.5\nDallas,70,4.5\n`
    const { names: found, before, notes } = readHead(Buffer.from(text), true)
    assert.deepEqual([found, before.lines], [['area', 'emp', 'rate'], 1], marker)
    const isNull = ['..'].includes(marker)
    assert.equal(
      notes.some(({ code }) => code === 'HEADER_SECOND_LINE'),
      !isNull,
      marker,
    )
  }
})
