// Tests of column statistics against SQL that holds every value, for distributions in which estimates go wrong.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { scratchDir } from '../../columns/converter.testing.ts'
import { openDuckDb } from '../duckdb/duckdb.ts'
import type { NumericStatistics } from '../part-reader.ts'
import { identifier, literal } from '../sql/sql-text.ts'
import { type ExactLimits, measure } from './column-statistics.ts'

const records = 150_000
const random = (name: string) => `(hash(row, ${literal(name)}) % 1000003 / 1000003.0)`

/** Awkward distributions of numbers: values of a row by their names. */
const numbers: Readonly<Record<string, string>> = {
  'dense integers': 'row % 365',
  'one in seven missing': 'CASE WHEN row % 7 > 0 THEN row % 1000 END',
  'all different': 'row',
  'all different, descending': `${records} - row`,
  'two values': 'CASE WHEN row % 2 = 0 THEN 1 ELSE 1000000 END',
  'one value': '42',
  'one value and one other': 'CASE WHEN row = 77 THEN 9 ELSE 4 END',
  'mostly zero': `CASE WHEN ${random('a')} < 0.7 THEN 0 ELSE CAST(${random('b')} * 100000 AS BIGINT) END`,
  'just half zero': 'CASE WHEN row % 2 = 0 THEN 0 ELSE row END',
  'heavy tail': `CAST(1 / (${random('c')} + 0.000001) AS BIGINT)`,
  squares: 'row * row',
  'ends of the range': 'CASE row % 3 WHEN 0 THEN -9223372036854775807 WHEN 1 THEN 0 ELSE 9223372036854775807 END',
  'powers of two': '1::BIGINT << CAST(row % 62 AS INTEGER)',
  'multiples of 128': 'row * 128',
  'multiples of 2^20': '(row % 1000) << 20',
  'blocks in order': 'row // 1000',
  'normal sums': `CAST(100 * (${['d', 'e', 'f', 'g'].map(random).join(' + ')}) AS BIGINT)`,
  'negative and positive': 'row % 2001 - 1000',
  'few of many': `CASE WHEN ${random('h')} < 0.001 THEN row ELSE row % 3 END`,
  'far apart': 'CASE WHEN row < 75000 THEN row % 10 ELSE 1000000000 + row % 10 END',
}
const kinds: Readonly<Record<string, { readonly type: string; readonly of: (value: string) => string }>> = {
  integer: { type: 'BIGINT', of: (value) => `CAST(${value} AS BIGINT)` },
  double: { type: 'DOUBLE', of: (value) => `CAST(${value} AS DOUBLE) / 3` },
  date: { type: 'DATE', of: (value) => `DATE '2000-01-01' + CAST((${value}) % 20000 AS INTEGER)` },
}

interface Column {
  readonly name: string
  readonly kind: string
  readonly seen: NumericStatistics
  /** Of the values as numbers, dates as days since 1970. */
  readonly exact: {
    readonly distinct: number
    readonly quartiles: readonly number[]
    readonly meanAndDeviation: readonly [number, number]
    /** Of its bins. */
    readonly counts: readonly number[]
  }
  /** Shares of the values that are less than a number, and that are not greater. */
  readonly sharesAt: (value: number) => Promise<readonly [below: number, upTo: number]>
}

