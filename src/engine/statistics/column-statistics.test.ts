// Tests of column statistics: the figures match the values, for every type, also at the ends of its range.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import {
  csvText,
  layoutOf,
  never,
  scratchDir,
  startConverter,
  startReader,
  writeSegment,
} from '../../columns/converter.testing.ts'
import type { TargetColumn } from '../../columns/converter.ts'
import type { ColumnType } from '../../core/receipt.ts'
import { openDuckDb } from '../duckdb/duckdb.ts'
import type { ColumnStatistics, NumericStatistics } from '../part-reader.ts'
import { literal } from '../sql/sql-text.ts'

const converter = startConverter()
const reader = startReader()

/** The statistics of one column with these values, spread over parts. */
async function measured(
  t: TestContext,
  kind: ColumnType['kind'],
  ...values: readonly (readonly (string | null)[])[]
): Promise<ColumnStatistics> {
  const dir = scratchDir(t)
  const type: ColumnType = kind === 'decimal' ? { kind, precision: 38, scale: 2 } : { kind }
  const columns: readonly TargetColumn[] = [
    { name: 'n"', type, nullWords: [] },
    { name: 'other', type: { kind: 'text' }, nullWords: [] },
  ]
  const parts: { path: string; records: number }[] = []
  for (const [i, some] of values.entries()) {
    const path = join(dir, `part-${i}.parquet`)
    const text = csvText(
      some.map((value) => [value, 'x']),
      layoutOf(2),
    )
    const segment = writeSegment(dir, text, some.length, layoutOf(2), `segment-${i}.csv`)
    assert.equal((await converter.convert(segment, columns, path, never)).kind, 'part')
    parts.push({ path, records: some.length })
  }
  const [other, statistics] = await reader.measure(parts, ['other', 'n"'], never)
  assert.equal(other?.column_name, 'other')
  assert.equal(statistics?.column_name, 'n"')
  return statistics
}

/** The statistics of numbers, lengths or instants, which have a histogram. */
function figures({ column_statistics }: ColumnStatistics): NumericStatistics {
  assert.ok('histogram' in column_statistics)
  return column_statistics
}

test('measure() is correct at the ends of the integer range, with the bounds as text', async (t) => {
  const [least, greatest] = ['-9223372036854775808', '9223372036854775807']
  const seen = figures(await measured(t, 'integer', [least, '0', greatest]))
  assert.deepEqual([seen.min, seen.max], [least, greatest])
  assert.equal(
    seen.histogram?.hist.reduce((sum, one) => sum + one, 0),
    3,
  )
  assert.equal(seen.histogram?.bin_edges.at(-1), greatest)
  const one = figures(await measured(t, 'integer', [greatest, greatest]))
  assert.deepEqual(one.histogram, { hist: [2], bin_edges: [greatest, greatest] })
  assert.equal(one.std, 0)
})

test('measure() is correct at the ends of the double range', async (t) => {
  const seen = figures(await measured(t, 'number', ['-1e290', '1e290', '0', null]))
  assert.deepEqual([seen.min, seen.max, seen.median], [-1e290, 1e290, 0])
  assert.ok(Number.isFinite(seen.std) && Math.abs(Number(seen.mean)) < 1e280)
  assert.deepEqual(seen.histogram?.hist, [1, 0, 0, 0, 0, 1, 0, 0, 0, 1])
  const tiny = figures(await measured(t, 'number', ['1e-290', '0']))
  assert.equal(
    tiny.histogram?.hist.reduce((sum, one) => sum + one, 0),
    2,
  )
  const same = figures(await measured(t, 'number', ['0.1']))
  assert.deepEqual([same.mean, same.std, same.histogram], [0.1, null, { hist: [1], bin_edges: [0.1, 0.1] }])
})

test('measure() returns decimals as numbers', async (t) => {
  const statistics = await measured(t, 'decimal', ['1.50', '2.50', '-4.00'])
  const seen = figures(statistics)
  assert.equal(statistics.column_type, 'float')
  assert.deepEqual([seen.min, seen.max, seen.mean, seen.n_unique], [-4, 2.5, 0, 3])
})

test('measure() returns no mean beyond the values', async (t) => {
  for (const kind of ['number', 'decimal'] as const) {
    const value = kind === 'number' ? '0.1' : '99999999999999999999999999999999999.07'
    const { min, max, mean, std } = figures(await measured(t, kind, new Array<string>(30_000).fill(value)))
    assert.deepEqual([min, mean, max], [Number(value), Number(value), Number(value)])
    assert.equal(std, 0)
  }
})

test('measure() counts booleans, and texts if few are different', async (t) => {
  const truths = await measured(t, 'boolean', ['true', 'false', 'true', null])
  assert.deepEqual(truths, {
    column_name: 'n"',
    column_type: 'bool',
    column_statistics: { nan_count: 1, nan_proportion: 0.25, frequencies: { true: 2, false: 1 } },
  })
  const labels = await measured(t, 'text', ['red', '__proto__', 'red', '', null, '\ufeff', '"'])
  assert.equal(labels.column_type, 'string_label')
  const { frequencies, ...others } = labels.column_statistics as { frequencies: object }
  assert.deepEqual(Object.entries(frequencies).sort(), [
    ['"', 1],
    ['', 1],
    ['__proto__', 1],
    ['red', 2],
    ['\ufeff', 1],
  ])
  assert.deepEqual(others, {
    nan_count: 1,
    nan_proportion: 1 / 7,
    no_label_count: 0,
    no_label_proportion: 0,
    n_unique: 5,
  })
})

