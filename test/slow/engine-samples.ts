// Engine samples: files of every type, the service's results for them, and the same queries for other engines.
import assert from 'node:assert/strict'
import { Client } from '../support/client.ts'
import { runCommand } from '../support/command.ts'
import { queryRows } from '../support/queries.ts'
import type { RunningService } from '../support/running-service.ts'
import { createRandom } from '../support/samples.ts'

export interface Column {
  /** Name in the header, the receipt and SQL. */
  readonly name: string
  /** Type in the receipt. */
  readonly type: string
}

const usualTextName = 'a, "b" ü'

const columnsWith = (textName: string): readonly Column[] => [
  { name: 'n', type: 'integer' },
  { name: 'id', type: 'integer' },
  { name: 'price', type: 'decimal(9,2)' },
  { name: 'exact', type: 'decimal(38,10)' },
  { name: 'ratio', type: 'number' },
  { name: 'flag', type: 'boolean' },
  { name: 'day', type: 'date' },
  { name: 'at', type: 'time' },
  { name: 'stamp', type: 'timestamp' },
  { name: 'instant', type: 'timestamptz' },
  { name: 'word', type: 'text' },
  { name: textName, type: 'text' },
]

const nasty = [
  '',
  ' ',
  'NULL',
  '\\N',
  '\\',
  "it's",
  '"',
  'a,b',
  'line\nfeed',
  'cr\r\nlf',
  '\t',
  '😀',
  'e\u0301',
  '\u00e9',
  '\ufeffbom',
  '\u2028',
  '\u0001',
  '%_',
  '`',
  '$(x)',
  'ß',
  'ﬀ',
  '\u202e rtl',
  'x'.repeat(5_000),
  `${'\uffff'.repeat(40)}a`,
  `${'\u{10ffff}'.repeat(40)}`,
]

/** The texts of a column with few. */
const words = ['red', '"red"', "it's", '', ' ', 'NULL', '\\', 'grün', '😀', 'a,b', 'line\nfeed', 'blue']

const two = (number: number) => `${number}`.padStart(2, '0')

/** The cells of a record; null is an empty field without quotes. Large and small values come first. */
function cellsOf(i: number, random: (below: number) => number): (string | null)[] {
  const ends = (least: string, most: string) => (i === 0 ? least : i === 1 ? most : null)
  const orNull = (text: string) => (i > 1 && random(9) === 0 ? null : text)
  const day = `${1970 + random(130)}-${two(1 + random(12))}-${two(1 + random(28))}`
  const clock = `${two(random(24))}:${two(random(60))}:${two(random(60))}.${`${random(1_000_000)}`.padStart(6, '0')}`
  const digits = Array.from({ length: 27 }, () => random(10)).join('')
  return [
    `${i}`,
    orNull(ends('-9223372036854775808', '9223372036854775807') ?? `${random(1_000_000) - 500_000}`),
    orNull(ends('-9999999.99', '9999999.99') ?? `${random(2_000)}.${two(random(100))}`),
    orNull(
      ends(`-9${digits}.0000000001`, `9${digits}.9999999999`) ?? `1${digits}.${`${random(1e9)}`.padStart(10, '0')}`,
    ),
    orNull(ends('-9999999.5', '9999999.5') ?? `${(random(2_000_000) - 1_000_000) / 64}`),
    orNull(random(3) === 0 ? 'true' : 'false'),
    orNull(ends('0001-01-01', '9999-12-31') ?? day),
    orNull(ends('00:00:00.000000', '23:59:59.999999') ?? clock),
    orNull(ends('1900-01-01 00:00:00.000000', '2199-12-31 23:59:59.999999') ?? `${day} ${clock}`),
    orNull(ends('1900-01-01T00:00:00.000000Z', '2199-12-31T23:59:59.999999Z') ?? `${day}T${clock}+0${random(10)}:30`),
    orNull(words[random(words.length)]!),
    orNull(i < 2_000 ? nasty[random(nasty.length)]! : `text ${random(1e9)} ${'y'.repeat(random(200))}`),
  ]
}

