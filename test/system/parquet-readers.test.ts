// Tests with Parquet readers: DuckDB, pyarrow, Polars and DuckDB's Node binding read the same values from parts of the
// column writer.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { csvText, layoutOf, type Table, writeColumns } from '../../src/columns/writer/columns.testing.ts'
import { examples } from '../../src/columns/writer/value-examples.testing.ts'
import type { ValueClass } from '../../src/core/column-facts.ts'
import { type Random, randomFrom } from '../../src/core/random.testing.ts'
import type { ColumnType } from '../../src/core/receipt.ts'
import { openDuckDb } from '../../src/engine/duckdb/duckdb.ts'
import { parquetReaders, run } from '../support/client-generators.ts'
import { scratchDir } from '../support/running-service.ts'
import { seed } from '../support/samples.ts'

const scratch = await scratchDir()
after(() => scratch[Symbol.asyncDispose]())
const tools = await parquetReaders()
const skip = 'missing' in tools ? { skip: tools.missing } : {}
const fixture = join(import.meta.dirname, 'fixtures', 'read_parquet.py')

/** For each type, the texts that it reads. Like the service, Python has only the years 1 to 9999. */
const columns: readonly (readonly [name: string, type: ColumnType, classes: readonly ValueClass[]])[] = [
  ['integer', { kind: 'integer' }, ['integer', 'longInteger']],
  ['number', { kind: 'number' }, ['number', 'decimal', 'integer']],
  ['boolean', { kind: 'boolean', spelling: 'true' }, ['true']],
  ['date', { kind: 'date' }, ['date']],
  ['time', { kind: 'time' }, ['time']],
  ['timestamp', { kind: 'timestamp' }, ['timestamp']],
  ['timestamptz', { kind: 'timestamptz' }, ['timestamptz']],
  ['text', { kind: 'text' }, ['text', 'integer', 'decimalComma']],
]
const decimals = [
  [9, 2],
  [18, 3],
  [38, 10],
] as const

function decimalText(random: Random, precision: number, scale: number): string {
  const whole = Array.from({ length: 1 + random(precision - scale) }, () => random(10)).join('')
  const fraction = Array.from({ length: scale }, () => random(10)).join('')
  const number = `${whole.replace(/^0+(?=\d)/, '')}.${fraction}`
  return random(2) === 0 && /[1-9]/.test(number) ? `-${number}` : number
}

/** Name, type and texts of each column. */
function randomColumns(random: Random, records: number) {
  const nullOneIn = () => [2, 10, records * 3][random(3)]!
  const cells = (text: () => string) => {
    const oneIn = nullOneIn()
    return Array.from({ length: records }, () => (random(oneIn) === 0 ? null : text()))
  }
  const typed = columns.map(([name, type, classes]) => {
    const texts = classes.flatMap((one) => examples[one]).filter((text) => name === 'text' || fits(text, type))
    const few = texts.slice(0, 1 + random(texts.length))
    return { name, type, texts: cells(() => few[random(few.length)]!) }
  })
  const exact = decimals.map(([precision, scale]) => ({
    name: `decimal${precision}`,
    type: { kind: 'decimal', precision, scale } as const,
    texts: cells(() => decimalText(random, precision, scale)),
  }))
  const many = {
    name: 'many',
    type: { kind: 'text' } as const,
    texts: cells(() => `ä${'x'.repeat(random(90))}${random(1e6)}`),
  }
  return [...typed, ...exact, many]
}

function fits(text: string, type: ColumnType): boolean {
  const options = {
    layout: layoutOf(2),
    columns: [
      { name: 'a', type, nullWords: [] },
      { name: 'b', type: null, nullWords: [] },
    ],
  }
  return writeColumns(csvText([[text, 'x']], layoutOf(2)), options).typeMismatches[0] === null
}

test('all readers read the same values, and statistics exclude none', skip, async (t) => {
  if ('missing' in tools) return
  t.diagnostic(`SEED=${seed}`)
  const random = randomFrom(seed)
  const duckDb = await openDuckDb({})
  for (let round = 0; round < 8; round++) {
    const records = 1 + random(400)
    const made = randomColumns(random, records)
    const table: Table = Array.from({ length: records }, (_, i) => made.map(({ texts }) => texts[i]!))
    const layout = layoutOf(made.length)
    const fastCompression = round % 2 === 0
    const options = { layout, columns: made.map(({ name, type }) => ({ name, type, nullWords: [], fastCompression })) }
    const { part } = writeColumns(csvText(table, layout), { ...options, rowGroupRecords: 1 + random(records) })
    const [path, values] = [join(scratch.path, 'part.parquet'), join(scratch.path, 'values.json')]
    writeFileSync(path, part)
    const select = made.map(({ name, type }) => canonicalSql(name, type)).join(', ')
    const rows = (await duckDb.runAndReadAll(`SELECT ${select} FROM read_parquet('${path}')`)).getRowsJson()
    for (const { name, texts } of made.filter((one) => one.type.kind === 'text')) {
      const place = made.findIndex((one) => one.name === name)
      assert.deepEqual(
        rows.map((row) => row[place]),
        texts,
        `SEED=${seed} ${name}`,
      )
    }
    writeFileSync(
      values,
      JSON.stringify(Object.fromEntries(made.map(({ name }, i) => [name, rows.map((row) => row[i])]))),
    )
    const output = await run(join(tools.dir, 'bin/python'), [fixture, path, values], scratch.path)
    assert.match(output, new RegExp(`^${records} records`), `SEED=${seed} round ${round}`)
  }
})

/** Formats values like read_parquet.py. */
function canonicalSql(name: string, { kind }: ColumnType): string {
  const moment = (value: string) => `strftime(${value}, '%Y-%m-%d %H:%M:%S.%f')`
  if (kind === 'timestamp') return moment(`"${name}"`)
  if (kind === 'timestamptz') return `${moment(`"${name}" AT TIME ZONE 'UTC'`)} || '+00'`
  if (kind === 'time') return `strftime(DATE '2000-01-01' + "${name}", '%H:%M:%S.%f')`
  return `"${name}"::VARCHAR`
}
