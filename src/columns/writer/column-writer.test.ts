// Tests of the column writer against DuckDB: the parts that both write have the same types, values and nulls.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { convertBySql } from '../../../test/support/sql/convert-sql.ts'
import { fitsExactly } from '../../../test/support/sql/lossless-sql.ts'
import { type ColumnFacts, nullWords } from '../../core/column-facts.ts'
import { randomFrom } from '../../core/random.testing.ts'
import type { ColumnType } from '../../core/receipt.ts'
import { openDuckDb } from '../../engine/duckdb/duckdb.ts'
import { literal, pathLiteral } from '../../engine/sql/sql-text.ts'
import { columnFormat, columnTypeName, decideTypes } from '../../reading/types/infer-types.ts'
import { scratchDir } from '../converter.testing.ts'
import type { TargetColumn } from '../converter.ts'
import type { WriterColumn } from './column-writer.ts'
import { csvText, factsOnly, layoutOf, seed, writeColumns } from './columns.testing.ts'
import { nastyTable } from './nasty-tables.testing.ts'
import { plainFacts } from './plain-facts.testing.ts'
import { examples, textsOfOtherForms } from './value-examples.testing.ts'

const duckDb = await openDuckDb({})

async function rows(sql: string): Promise<readonly (readonly unknown[])[]> {
  return (await duckDb.runAndReadAll(sql)).getRowsJson()
}

/** Counts by word and by class have no order; the oracle ignores how numbers are written. */
function sorted({ nullWords: words, classes, numberTexts: _, ...facts }: ColumnFacts): string {
  const lists = { nullWords: Object.entries(words).sort(), classes: Object.entries(classes).sort() }
  return JSON.stringify({ ...facts, ...lists })
}

/** Asserts the same cells, types and nulls, and correct statistics. */
async function assertSameParts(ours: string, theirs: string, names: readonly string[]): Promise<void> {
  const [our, their] = [`read_parquet(${pathLiteral(ours)})`, `read_parquet(${pathLiteral(theirs)})`]
  assert.deepEqual(await rows(`DESCRIBE FROM ${our}`), await rows(`DESCRIBE FROM ${their}`))
  const differ = names.map((name) => `count(*) FILTER (o."${name}"::VARCHAR IS DISTINCT FROM t."${name}"::VARCHAR)`)
  assert.deepEqual(
    (await rows(`SELECT ${differ.join(', ')} FROM ${our} o POSITIONAL JOIN ${their} t`))[0],
    names.map(() => '0'),
  )
  const statistics = (path: string) => `SELECT path_in_schema, sum(stats_null_count)::VARCHAR AS nulls
    FROM parquet_metadata(${literal(path)}) GROUP BY ALL ORDER BY ALL`
  assert.deepEqual(await rows(statistics(ours)), await rows(statistics(theirs)))
  for (const name of names) await assertTrueBounds(ours, name)
}

/** Asserts that readers miss nothing by skipping row groups because of the statistics. */
async function assertTrueBounds(path: string, name: string): Promise<void> {
  const table = `read_parquet(${pathLiteral(path)})`
  // The prefix keeps a byte order mark at the beginning of a text, which would be lost otherwise.
  const [bounds] = await rows(`SELECT '=' || min("${name}")::VARCHAR, '=' || max("${name}")::VARCHAR FROM ${table}`)
  const [least = null, greatest = null] = (bounds as [string | null, string | null]).map((one) => one?.slice(1) ?? null)
  for (const bound of [least, greatest]) {
    if (bound === null) continue
    const count = `SELECT count(*) > 0 FROM ${table} WHERE "${name}" = ${literal(bound)}`
    assert.deepEqual(await rows(count), [[true]], `${name}: ${bound}`)
  }
  const [stored] =
    await rows(`SELECT '=' || min(stats_min_value), '=' || max(stats_max_value), bool_and(min_is_exact AND max_is_exact)
    FROM parquet_metadata(${literal(path)}) WHERE path_in_schema = ${literal(name)} AND type = 'BYTE_ARRAY'
    HAVING bool_and(stats_min_value IS NOT NULL OR stats_null_count = num_values)`)
  if (least === null || greatest === null || stored?.[0] == null) return
  const [storedLeast, storedGreatest] = stored.map((one) => String(one).slice(1)) as [string, string]
  assert.ok(Buffer.compare(Buffer.from(storedLeast), Buffer.from(least)) <= 0, `${name}: ${storedLeast}, is ${least}`)
  assert.ok(Buffer.compare(Buffer.from(storedGreatest), Buffer.from(greatest)) >= 0, `${name}: ${storedGreatest}`)
  if (stored[2] === true) assert.deepEqual([storedLeast, storedGreatest], [least, greatest])
}