function csvOf(
  columns: readonly Column[],
  records: PublishedSample['cells'],
  isSent: (column: number) => boolean,
): string {
  const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`
  const line = (cells: readonly string[]) => cells.filter((_, i) => isSent(i)).join(',')
  const lines = records.map((cells) =>
    line(cells.map((cell, i) => (cell === null ? '' : columns[i]!.type === 'text' ? quoted(cell) : cell))),
  )
  return `${[line(columns.map(({ name }) => quoted(name))), ...lines].join('\n')}\n`
}

/** Where SQL dialects differ. */
export interface Dialect {
  name(name: string): string
  text(expression: string): string
  literal(value: string, type: string): string
}

export const quotedText = (text: string) => `'${text.replaceAll("'", "''")}'`
export const castAs = (names: Readonly<Record<string, string>>) => (text: string, type: string) =>
  `CAST('${text}' AS ${names[type] ?? type})`

export const quotedName = (name: string) => `"${name.replaceAll('"', '""')}"`

const duckTypes = { integer: 'BIGINT', number: 'DOUBLE' }
/** The dialect of the service. */
const serviceDialect: Dialect = {
  name: quotedName,
  text: (expression) => `CAST(${expression} AS VARCHAR)`,
  literal: (value, type) => (type === 'text' ? quotedText(value) : castAs(duckTypes)(value, type)),
}

/** One form for each value, whatever engine printed it: numbers without trailing zeros, times in UTC. */
export function canonical(text: string, type: string): string {
  if (type === 'number') return `${Number(text)}`
  if (type.startsWith('decimal')) return text.includes('.') ? text.replace(/\.?0+$/, '').replace(/^-0$/, '0') : text
  if (type === 'time') {
    // Microseconds, for engines without the type.
    if (!text.includes(':')) return text
    const [hours = 0, minutes = 0, seconds = 0] = text.split(':').map(Number)
    return `${Math.round(((hours * 60 + minutes) * 60 + seconds) * 1e6)}`
  }
  return type === 'timestamp' || type === 'timestamptz' ? instant(text) : text
}

/** As ClickHouse casts it: in UTC and without a zone. */
export function canonicalInput(text: string, type: string): string {
  return type === 'timestamp' || type === 'timestamptz' ? instant(text) : text
}

function instant(text: string): string {
  const [, date, time, , fraction = '', offset = ''] =
    /^([-\d]+)[T ]((?:\d\d:?){2,3})(\.(\d+))?(Z|[+-]\d\d(?::\d\d)?)?$/.exec(text) ?? []
  if (date === undefined) return text
  const zone = /^[+-]\d\d$/.test(offset) ? `${offset}:00` : offset || 'Z'
  const seconds = new Date(`${date}T${time}${zone}`).toISOString().slice(0, 19).replace('T', ' ')
  return `${seconds}.${fraction.padEnd(6, '0')}`
}

const summedAs: Readonly<Record<string, string>> = {
  integer: 'DECIMAL(38,0)',
  'decimal(9,2)': 'DECIMAL(38,2)',
  number: 'DOUBLE',
}

/** For each column: number of values, minimum, maximum and, if exact, the sum. */
function aggregates(dialect: Dialect, { table, columns }: Pick<PublishedSample, 'table' | 'columns'>): string[] {
  return columns.map(({ name, type }) => {
    const column = dialect.name(name)
    const { text } = dialect
    const shown = ['count(*)', `count(${column})`, `min(${column})`, `max(${column})`]
    const where = type === 'number' ? ` WHERE ${dialect.name('n')} > 1` : ''
    const summed = summedAs[type]
    if (summed !== undefined) shown.push(`sum(CAST(${column} AS ${summed}))`)
    return `SELECT ${shown.map(text).join(', ')} FROM ${table}${where}`
  })
}

/** Conditions on each column: at its extremes, in the middle and outside. */
function conditions(dialect: Dialect, { columns, values }: Pick<PublishedSample, 'columns' | 'values'>): string[] {
  return columns.flatMap(({ name, type }, i) =>
    (values[i] ?? []).flatMap((value) => {
      const [column, literal] = [dialect.name(name), dialect.literal(value, type)]
      return (type === 'boolean' ? ['='] : ['=', '<', '>=']).map((operator) => `${column} ${operator} ${literal}`)
    }),
  )
}

export interface PublishedSample {
  readonly id: string
  readonly columns: readonly Column[]
  readonly table: string
  readonly records: number
  readonly parts: readonly { readonly records: number }[]
  readonly cells: readonly (readonly (string | null)[])[]
  readonly values: readonly (readonly string[])[]
}

/** Files, and the service's results for them. */
export interface EngineSamples {
  readonly made: readonly PublishedSample[]
  readonly reported: readonly Awaited<ReturnType<typeof reportOf>>[]
}

/** The output of `csv-upload publish`. @param store Options that name the bucket. */
export async function publish(as: string, { id, table }: PublishedSample, store: readonly string[]) {
  const args = ['publish', id, '--as', as, '--table', table, '--json', ...store]
  const environment = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test-secret' }
  const { stdout, stderr } = await runCommand(args, { environment })
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout) as { readonly url: string; readonly sql: string }
}