test('measure() measures the lengths of texts if there are more than 30, or long ones', async (t) => {
  const texts = (count: number) => Array.from({ length: count }, (_, i) => `😀${'x'.repeat(i % 5)}${i}`)
  assert.equal((await measured(t, 'text', texts(30))).column_type, 'string_label')
  const many = await measured(t, 'text', texts(31))
  assert.equal(many.column_type, 'string_text')
  assert.deepEqual([figures(many).min, figures(many).max, figures(many).n_unique], [2, 7, 31])
  const long = await measured(t, 'text', ['x'.repeat(1_001), 'y'])
  assert.deepEqual([long.column_type, figures(long).max], ['string_text', 1_001])
})

test('measure() returns dates and times as they are written', async (t) => {
  const dates = await measured(t, 'date', ['2024-02-28', '2024-03-01', '2024-02-28', '2024-03-01'])
  assert.equal(dates.column_type, 'datetime')
  const seen = figures(dates)
  assert.deepEqual(
    [seen.min, seen.max, seen.mean, seen.median],
    ['2024-02-28', '2024-03-01', '2024-02-29', '2024-02-29'],
  )
  assert.equal(seen.std, '1 day, 3:42:46.126516')
  assert.deepEqual(seen.histogram, {
    hist: [2, 0, 2],
    bin_edges: ['2024-02-28', '2024-02-29', '2024-03-01', '2024-03-01'],
  })
  const odd = figures(await measured(t, 'date', ['2024-02-28', '2024-02-29']))
  assert.equal(odd.mean, '2024-02-28 12:00:00')
  const stamps = figures(await measured(t, 'timestamp', ['0001-01-01 00:00:00', '9999-12-31 23:59:59.999999']))
  assert.deepEqual([stamps.min, stamps.max], ['0001-01-01 00:00:00', '9999-12-31 23:59:59.999999'])
  const instants = figures(await measured(t, 'timestamptz', ['1969-12-31T23:59:59.5Z', '1969-12-31T23:59:59.5Z']))
  assert.deepEqual(
    [instants.min, instants.median, instants.std],
    ['1969-12-31T23:59:59.5Z', '1969-12-31T23:59:59.5Z', '0:00:00'],
  )
  assert.equal((await measured(t, 'time', ['10:20:30'])).column_type, 'string_label')
})

test('measure() has nulls for a column without values', async (t) => {
  for (const kind of ['integer', 'number', 'text', 'date'] as const) {
    const { column_statistics: seen } = await measured(t, kind, [null, null])
    const { nan_count, nan_proportion, n_unique, approximate, ...others } = seen as NumericStatistics
    assert.deepEqual([nan_count, nan_proportion, n_unique, approximate], [2, 1, 0, []])
    assert.ok(Object.values(others).every((one) => one === null))
  }
  const truths = await measured(t, 'boolean', [null])
  assert.deepEqual(truths.column_statistics, { nan_count: 1, nan_proportion: 1, frequencies: { true: 0, false: 0 } })
})

test('measure() is exact beyond 100,000 records, too', async (t) => {
  const numbers = Array.from({ length: 100_001 }, (_, i) => String(i))
  const seen = figures(await measured(t, 'integer', numbers))
  assert.deepEqual([seen.approximate, seen.n_unique, seen.median], [[], 100_001, 50_000])
  assert.deepEqual([seen.min, seen.max, seen.mean], [0, 100_000, 50_000])
  const texts = numbers.map((_, i) => 'x'.repeat(i % 40))
  const lengths = figures(await measured(t, 'text', texts, [null, 'ä'.repeat(5000)]))
  assert.deepEqual([lengths.approximate, lengths.n_unique], [[], 41])
  assert.deepEqual([lengths.nan_count, lengths.min, lengths.max, lengths.median, lengths.q75], [1, 0, 5000, 19.5, 30])
  assert.deepEqual(lengths.histogram?.hist, [100_001, 0, 0, 0, 0, 0, 0, 0, 0, 1])
})

test('measure() returns the same for a column alone and among others, in small and large datasets', async (t) => {
  const dir = scratchDir(t)
  const duckdb = await openDuckDb({})
  const named = {
    // Names that are also aliases in our statements.
    one: 'row * 7919 % 100_003',
    times: "'label ' || row % 23",
    bin: 'row % 3 = 0',
    ratio: 'sin(row) * 1e300',
    amount: 'CAST(row % 9_973 AS DECIMAL(9, 2)) / 100',
    at: "TIMESTAMP '2024-01-01' + INTERVAL 1 HOUR * (row % 5_000)",
    day: "DATE '2024-01-01' + CAST(row % 900 AS INTEGER)",
    text: "repeat('x', CAST(row % 50 AS INTEGER))",
    empty: 'CAST(NULL AS BIGINT)',
    same: '1.5::DOUBLE',
  }
  const values = Object.entries(named).map(([name, value]) => `CASE WHEN row % 11 > 0 THEN ${value} END AS "${name}"`)
  for (const records of [1_000, 100_001]) {
    const path = join(dir, `part-${records}.parquet`)
    const rows = `SELECT ${values.join(', ')} FROM range(${records}) r(row)`
    await duckdb.run(`COPY (${rows}) TO ${literal(path)} (FORMAT parquet)`)
    const together = await reader.measure([{ path, records }], Object.keys(named), never)
    for (const [i, name] of Object.keys(named).entries()) {
      const [alone] = await reader.measure([{ path, records }], [name], never)
      assert.deepEqual(alone, together[i], `${name} ${records}`)
    }
    const [first] = together
    const statistics = figures(first ?? assert.fail())
    const counted = statistics.histogram?.hist.reduce((sum, count) => sum + count, 0)
    assert.equal(counted, records - statistics.nan_count)
  }
  duckdb.closeSync()
})