test('createColumnWriter() writes the types and values that DuckDB finds in the same records, and the facts of a plain parser', async (t) => {
  t.diagnostic(`SEED=${seed}`)
  const dir = scratchDir(t)
  const random = randomFrom(seed)
  const types = new Set<string>()
  for (let round = 0; round < 6; round++) {
    const records = 1 + random(round % 3 === 0 ? 3000 : 60)
    const width = 25
    const layout = layoutOf(width)
    const table = nastyTable(random, width, records)
    const text = csvText(table, layout, random)
    const wanted = plainFacts(table)
    // Thousands of row groups would take DuckDB a quarter of a minute, and show no more than hundreds.
    const sizes = { windowBytes: 4096 << random(10), rowGroupBytes: Math.max(records, 64 << random(15)) }
    const options = { layout, ...sizes, rowGroupRecords: 1 + random(records * 2) }
    const cut = () => 1 + random(5000)
    const { facts } = writeColumns(text, { ...options, columns: factsOnly(width) }, cut)
    assert.deepEqual(facts.map(sorted), wanted.map(sorted), `SEED=${seed}`)

    const targets = wanted.map((one, i): TargetColumn => ({ name: `n${i}`, ...decideTypes([one])[0]! }))
    const theirs = join(dir, 'theirs.parquet')
    const nulls = await convertBySql(duckDb, table, targets, theirs)
    const written = writeColumns(text, { ...options, columns: targets }, cut)
    assert.deepEqual(
      written.typeMismatches,
      targets.map(() => null),
      `SEED=${seed}`,
    )
    assert.equal(written.records, records)
    assert.equal(written.bytes, written.part.length)
    assert.deepEqual(written.facts.map(sorted), wanted.map(sorted), `SEED=${seed}`)
    assert.deepEqual(written.nulls, nulls)
    const ours = join(dir, 'ours.parquet')
    writeFileSync(ours, written.part)
    await assertSameParts(
      ours,
      theirs,
      targets.map(({ name }) => name),
    )
    for (const { type } of targets) types.add(`${columnTypeName(type)} ${columnFormat(type) ?? ''}`)
  }
  // The types depend on the seed; that most occur shows that the test can fail.
  assert.ok(types.size >= 10, [...types].join())
})

const plainTypes = (['integer', 'number', 'boolean', 'date', 'time', 'timestamp', 'timestamptz'] as const).map(
  (kind) => ({ kind }),
)

/** Whether a text is a value of a type. */
function fits(text: string, type: ColumnType): boolean {
  const layout = layoutOf(2)
  const columns: readonly WriterColumn[] = [
    { name: 'a', type, nullWords: [] },
    { name: 'b', type: { kind: 'text' }, nullWords: [] },
  ]
  return writeColumns(csvText([[text, 'x']], layout), { layout, columns }).typeMismatches[0] === null
}

test('createColumnWriter() accepts no text for a type it does not fit', () => {
  const none = [...examples.padded, ...examples.signed, ...examples.tooLong, ...examples.text, ...nullWords]
  for (const type of [...plainTypes, { kind: 'decimal', precision: 38, scale: 1 } as const]) {
    for (const text of none) assert.equal(fits(text, type), false, `${text} became ${type.kind}`)
  }
})

test('createColumnWriter() accepts a text for a type if and only if DuckDB does', async () => {
  const edges = [
    ...Object.values(examples).flat(),
    '9223372036854775807 9223372036854775808 -9223372036854775808 -9223372036854775809 -0 00 0.0 -0.0 0.00 -0.00 .5 5.',
    '1234567.89 12345678.90 -1234567.89 99999999999999999999 999999999999999999.9 0.123456789012345678 1.23e2 1E400',
    '12345678901234567890123456789012345.678 123456789012345678901234567890123456.78 0.1 0.10 0.100 -0.001 1.0000',
    '123456789012345 1234567890123456 12345678901234567 0.1234567890123456 0.12345678901234567 1e22 1e23 -1e-290',
    '2024-02-29 2023-02-29 2100-02-29 2000-02-29 1900-02-28 0000-12-31 0001-01-01 9999-12-31 2024-04-31 2024-13-01',
    '00:00:00 23:59:59 24:00:00 23:60:00 23:59:60 1:00:00 10:20 10:20:30.1 10:20:30.123456 10:20:30.1234567 10:20:30.',
    '2024-02-29T23:59:59 2024-02-29T24:00:00 2024-02-29T00:00:00Z 2024-02-29T00:00:00+24 2024-02-29T00:00:00+23:60',
  ].flatMap((line, i, lines) => (i < lines.length - 7 ? [line] : line.split(' ')))
  const decimals = [
    { kind: 'decimal', precision: 9, scale: 2 },
    { kind: 'decimal', precision: 18, scale: 1 },
    { kind: 'decimal', precision: 18, scale: 17 },
    { kind: 'decimal', precision: 38, scale: 2 },
    { kind: 'decimal', precision: 38, scale: 37 },
  ] as const
  const layout = layoutOf(edges.length)
  const list = edges.map(literal).join(', ')
  for (const type of [...plainTypes, ...decimals]) {
    const columns = edges.map((_, i) => ({ name: `n${i}`, type, nullWords: [] }))
    const { typeMismatches } = writeColumns(csvText([edges], layout), { layout, columns })
    const wanted = await rows(
      `SELECT coalesce(${fitsExactly(type, 'v')}, false) FROM (SELECT trim(unnest([${list}]), ' ') AS v)`,
    )
    for (const [i, text] of edges.entries())
      assert.equal(typeMismatches[i] === null, wanted[i]?.[0], `${text} as ${columnTypeName(type)}`)
  }
})

test('createColumnWriter() accepts no text in a format that it does not have', () => {
  for (const [type, texts] of textsOfOtherForms) {
    for (const text of texts) assert.equal(fits(text, type), false, `${text} became ${type.kind} ${columnFormat(type)}`)
  }
})

test('createColumnWriter() accepts a boolean in any spelling, or only in the given one', () => {
  const kind = 'boolean'
  for (const text of ['true', 'False', 'TRUE']) assert.ok(fits(text, { kind }), text)
  assert.deepEqual(
    ['true', 'false', 'True', 'FALSE'].map((text) => fits(text, { kind, spelling: 'true' })),
    [true, true, false, false],
  )
})
