// Tests of typed parts: which parts are rewritten when types change, and which of their columns are copied.
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Converter, ConvertOptions, TargetColumn } from '../../columns/converter.ts'
import type { ColumnFacts, ValueClass } from '../../core/column-facts.ts'
import { TypedParts } from './typed-parts.ts'

const options = { violationsPath: '/violations' }
const never = new AbortController().signal
const names = ['a', 'b', 'c']

interface Call {
  readonly columns: readonly TargetColumn[]
  readonly toPath: string
  readonly options: ConvertOptions | undefined
}

/** A converter that records its calls, and omits the columns in `missing`. */
function recordingConverter(calls: Call[], missing: readonly string[] = []) {
  const convert: Converter['convert'] = async (segment, columns, toPath, _, options) => {
    calls.push({ columns, toPath, options })
    await writeFile(toPath, `${calls.length}`)
    const isWritten = columns.map(({ name }) => !missing.includes(name))
    const part = { bytes: 1, records: segment.records, sha256: `${calls.length}` }
    const made = { part, nulls: columns.map(() => calls.length), checksums: Buffer.alloc(0) }
    const seen = { facts: [], violations: 0 }
    return isWritten.every(Boolean) || options?.older !== undefined
      ? { kind: 'part', ...seen, ...made }
      : { kind: 'typeMismatch', typeMismatches: [], ...seen, rest: { ...made, isWritten } }
  }
  // Nothing else is called.
  return { convert } as Converter
}

function factsOf(counts: Partial<Record<ValueClass, number>>, words: Record<string, number> = {}): ColumnFacts {
  const classes = Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, { count, first: [1] }]))
  return { records: 10, nulls: 0, nullWords: words, classes }
}

const integers = factsOf({ integer: 10 })
const dates = factsOf({ date: 10 })
const mixed = factsOf({ integer: 9, text: 1 })
const textsWithWord = factsOf({ text: 9 }, { NA: 1 })
const withWord = factsOf({ integer: 9 }, { NA: 1 })

const basis = (facts: readonly ColumnFacts[], isFinal = true) => ({
  names,
  facts,
  declared: [null, null, null],
  isFinal,
})

const draftIn = (dir: string) => ({ dir, folder: async () => dir, grew() {}, finished() {} })

async function setUp(t: TestContext) {
  const dir = await mkdtemp(join(tmpdir(), 'typed-parts-'))
  t.after(() => rm(dir, { recursive: true }))
  await mkdir(join(dir, 'data'))
  const layout = { width: 3, delimiter: ',', quote: '"', escape: null, lineTerminator: '\n' } as const
  const item = {
    kind: 'accepted',
    index: 0,
    segment: { path: join(dir, 's'), records: 10, bytes: 100, layout },
  } as const
  return {
    dir,
    item,
    typed: new TypedParts(draftIn(dir), basis([integers, dates, integers], false)),
    calls: [] as Call[],
  }
}

test('convertChanged() rewrites the changed columns of a part, and copies the others', async (t) => {
  const { dir, item, typed, calls } = await setUp(t)
  const converter = recordingConverter(calls)
  await typed.convert(item, options, converter, never)
  typed.decide(basis([integers, mixed, integers]))
  assert.equal(await typed.convertChanged(item, [integers, dates, integers], converter, never), true)
  const path = join(dir, 'data', 'part-00000.parquet')
  assert.deepEqual(calls[1]?.options?.older, { path, kept: [0, null, 2] })
  assert.notEqual(calls[1]?.toPath, path, 'the older part must exist while it is read')
  assert.equal(await readFile(path, 'utf8'), '2')
  assert.deepEqual(
    typed.parts.list().map(({ sha256 }) => sha256),
    ['2'],
  )
  assert.deepEqual(
    typed.described(10, undefined).columns.map(({ type, nulls }) => [type, nulls]),
    [
      ['integer', 1],
      ['text', 2],
      ['integer', 1],
    ],
  )
})

test('convertChanged() leaves a part unchanged if its columns match the decision', async (t) => {
  const { item, typed, calls } = await setUp(t)
  const converter = recordingConverter(calls)
  await typed.convert(item, options, converter, never)
  // The null word is in another segment.
  typed.decide(basis([withWord, dates, integers]))
  assert.equal(await typed.convertChanged(item, [integers, dates, integers], converter, never), true)
  assert.equal(calls.length, 1)
  assert.equal(await typed.convertChanged(item, [withWord, dates, integers], converter, never), true)
  assert.deepEqual(calls[1]?.options?.older?.kept, [null, 1, 2])
})

test('convertChanged() copies a text column in which a null word is a value', async (t) => {
  const { dir, item, calls } = await setUp(t)
  const typed = new TypedParts(draftIn(dir), basis([textsWithWord, dates, integers], false))
  const converter = recordingConverter(calls)
  await typed.convert(item, options, converter, never)
  typed.decide(basis([textsWithWord, mixed, integers]))
  assert.equal(await typed.convertChanged(item, [textsWithWord, dates, integers], converter, never), true)
  assert.deepEqual(calls[1]?.options?.older?.kept, [0, null, 2])
})

test('convertChanged() counts places without the columns that the part lacks', async (t) => {
  const { item, typed, calls } = await setUp(t)
  const facts = [integers, mixed, integers]
  await typed.convert(item, options, recordingConverter(calls, ['b']), never)
  typed.decide(basis(facts))
  const converter = recordingConverter(calls)
  assert.equal(await typed.convertChanged(item, facts, converter, never), true)
  assert.deepEqual(calls[1]?.options?.older?.kept, [0, null, 1])
  assert.equal(await typed.convertChanged(item, facts, converter, never), true)
  assert.equal(calls.length, 2)
})

test('TypedParts decides once how texts are compressed, from the first types', async (t) => {
  const { dir, item } = await setUp(t)
  const fastCompression = async (typed: TypedParts) => {
    const calls: Call[] = []
    await typed.convert(item, options, recordingConverter(calls), never)
    return calls[0]?.columns.map((target) => target.fastCompression ?? false)
  }
  const few = new TypedParts(draftIn(dir), basis([integers, dates, mixed], false))
  assert.deepEqual(await fastCompression(few), [false, false, true])
  few.decide(basis([mixed, dates, mixed]))
  assert.deepEqual(await fastCompression(few), [true, false, true])
  const many = new TypedParts(draftIn(dir), basis([mixed, dates, mixed], false))
  assert.deepEqual(await fastCompression(many), [false, false, false])
  many.decide(basis([integers, dates, mixed]))
  assert.deepEqual(await fastCompression(many), [false, false, false])
  // A decision on the whole first segment replaces the one on its sample.
  many.decideFirst(basis([integers, dates, mixed]))
  assert.deepEqual(await fastCompression(many), [false, false, true])
})
