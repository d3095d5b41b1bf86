// Tests of exact typing: a typed value means what its text means.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { nullWords, valueClasses } from '../core/column-facts.ts'
import { randomFrom } from '../core/random.testing.ts'
import type { ColumnType, NumberForm } from '../core/receipt.ts'
import { columnFormat, columnTypeName, decideTypes } from '../reading/types/infer-types.ts'
import {
  csvText,
  layoutOf,
  never,
  scratchDir,
  seed,
  startConverter,
  startReader,
  writeSegment,
} from './converter.testing.ts'
import type { TargetColumn } from './converter.ts'
import { nastyTable } from './writer/nasty-tables.testing.ts'
import { plainFacts } from './writer/plain-facts.testing.ts'
import { examples, textsOfOtherForms } from './writer/value-examples.testing.ts'
import { instantOf, isKeptByDouble, isoOf, plainOf, trimBlanks } from './writer/value-oracle.testing.ts'

const converter = startConverter()
const reader = startReader()

test('each class has an example', () => {
  assert.deepEqual(Object.keys(examples).sort(), [...valueClasses].sort())
})

test('convert() accepts no text for a type it does not fit', async (t) => {
  const dir = scratchDir(t)
  const path = join(dir, 'part.parquet')
  const types = (['integer', 'number', 'boolean', 'date', 'time', 'timestamp', 'timestamptz'] as const).map((kind) => ({
    kind,
  }))
  const texts = [...examples.padded, ...examples.signed, ...examples.tooLong, ...examples.text, ...nullWords]
  for (const type of [...types, { kind: 'decimal', precision: 38, scale: 1 } as const]) {
    for (const text of texts) {
      const segment = writeSegment(dir, `"${text}"\n`, 1, layoutOf(1))
      const result = await converter.convert(segment, [{ name: 'a', type, nullWords: [] }], path, never)
      assert.equal(result.kind, 'typeMismatch', `${text} became ${type.kind}`)
    }
  }
  // `1e5` has no comma, so it counts as a number with a decimal point. Grouped numbers have no exponent.
  const type = { kind: 'number', form: { decimalChar: ',', groupChar: '\u00a0' } } as const
  for (const text of [...examples.number, '1\u00a0234e5', '1\u00a0234,5e3']) {
    const segment = writeSegment(dir, `"${text}"\n`, 1, layoutOf(1))
    const result = await converter.convert(segment, [{ name: 'a', type, nullWords: [] }], path, never)
    assert.equal(result.kind, 'typeMismatch', text)
  }
})

test('convert() keeps the meaning of every value in the type that decideType() found', async (t) => {
  t.diagnostic(`SEED=${seed}`)
  const dir = scratchDir(t)
  const path = join(dir, 'part.parquet')
  const random = randomFrom(seed)
  const types = new Set<string>()
  for (let round = 0; round < 15; round++) {
    const count = 1 + random(60)
    const table = nastyTable(random, 40, count)
    const layout = layoutOf(40)
    const segment = writeSegment(dir, csvText(table, layout), count, layout)
    // Each column alone: what one column proves about others is up to decideTypes().
    const targets = plainFacts(table).map((one, i): TargetColumn => ({ name: `n${i}`, ...decideTypes([one])[0]! }))
    const result = await converter.convert(segment, targets, path, never)
    assert.ok(result.kind === 'part', `SEED=${seed}: a type mismatch`)
    const names = targets.map(({ name }) => name)
    const rows = await reader.rows([{ path, records: count }], names, 0, count, never)
    for (const [i, target] of targets.entries()) {
      types.add(`${columnTypeName(target.type)} ${columnFormat(target.type) ?? ''}`)
      const texts = table
        .map((cells) => cells[i]!)
        .map((text) => (text !== null && target.nullWords.includes(trimBlanks(text)) ? null : text))
      assert.equal(result.nulls[i], texts.filter((text) => text === null).length)
      for (const [record, text] of texts.entries()) {
        const value = rows[record]![i]
        assert.ok(
          text === null ? value === null : meansTheSame(text, value, target.type),
          `SEED=${seed} ${text} became ${value} (${columnTypeName(target.type)})`,
        )
      }
    }
  }
  // The types depend on the seed; that most occur shows that the test can fail.
  assert.ok(types.size >= 16, [...types].join())
})

/** The text in the plain format of its type. */
function usualForm(text: string, type: ColumnType): string {
  if (!('form' in type) || type.form === undefined) return text
  const isDate = 'order' in type.form
  const usual = isDate
    ? isoOf(text, type.form, type.kind as 'date' | 'timestamp')
    : plainOf(text, type.form as NumberForm)
  assert.ok(usual !== null, `${text} is not in the format of its type`)
  return usual
}

function meansTheSame(written: string, value: unknown, type: ColumnType): boolean {
  const text = type.kind === 'text' ? written : usualForm(trimBlanks(written), type)
  switch (type.kind) {
    case 'text':
      return value === text
    case 'boolean':
      return value === (text.toLowerCase() === 'true')
    case 'integer':
      return typeof value === (Number.isSafeInteger(Number(text)) ? 'number' : 'string') && String(value) === text
    case 'decimal':
      return value === text
    case 'date':
      return value === text
    case 'time':
      return (
        value ===
        (text.length === 5 ? `${text}:00` : text).replace(/\.?0*$/, (zeros) => (text.includes('.') ? '' : zeros))
      )
    case 'number':
      // Zero has no sign.
      return typeof value === 'number' && !Object.is(value, -0) && value === Number(text) && isKeptByDouble(text)
    case 'timestamp':
      return (
        /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?$/.test(String(value)) && instantOf(String(value)) === instantOf(text)
      )
    case 'timestamptz':
      return (
        /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(String(value)) && instantOf(String(value)) === instantOf(text)
      )
  }
}

test('convert() accepts a boolean in any spelling, or only in the given one', async (t) => {
  const dir = scratchDir(t)
  const path = join(dir, 'part.parquet')
  const segment = writeSegment(dir, 'true\nFalse\nTRUE\n', 3, layoutOf(1))
  const kind = 'boolean' as const
  const any = await converter.convert(segment, [{ name: 'a', type: { kind }, nullWords: [] }], path, never)
  assert.equal(any.kind, 'part')
  assert.deepEqual(await reader.rows([{ path, records: 3 }], ['a'], 0, 3, never), [[true], [false], [true]])
  const one = [{ name: 'a', type: { kind, spelling: 'true' as const }, nullWords: [] }]
  assert.equal((await converter.convert(segment, one, path, never)).kind, 'typeMismatch')
})

test('convert() accepts no text in a format that it does not have', async (t) => {
  const dir = scratchDir(t)
  const path = join(dir, 'part.parquet')
  for (const [type, texts] of textsOfOtherForms) {
    for (const text of texts) {
      const segment = writeSegment(dir, `"${text}"\n`, 1, layoutOf(1))
      const result = await converter.convert(segment, [{ name: 'a', type, nullWords: [] }], path, never)
      assert.equal(result.kind, 'typeMismatch', `${text} became ${type.kind} ${columnFormat(type)}`)
    }
  }
})