/** Measures every distribution as every kind of values. */
async function measureAll(t: TestContext, limits?: ExactLimits): Promise<readonly Column[]> {
  const dir = scratchDir(t)
  const duckdb = await openDuckDb({})
  t.after(() => duckdb.closeSync())
  const select = async (sql: string) => (await duckdb.runAndReadAll(sql)).getRowsJS()
  const measured: Column[] = []
  for (const [kind, { type, of }] of Object.entries(kinds)) {
    const path = join(dir, `${kind}.parquet`)
    const from = `FROM read_parquet(${literal(path)})`
    const columns = Object.entries(numbers).map(([name, value]) => `${of(value)} AS ${identifier(name)}`)
    await duckdb.run(`COPY (SELECT ${columns.join(', ')} FROM range(${records}) r(row)) TO ${literal(path)}`)
    const names = Object.keys(numbers)
    const typed = names.map((name) => ({ name, type }))
    for (const [i, one] of (await measure(select, [path], typed, records, limits)).entries()) {
      const name = names[i] ?? ''
      const value = kind === 'date' ? `(${identifier(name)} - DATE '1970-01-01')` : identifier(name)
      const quartiles = `to_json(quantile_cont(${value}, [0.25, 0.5, 0.75]))`
      const seen = one.column_statistics as NumericStatistics
      const { hist = [], bin_edges: edges = [] } = (kind === 'integer' && seen.histogram) || {}
      const counts = hist.map((_, i) => {
        return `count_if(${value} >= ${edges[i]} AND ${value} ${i + 1 < hist.length ? '<' : '<='} ${edges[i + 1]})`
      })
      const figures = [
        `count(DISTINCT ${value})`,
        `CAST(${quartiles} AS VARCHAR)`,
        `avg(${value})`,
        `stddev_samp(${value})`,
      ]
      const [row = []] = await select(`SELECT ${[...figures, ...counts].join(', ')} ${from}`)
      const sharesAt = async (at: number) => {
        const shares = ['<', '<='].map((less) => `count_if(${value} ${less} CAST('${at}' AS DOUBLE)) / count(${value})`)
        const [counted] = await select(`SELECT ${shares.join(', ')} ${from}`)
        return [Number(counted?.[0]), Number(counted?.[1])] as const
      }
      const exact = {
        distinct: Number(row[0]),
        quartiles: JSON.parse(String(row[1])) as number[],
        meanAndDeviation: [Number(row[2]), Number(row[3])] as const,
        counts: row.slice(4).map(Number),
      }
      measured.push({ name, kind, seen, exact, sharesAt })
    }
  }
  return measured
}

const quartilesOf = ({ q25, median, q75 }: NumericStatistics) => [q25, median, q75]

function asNumber(kind: string, value: string | number | null): number {
  if (kind !== 'date') return Number(value)
  assert.match(String(value), /^\d{4}-\d\d-\d\d$/, 'a quartile of dates is a date')
  return Date.parse(String(value)) / 86_400_000
}

/** How far a quartile may lie from that between its neighbours. */
const rounding: Readonly<Record<string, number>> = { integer: 0.25, double: 0, date: 1 }

test('measure() returns what SQL computes over all values', async (t) => {
  for (const { name, kind, seen, exact } of await measureAll(t)) {
    assert.deepEqual([seen.n_unique, seen.approximate], [exact.distinct, []], `${name} as ${kind}`)
    assert.equal('n_unique_error' in seen, false)
    if (kind === 'integer') assert.deepEqual(seen.histogram?.hist, exact.counts, name)
    for (const [i, wanted] of (kind === 'date' ? [] : exact.meanAndDeviation).entries()) {
      const value = Number([seen.mean, seen.std][i])
      assert.ok(Math.abs(value - wanted) <= 1e-9 * Math.abs(wanted), `${name} as ${kind}: ${value} for ${wanted}`)
    }
    for (const [i, quartile] of quartilesOf(seen).entries()) {
      const [value, wanted] = [asNumber(kind, quartile), exact.quartiles[i] ?? Number.NaN]
      const about = `${name} as ${kind}: ${quartile} for ${wanted}`
      assert.ok(Math.abs(value - wanted) <= (rounding[kind] ?? 0) + 1e-9 * Math.abs(wanted), about)
      if (kind === 'integer') assert.equal(2 * value, Math.round(2 * value), about)
    }
  }
})

/** Values beyond what a double holds, as whole units, and how a figure between two of them is shown. */
const wide: Readonly<Record<string, { readonly type: string; readonly of: (row: number) => bigint }>> = {
  'the last microseconds': { type: 'TIMESTAMP', of: (row) => 253_402_300_799_999_999n - BigInt(row % 3) },
  'a date that stands for none': {
    type: 'TIMESTAMP',
    of: (row) => (row % 3 === 0 ? 253_402_300_799_000_000n : 1_704_067_200_000_001n + BigInt(row)),
  },
  'instants of a day': { type: 'TIMESTAMP WITH TIME ZONE', of: (row) => 1_704_067_200_000_001n + BigInt(row) * 977n },
  'odd ids': { type: 'BIGINT', of: (row) => 9_007_199_254_740_993n + 2n * BigInt(row) },
  'negative ids': { type: 'BIGINT', of: (row) => -9_007_199_254_740_995n - 3n * BigInt(row % 1_001) },
  'the last integers': { type: 'BIGINT', of: (row) => 2n ** 63n - 1n - BigInt(row % 12) },
  'both ends': { type: 'BIGINT', of: (row) => (row % 2 === 0 ? -(2n ** 63n) : 2n ** 63n - 1n) },
}