/** Minimum, maximum, sums and counts of each table, then all rows of the smaller one. */
export function questions(dialect: Dialect, made: readonly PublishedSample[]): readonly string[] {
  const [small] = made
  const list = small!.columns.map(({ name }) => dialect.text(dialect.name(name))).join(', ')
  const counts = (table: string, condition: string) =>
    `SELECT ${dialect.text('count(*)')} FROM ${table} WHERE ${condition}`
  return [
    ...made.flatMap((one) => [
      ...aggregates(dialect, one),
      ...conditions(dialect, one).map((condition) => counts(one.table, condition)),
    ]),
    `SELECT ${list} FROM ${small!.table} ORDER BY ${dialect.name('n')} + 0`,
  ]
}

/** Compares the results of these queries. */
export function check({ made, reported }: EngineSamples, results: (string | null)[][][]): void {
  const rows = results.pop()!
  const { columns } = made[0]!
  for (const { aggregates: wanted, counts } of reported) {
    for (const [i, one] of wanted.entries()) assert.deepEqual(canonicalRow(results.shift()![0]!, columns[i]!), one)
    for (const [i, count] of counts.entries()) assert.equal(results.shift()![0]![0], count, `condition ${i}`)
  }
  const small = made[0]!.cells.map((cells) => cells.map((cell, i) => cell && canonical(cell, columns[i]!.type)))
  const seen = rows.map((row) => row.map((cell, i) => cell && canonical(cell, columns[i]!.type)))
  for (const [i, one] of small.entries()) assert.deepEqual(seen[i], one)
  assert.equal(seen.length, small.length)
}

/**
 * @param leftOut A type whose column is omitted.
 * @param textName Name of the text column.
 */
export async function upload(
  service: RunningService,
  table: string,
  records: number,
  { leftOut, textName = usualTextName }: { readonly leftOut?: string; readonly textName?: string } = {},
): Promise<PublishedSample> {
  const columns = columnsWith(textName)
  const random = createRandom(records)
  const cells = Array.from({ length: records }, (_, i) => cellsOf(i, random))
  const isSent = (i: number) => columns[i]!.type !== leftOut
  const content = csvOf(columns, cells, isSent)
  const receipt = await new Client(service.url).upload({ content, fileName: `${table}.csv` })
  assert.deepEqual(
    receipt.columns.map(({ name, type }) => ({ name, type })),
    columns.filter((_, i) => isSent(i)),
  )
  assert.equal(receipt.records.accepted, records)
  // The extremes, and one in between.
  const values = columns.map((_, i) => [0, 1, 1_001].flatMap((n) => cells[n]?.[i] ?? []))
  return { id: receipt.id, columns, table, records, parts: receipt.parts, cells, values }
}

export async function reportOf(service: RunningService, published: PublishedSample) {
  const { id, columns } = published
  const wanted: (string | null)[][] = []
  for (const [i, sql] of aggregates(serviceDialect, { table: 'data', columns }).entries()) {
    const [row = []] = await queryRows(service.url, id, sql)
    wanted.push(canonicalRow(row as (string | null)[], columns[i]!))
  }
  const counts = conditions(serviceDialect, published).map(
    (condition) => `CAST(count(*) FILTER (WHERE ${condition}) AS VARCHAR)`,
  )
  const [row = []] = await queryRows(service.url, id, `SELECT ${counts.join(', ')} FROM data`)
  return { aggregates: wanted, counts: row as string[] }
}

/** The first two are counts, the others are values of the column. */
function canonicalRow(row: readonly (string | null)[], { type }: Column): (string | null)[] {
  return row.map((cell, i) =>
    cell === null || i < 2 ? cell : canonical(cell, i === 4 && type === 'integer' ? 'decimal(9,2)' : type),
  )
}
