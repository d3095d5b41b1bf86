// Tests of finding repeats: any hashes, few keys in memory at once, and the same result whatever both are.
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { seed } from '../../columns/columns.testing.ts'
import { chunkOf } from '../../columns/rules/key-entries.ts'
import { randomFrom } from '../../core/random.testing.ts'
import { findRepeats } from './find-repeats.ts'
import { WordFile } from './key-file.ts'

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
  const paths = segments.map((rows, segment) => {
    const path = join(dir, `keys-${segment}`)
    using file = new WordFile(path, 'w')
    for (let from = 0; from < rows.length; from += 50) {
      const group = rows.slice(from, from + 50)
      for (let key = 0; key < keyCount; key++) {
        const entries = group.flatMap(({ keys, text }) => {
          const value = keys[key] ?? null
          return [...hash(key, value ?? 0), text, 0, Number(value !== null), 0]
        })
        file.append(chunkOf(Uint32Array.from(entries), Uint32Array.from(group.keys().map((i) => from + i + 1)), key))
      }
    }
    return path
  })
  const job = { paths, records: 1, repeatedPath: join(dir, 'repeated'), holdersPath: join(dir, 'holders'), keysMax }
  const { segments: ranges } = findRepeats(job)
  const words = (path: string) => new Uint32Array(Uint8Array.from(readFileSync(path)).buffer)
  const held = words(job.holdersPath)
  const holders = new Map<number, string>()
  for (let at = 0; at < held.length; at += 3) holders.set(held[at + 2]!, `${held[at]} ${held[at + 1]}`)
  const repeated = words(job.repeatedPath)
  return ranges.flatMap((range, segment) =>
    Array.from({ length: range?.count ?? 0 }, (_, i) => {
      const [record, what = 0, slot = 0] = repeated.subarray(3 * (range!.from + i))
      return `${segment} ${record}: key ${what >> 1} of ${holders.get(slot)}${what % 2 === 1 ? ', same' : ''}`
    }),
  )
}

function expected(segments: readonly (readonly Row[])[]): readonly string[] {
  const first = new Map<string, { readonly at: string; readonly text: number }>()
  return segments.flatMap((rows, segment) =>
    rows.flatMap(({ keys, text }, i) => {
      const own = keys.map((value, key) => (value === null ? null : `${key} ${value}`))
      const key = own.findIndex((one) => one !== null && first.has(one))
      const holder = first.get(own[key] ?? '')
      if (holder !== undefined)
        return [`${segment} ${i + 1}: key ${key} of ${holder.at}${holder.text === text ? ', same' : ''}`]
      for (const one of own) if (one !== null) first.set(one, { at: `${segment} ${i + 1}`, text })
      return []
    }),
  )
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
      assert.deepEqual(
        readdirSync(dir).filter((name) => name.includes('members')),
        [],
      )
    }
  })
}

test('findRepeats() takes time in proportion to colliding keys that are the same', (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'find-repeats-'))
  t.after(() => rmSync(dir, { recursive: true }))
  const rows = Array.from({ length: 3_000 }, (): Row => ({ keys: [4], text: 1 }))
  const found = run(dir, [rows, rows], strong, 10)
  assert.equal(found.length, 5_999)
  assert.ok(found.every((one) => one.endsWith('key 0 of 0 1, same')))
})
