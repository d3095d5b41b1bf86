// Tests of finding repeats: any hashes, few keys in memory at once, and the same result whatever both are.
import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { randomFrom } from '../../core/random.testing.ts'
import { seed } from '../writer/columns.testing.ts'
import { findRepeats } from './find-repeats.ts'
import { chunkOf } from './key-chunk.testing.ts'
import { writerKeys } from './key-file.ts'

/** For each key its value; null for none. */
interface Row {
  readonly keys: readonly (number | null)[]
  readonly text: number
}
type Hash = (key: number, value: number) => readonly [number, number, number, number]

const strong: Hash = (key, value) => {
  const word = (salt: number) =>
    Math.imul(Math.imul(value + 1, 0x9e3779b1) ^ Math.imul(key + salt, 0x85ebca6b), 0xc2b2ae35)
  return [word(1), word(2), word(3), word(4)]
}

const hashes: Readonly<Record<string, Hash>> = {
  strong,
  'all in one bucket and place': (key, value) => [5, 7, key, value],
  'different in the last word only': (key, value) => [1, 1, 1, 1000 * key + value],
}

/** Row groups of 50 records. */
function run(dir: string, segments: readonly (readonly Row[])[], hash: Hash, keysMax: number) {
  const keyCount = segments[0]?.[0]?.keys.length ?? 0
  let records = 0
  const files = segments.map((rows, segment) => {
    const path = join(dir, `keys-${segment}`)
    writeFileSync(path, '')
    for (let from = 0; from < rows.length; from += 50) {
      const group = rows.slice(from, from + 50)
      for (let key = 0; key < keyCount; key++) {
        const entries = group.flatMap(({ keys, text }, i) => {
          const value = keys[key] ?? null
          return value === null ? [] : [[...hash(key, value), text, 0, from + i + 1, key]]
        })
        appendFileSync(path, chunkOf(entries))
      }
    }
    records += rows.length
    return { path, before: records - rows.length, count: rows.length }
  })
  const { counts, firsts } = findRepeats({ segments: files, keysMax }, new Int32Array(new SharedArrayBuffer(4)))
  assert.deepEqual(firsts, firsts.toSorted())
  return files.flatMap(({ path, before, count }, segment) => {
    if (counts[segment] === 0) return []
    const { repeated } = writerKeys({ columns: [], secret: [0n, 0n], path, areFound: true }, count)
    return Array.from({ length: count }, (_, i) => {
      const found = repeated!(i + 1)
      if (found === null) return ''
      assert.ok(firsts.includes(found.first))
      return `${before + i + 1}: key ${found.key} of ${found.first}${found.isSame ? ', same' : ''}`
    }).filter((one) => one !== '')
  })
}

function expected(segments: readonly (readonly Row[])[]): readonly string[] {
  const first = new Map<string, { readonly at: number; readonly text: number }>()
  return segments.flat().flatMap(({ keys, text }, i) => {
    const own = keys.flatMap((value, key) => (value === null ? [] : [`${key} ${value}`]))
    const repeated = own.find((one) => first.has(one))
    for (const one of own) if (!first.has(one)) first.set(one, { at: i + 1, text })
    if (repeated === undefined) return []
    const { at, text: other } = first.get(repeated)!
    return [`${i + 1}: key ${repeated.split(' ')[0]} of ${at}${other === text ? ', same' : ''}`]
  })
}

for (const [what, hash] of Object.entries(hashes)) {
  test(`findRepeats() with hashes ${what}, whatever fits into memory (SEED=${seed})`, (t) => {
    const dir = mkdtempSync(join(tmpdir(), 'find-repeats-'))
    t.after(() => rmSync(dir, { recursive: true }))
    const random = randomFrom(seed)
    for (const keyCount of [1, 3]) {
      const rows = (count: number) =>
        Array.from({ length: count }, (): Row => {
          const keys = Array.from({ length: keyCount }, () => (random(9) === 0 ? null : random(900)))
          return { keys, text: random(3) }
        })
      const segments = [rows(170), rows(0), rows(420), rows(1), rows(240)]
      const wanted = expected(segments)
      assert.ok(wanted.length > 100)
      for (const keysMax of [1, 7, 100, 1_000_000]) assert.deepEqual(run(dir, segments, hash, keysMax), wanted)
    }
  })
}

test('findRepeats() takes time in proportion to colliding keys that are the same', (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'find-repeats-'))
  t.after(() => rmSync(dir, { recursive: true }))
  const rows = Array.from({ length: 3_000 }, (): Row => ({ keys: [4], text: 1 }))
  const found = run(dir, [rows, rows], strong, 10)
  assert.equal(found.length, 5_999)
  assert.ok(found.every((one) => one.endsWith('key 0 of 1, same')))
})
