// Tests of joinParts(): joined parts have the records that they have alone.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { ValueClass } from '../../core/column-facts.ts'
import { randomFrom } from '../../core/random.testing.ts'
import { openDuckDb } from '../../engine/duckdb/duckdb.ts'
import { decideTypes } from '../../reading/types/infer-types.ts'
import { csvText, factsOnly, layoutOf, seed, type Table, writeColumns } from './columns.testing.ts'
import { footerLength, joinParts } from './join-parts.ts'
import { examples } from './value-examples.testing.ts'

const duckDb = await openDuckDb({})
/** A column of each class, one of text, and one without values. */
const classes = Object.keys(examples) as ValueClass[]
const width = classes.length + 2
const layout = layoutOf(width)

/** A part with columns of every type. */
function writePart(table: Table, rowGroupRecords: number, like: Table = table) {
  const text = csvText(table, layout)
  const { facts } = writeColumns(csvText(like, layout), { layout, columns: factsOnly(width) })
  const columns = decideTypes(facts).map(({ type, nullWords }, i) => ({ name: `\ufeffn${i} ä`, type, nullWords }))
  const { part, isWritten } = writeColumns(text, { layout, columns, rowGroupRecords })
  assert.ok(isWritten.every(Boolean))
  return part
}

function footerOf(part: Uint8Array): Uint8Array {
  return part.subarray(part.length - footerLength(part))
}

test('joinParts() makes one file of the records of all parts, of which any range is at hand', async (t) => {
  t.diagnostic(`SEED=${seed}`)
  const dir = mkdtempSync(join(tmpdir(), 'joined-parts-'))
  t.after(() => rmSync(dir, { recursive: true }))
  const rowsOf = async (bytes: Uint8Array, name: string) => {
    writeFileSync(join(dir, name), bytes)
    return (await duckDb.runAndReadAll(`SELECT * FROM read_parquet('${join(dir, name)}')`)).getRowsJson()
  }
  const random = randomFrom(seed)
  const tables = [50, 1, 70, 30].map((records, part) =>
    Array.from({ length: records }, (__, i) => [
      ...classes.map((name) => examples[name][(i + part) % examples[name].length]!),
      `part ${part} record ${i} ${'x'.repeat(random(200))}`,
      null,
    ]),
  )
  const parts = tables.map((table) => writePart(table, 1 + random(table.length), tables[0]))
  const described = parts.map((part) => ({ bytes: part.length, footer: footerOf(part) }))
  const { bytes, spansOf } = joinParts(described)
  const rangeOf = (start: number, end: number) =>
    Buffer.concat(
      spansOf({ start, end }).map((span) =>
        'part' in span ? parts[span.part]!.subarray(span.start, span.end) : span.bytes,
      ),
    )
  const whole = rangeOf(0, bytes)
  assert.equal(whole.length, bytes)
  const rows = []
  for (const [i, part] of parts.entries()) rows.push(...(await rowsOf(part, `${i}.parquet`)))
  assert.deepEqual(await rowsOf(whole, 'joined.parquet'), rows)
  for (let round = 0; round < 500; round++) {
    const start = random(bytes)
    const end = start + 1 + random(Math.min(bytes - start, round % 2 === 0 ? 10 : bytes))
    assert.ok(rangeOf(start, end).equals(whole.subarray(start, end)), `${start} to ${end}`)
  }
})

test('joinParts() joins no parts of other columns, or with footers that it does not know', () => {
  const layouts = [layoutOf(1), layoutOf(2)]
  const [one, two] = layouts.map((of) => {
    const columns = Array.from({ length: of.width }, (_, i) => ({ name: `${i}`, type: { kind: 'text' as const } }))
    const typed = columns.map((column) => ({ ...column, nullWords: [] }))
    return writeColumns(csvText([of.width === 1 ? ['a'] : ['a', 'b']], of), { layout: of, columns: typed }).part
  }) as unknown as [Uint8Array, Uint8Array]
  const describe = (part: Uint8Array) => ({ bytes: part.length, footer: footerOf(part) })
  assert.throws(() => joinParts([describe(one), describe(two)]), RangeError)
  const footer = Uint8Array.from(footerOf(two))
  footer[3]! ^= 1
  assert.throws(() => joinParts([describe(two), { bytes: two.length, footer }]), RangeError)
})