test('measure() is exact where a double is not', async (t) => {
  const dir = scratchDir(t)
  const duckdb = await openDuckDb({})
  t.after(() => duckdb.closeSync())
  const select = async (sql: string) => (await duckdb.runAndReadAll(sql)).getRowsJS()
  for (const [name, { type, of }] of Object.entries(wide)) {
    for (const records of [1, 2, 10, 11, 101_003]) {
      const values = Array.from({ length: records }, (_, row) => of(row))
      const path = join(dir, `${name} ${records}.parquet`)
      const text = join(dir, 'values.csv')
      writeFileSync(text, values.join('\n'))
      const units = `read_csv(${literal(text)}, header = false, columns = {'unit': 'BIGINT'})`
      const value = type === 'BIGINT' ? 'unit' : `CAST(make_timestamp(unit) AS ${type})`
      await duckdb.run(`COPY (SELECT ${value} AS v FROM ${units}) TO ${literal(path)} (FORMAT parquet)`)
      const [measured] = await measure(select, [path], [{ name: 'v', type }], records)
      const seen = measured?.column_statistics as NumericStatistics
      const ordered = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
      const quarters = [1, 2, 3].map((part) => {
        const place = (part * (records - 1)) / 4
        const [low, high] = [ordered[Math.floor(place)]!, ordered[Math.ceil(place)]!]
        return 4n * low + (high - low) * BigInt((part * (records - 1)) % 4)
      })
      const sum = values.reduce((all, one) => all + one, 0n)
      const wanted = [[sum, BigInt(records)], ...quarters.map((quarter) => [quarter, 4n])] as [bigint, bigint][]
      for (const [i, [dividend, divisor]] of wanted.entries()) {
        const shown = [seen.mean, ...quartilesOf(seen)][i] ?? ''
        // To a half of an integer, and to a microsecond.
        const off = 4n * divisor * halvesOf(shown) - 8n * dividend
        const about = `${name}, ${records}: ${shown} for ${dividend}/${divisor}`
        assert.ok((off < 0n ? -off : off) <= (type === 'BIGINT' ? 2n : 4n) * divisor, about)
      }
      assert.deepEqual([seen.n_unique, seen.approximate], [new Set(values).size, []])
      if (new Set(values).size > 1) assert.ok(/[1-9]/.test(String(seen.std)), `${name}: ${seen.std}`)
    }
  }
})

/** Twice a figure, of an instant in microseconds. */
function halvesOf(shown: number | string): bigint {
  if (typeof shown === 'number') return BigInt(Math.round(2 * shown))
  const [, day, time, fraction = ''] = /^(\S{10})[ T]([\d:]{8})\.?(\d*)Z?$/.exec(shown) ?? []
  if (day !== undefined) {
    return 2n * (BigInt(Date.parse(`${day}T${time}Z`)) * 1_000n + BigInt(fraction.padEnd(6, '0')))
  }
  const [whole = '', half] = shown.split('.')
  return 2n * BigInt(whole) + (half === undefined ? 0n : shown.startsWith('-') ? -1n : 1n)
}

test('beyond the limits, measure() says how far a count may be off, and quartiles are close in rank', async (t) => {
  let off = 0
  let estimated = 0
  for (const { name, kind, seen, exact, sharesAt } of await measureAll(t, { distinctMax: 4_000, valuesMax: 20_000 })) {
    const about = `${name} as ${kind}: ${seen.n_unique} for ${exact.distinct}`
    const error = seen.n_unique_error ?? 0
    const difference = Math.abs(seen.n_unique - exact.distinct) / exact.distinct
    if (exact.distinct <= 3_000) assert.equal(error, 0, about)
    if (error === 0) assert.equal(seen.n_unique, exact.distinct, about)
    else estimated += 1
    assert.ok(difference <= 2 * error, about)
    if (difference > error) off += 1
    assert.equal(seen.approximate.includes('n_unique'), error > 0)
    const place = rounding[kind] ?? 0
    for (const [i, quartile] of quartilesOf(seen).entries()) {
      const value = asNumber(kind, quartile)
      const [below] = await sharesAt(value - place)
      const [, upTo] = await sharesAt(value + place)
      const part = (i + 1) / 4
      assert.ok(below <= part + 0.03 && upTo >= part - 0.03, `${name} as ${kind}, ${part}: ${quartile}`)
    }
  }
  assert.ok(estimated >= 10 && off <= 1, `${off} of ${estimated} counts are off by more than they say`)
})
