// Tests of columns copied from an older part: the result is, byte for byte, the part that a complete rewrite produces.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ValueClass } from '../../core/column-facts.ts'
import { type Random, randomFrom } from '../../core/random.testing.ts'
import { decideTypes } from '../../reading/types/infer-types.ts'
import type { OlderPart, WriterColumn } from './column-writer.ts'
import { csvText, layoutOf, seed, type Table, writeColumns } from './columns.testing.ts'
import { readRowGroups } from './older-part.ts'
import { examples } from './value-examples.testing.ts'

const width = 9
const layout = layoutOf(width)

/** Columns of one class with occasional values of another; the last column keeps records from being blank. */
function randomTable(random: Random, records: number): Table {
  const classes = Object.keys(examples) as ValueClass[]
  const columns = Array.from({ length: width - 1 }, () => {
    const main = examples[classes[random(classes.length)]!]
    const side = examples[classes[random(classes.length)]!]
    const oddFrom = random(3) === 0 ? records - 1 - random(records) : records
    return Array.from({ length: records }, (_, i) => {
      const from = i >= oddFrom && random(4) === 0 ? side : main
      return random(6) === 0 ? null : from[random(from.length)]!
    })
  })
  return Array.from({ length: records }, (_, i) => [...columns.map((column) => column[i]!), `record ${i}`])
}

function olderOf(part: Uint8Array): OlderPart {
  return { bytes: part.length, read: (byteOffset, count) => part.subarray(byteOffset, byteOffset + count) }
}

function columnsFor(table: Table): readonly WriterColumn[] {
  const { facts } = writeColumns(csvText(table, layout), {
    layout,
    columns: Array.from({ length: width }, (_, i) => ({ name: `n${i}`, type: null, nullWords: [] })),
  })
  return decideTypes(facts).map(({ type, nullWords }, i) => ({ name: `n${i}`, type, nullWords }))
}

/** The wanted columns; those that the older part has with the same type and null words are marked as kept. */
function keeping(wanted: readonly WriterColumn[], older: readonly WriterColumn[], isWritten: readonly boolean[]) {
  let place = 0
  return wanted.map((column, i) => {
    if (!isWritten[i]) return column
    const kept = place++
    return JSON.stringify(older[i]) === JSON.stringify(column) ? { ...column, kept } : column
  })
}

test('createColumnWriter() writes the same part with copied columns as without', (t) => {
  t.diagnostic(`SEED=${seed}`)
  const random = randomFrom(seed)
  const seen = { kept: 0, changed: 0, missing: 0 }
  for (let round = 0; round < 60; round++) {
    const records = 2 + random(300)
    const table = randomTable(random, records)
    const text = csvText(table, layout)
    const options = { layout, rowGroupRecords: 1 + random(records * 2), rowGroupBytes: 64 << random(10) }
    const guessed = columnsFor(table.slice(0, 1 + random(records)))
    const first = writeColumns(text, { ...options, columns: guessed })
    // A value in another part may have made a column text.
    const asText = { kind: 'text' } as const
    const wanted = columnsFor(table).map((one) => (random(5) === 0 ? { ...one, type: asText, nullWords: [] } : one))
    const anew = writeColumns(text, { ...options, columns: wanted })
    const columns = keeping(wanted, guessed, first.isWritten)
    const again = writeColumns(text, { ...options, columns, older: olderOf(first.part) })
    assert.ok(again.part.equals(anew.part), `SEED=${seed} round ${round}`)
    assert.deepEqual(again.nulls, anew.nulls)
    assert.deepEqual(again.rowGroups, anew.rowGroups)
    assert.deepEqual(readRowGroups(olderOf(again.part)), anew.rowGroups)
    for (const [i, column] of columns.entries()) {
      if (!first.isWritten[i]) seen.missing++
      else if (column.kept === undefined) seen.changed++
      else seen.kept++
    }
  }
  assert.ok(seen.kept > 50 && seen.changed > 5 && seen.missing > 5, JSON.stringify(seen))
})

test('createColumnWriter() refuses to copy columns of an invalid part or one with other records', (t) => {
  t.diagnostic(`SEED=${seed}`)
  const random = randomFrom(seed)
  const table = randomTable(random, 100)
  const columns = columnsFor(table)
  const options = { layout, columns, rowGroupRecords: 30 }
  const { part } = writeColumns(csvText(table, layout), options)
  const keep = (older: Uint8Array, records: Table) =>
    writeColumns(csvText(records, layout), {
      ...options,
      columns: columns.map((column, i) => (i === 0 ? column : { ...column, kept: i })),
      older: olderOf(older),
    })
  assert.equal(keep(part, table).records, 100)
  for (const records of [1, 29, 30, 31, 60, 99]) {
    assert.throws(() => keep(part, table.slice(0, records)), /the older part has other records/)
  }
  assert.throws(() => keep(part, [...table, ...table]), /the older part has other records/)
  const narrow = writeColumns(csvText(table, layout), {
    ...options,
    columns: columns.map((c, i) => (i < 3 ? c : { ...c, type: null })),
  })
  assert.throws(() => keep(narrow.part, table), /the older part has other records/)
  for (let end = part.length - 1; end > part.length - 400; end -= 7) {
    assert.throws(() => keep(part.subarray(0, end), table), Error, `cut at ${end}`)
  }
})
