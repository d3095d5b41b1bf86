// Exported tables: random tables of few distinct texts, quoted in every way, exported in every form and compared, cell by
// cell, with what a second reader finds in the original.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openDuckDb } from '../../src/engine/duckdb/duckdb.ts'
import { Client, jsonOf, type UploadResponse } from './client.ts'
import { ask, queryRows } from './queries.ts'
import { create, patch } from './resumable.ts'
import { RunningService, scratchDir } from './running-service.ts'
import type { createRandom } from './samples.ts'
import { type CsvForm, readCsv, rfc4180 } from './second-reader.ts'

type Random = ReturnType<typeof createRandom>
type Cell = string | null

export interface Table extends CsvForm {
  readonly lineEnd: '\n' | '\r\n' | '\r'
  readonly encoding: 'utf-8' | 'utf-16le' | 'windows-1252'
  readonly records: number
}

export const tables: readonly Table[] = [
  { ...rfc4180, lineEnd: '\n', encoding: 'utf-8', records: 30_000 },
  { delimiter: ';', quote: '"', escapeChar: null, lineEnd: '\r\n', encoding: 'windows-1252', records: 15_000 },
  { delimiter: '\t', quote: "'", escapeChar: null, lineEnd: '\n', encoding: 'utf-8', records: 15_000 },
  { delimiter: '|', quote: '"', escapeChar: '\\', lineEnd: '\n', encoding: 'utf-8', records: 20_000 },
  { delimiter: ',', quote: '"', escapeChar: null, lineEnd: '\r', encoding: 'utf-8', records: 20_000 },
  { delimiter: ';', quote: '"', escapeChar: null, lineEnd: '\r\n', encoding: 'utf-16le', records: 20_000 },
]

/** Typed columns: texts that are printed as they were written. */
const typed: readonly (readonly [name: string, type: string, text: (random: Random) => string])[] = [
  ['integer', 'integer', (random) => String(random(2) === 0 ? random(9) : random(1e9) - 5e8)],
  [
    'long',
    'integer',
    (random) => `${1 + random(8)}${String(random(1e9)).padStart(9, '0')}${String(random(1e8)).padStart(8, '0')}`,
  ],
  ['decimal', 'decimal(9,2)', (random) => `${random(40_000)}.${String(random(100)).padStart(2, '0')}`],
  ['number', 'number', (random) => `${random(99)}.${1 + random(9)}${random(2) === 0 ? '' : 1 + random(9)}`],
  ['boolean', 'boolean', (random) => ['true', 'false'][random(2)]!],
  ['date', 'date', (random) => `20${10 + random(20)}-0${1 + random(9)}-${10 + random(19)}`],
  [
    'timestamp',
    'timestamp',
    (random) => `2024-01-${10 + random(20)} ${10 + random(14)}:${10 + random(50)}:${10 + random(50)}`,
  ],
]

/** Few texts, and each of them in quotes, twice: what one of them is written as, another one is. */
function closedTexts(random: Random, { delimiter, quote }: CsvForm): readonly string[] {
  const plain = [
    'q',
    '',
    'NULL',
    'NA',
    '1',
    'true',
    `a${delimiter}b`,
    'x\ny',
    ' z ',
    '\u00e4',
    quote,
    'long '.repeat(12),
  ]
  const few = plain.filter(() => random(2) === 0).slice(0, 1 + random(6))
  const quoted = ['q', ...few].flatMap((text) => [text, quote + text + quote])
  return [...new Set([...quoted, ...quoted.map((text) => quote + text + quote)])]
}

/** A text as a field: in quotes, unless it can do without and a coin says so. */
function fieldOf(text: Cell, table: Table, random: Random): string {
  if (text === null) return ''
  const { delimiter, quote, escapeChar } = table
  const mustQuote = text === '' || text.includes(quote) || /[\r\n]/.test(text) || text.includes(delimiter)
  if (!mustQuote && random(3) > 0) return text
  return quote + text.replaceAll(quote, `${escapeChar ?? quote}${quote}`) + quote
}

const rejectOneIn = 997

interface Made {
  readonly content: Buffer
  readonly names: readonly string[]
  /** Records, from 1 with the header, that have a field too many. */
  readonly rejects: readonly number[]
}

function madeTable(table: Table, random: Random): Made {
  const texts = Array.from({ length: 6 }, () => closedTexts(random, table))
  const names = [...typed.map(([name]) => name), ...texts.map((_, i) => `few${i}`), 'many']
  const rejects: number[] = []
  const lines = [names.join(table.delimiter)]
  const nullOneIn = names.map(() => [3, 50, 1e9][random(3)]!)
  for (let record = 0; record < table.records; record++) {
    const cells = [
      ...typed.map(([, , text]) => text(random)),
      ...texts.map((few) => few[random(few.length)]!),
      `${record} ${'x'.repeat(random(9))}`,
    ]
    // The first record shows that no column of texts is a typed one.
    const fields = cells.map((text, i) =>
      fieldOf(record > 0 && random(nullOneIn[i]!) === 0 ? null : text, table, random),
    )
    if (random(rejectOneIn) === 0) {
      fields.push('surplus')
      rejects.push(record + 2)
    }
    lines.push(fields.join(table.delimiter))
  }
  const text = lines.join(table.lineEnd) + table.lineEnd
  const content = table.encoding === 'utf-16le' ? `\ufeff${text}` : text
  return {
    content: Buffer.from(content, table.encoding === 'windows-1252' ? 'latin1' : table.encoding),
    names,
    rejects,
  }
}

/** The first cell that differs fails the test, with its place. */
function assertCells(
  found: readonly (readonly unknown[])[],
  wanted: readonly (readonly Cell[])[],
  form: string,
): number {
  assert.equal(found.length, wanted.length, `records of ${form}`)
  let cells = 0
  for (const [record, row] of wanted.entries()) {
    const other = found[record]!
    if (other.length !== row.length) assert.fail(`${form}: record ${record + 1} has ${other.length} values`)
    for (const [column, text] of row.entries()) {
      const value = other[column]
      const isSame = text === null ? value === null : value !== null && String(value) === text
      if (!isSame) {
        assert.fail(
          `${form}: record ${record + 1}, column ${column + 1}: ${JSON.stringify(value)} for ${JSON.stringify(text)}`,
        )
      }
      cells++
    }
  }
  return cells
}

/** A service that takes such tables in, in one way after another, and a reader of what it exports. */
export interface ExportComparison extends AsyncDisposable {
  /** Sends a table, compares every export of it, corrects half of its rejects and compares again. Returns the cells compared. */
  compare(table: Table, random: Random): Promise<number>
}

const waysIn = ['form', 'tus', 'reading'] as const

export async function startComparison(): Promise<ExportComparison> {
  const scratch = await scratchDir()
  // Parts end at many places: segments are small, and records have different lengths.
  const service = await RunningService.start(join(scratch.path, 'data'), ['--segment-size', '100KB'])
  const client = new Client(service.url)
  const duckDb = await openDuckDb({})
  let tablesSent = 0
  return {
    async compare(table, random) {
      const made = madeTable(table, random)
      const receipt = await sent(table, made, waysIn[tablesSent++ % waysIn.length]!, random)
      const [header, ...read] = readCsv(new TextDecoder(table.encoding).decode(made.content), table)
      assert.deepEqual(header, made.names)
      const isKept = (row: readonly Cell[]) => row.length === made.names.length
      const cells = await comparedCells(receipt, read.filter(isKept), made.rejects, made.names)
      const corrected = made.rejects.filter((_, i) => i % 2 === 0)
      for (const record of corrected) read[record - 2]!.pop()
      const answer = await correct(receipt, corrected, read, table)
      const left = made.rejects.filter((record) => !corrected.includes(record))
      return cells + (await comparedCells(answer, read.filter(isKept), left, made.names))
    },
    async [Symbol.asyncDispose]() {
      duckDb.closeSync()
      await service[Symbol.asyncDispose]()
      await scratch[Symbol.asyncDispose]()
    },
  }

  async function sent(
    table: Table,
    { content }: Made,
    way: (typeof waysIn)[number],
    random: Random,
  ): Promise<UploadResponse> {
    const { delimiter, quote, escapeChar, encoding } = table
    const dialect = { delimiter, quoteChar: quote, encoding, ...(escapeChar !== null && { escapeChar }) }
    if (way === 'form') return client.upload({ content, dialect })
    if (way === 'reading') {
      const { links } = await client.upload({ content, dialect: { ...dialect, header: false } })
      const answer = await client.askJson(links.readings, Buffer.from(JSON.stringify({ dialect })))
      assert.equal(answer.status, 200, answer.body.toString())
      return jsonOf<UploadResponse>(answer)
    }
    const path = await create(client, content.length, { filename: 'sample.csv', dialect: JSON.stringify(dialect) })
    for (let from = 0; ; ) {
      const to = Math.min(content.length, from + 1 + random(2_000_000))
      const { status, headers, body } = await patch(client, path, from, content.subarray(from, to))
      assert.equal(status, 204, body.toString())
      if (to === content.length) return JSON.parse((await client.get(headers['content-location']!)).toString())
      from = to
    }
  }

  /** Corrects records, of which `read` has what they shall be. */
  async function correct(
    { id }: UploadResponse,
    records: readonly number[],
    read: readonly (readonly Cell[])[],
    table: Table,
  ): Promise<UploadResponse> {
    const { delimiter, quote, escapeChar } = table
    const fieldText = (cell: Cell) =>
      cell === null ? '' : quote + cell.replaceAll(quote, `${escapeChar ?? quote}${quote}`) + quote
    const lines = records.map((record) =>
      JSON.stringify({ record, text: read[record - 2]!.map(fieldText).join(delimiter) }),
    )
    const headers = { 'content-type': 'application/x-ndjson' }
    const answer = await client.ask('POST', `/qas/datasets/${id}/corrections`, Buffer.from(lines.join('\n')), headers)
    assert.equal(answer.status, 200, answer.body.toString())
    return jsonOf<UploadResponse>(answer)
  }

  async function comparedCells(
    receipt: UploadResponse,
    wanted: readonly (readonly Cell[])[],
    rejects: readonly number[],
    names: readonly string[],
  ): Promise<number> {
    assert.deepEqual(
      receipt.columns.map(({ type }) => type),
      [...typed.map(([, type]) => type), ...names.slice(typed.length).map(() => 'text')],
    )
    assert.ok(receipt.parts.length > 3)
    const get = async (path: string) => (await client.get(path)).toString()
    const { csv, ndjson, parquet } = receipt.links
    let cells = 0
    cells += assertCells(readCsv(await get(csv), rfc4180).slice(1), wanted, 'data.csv')
    cells += assertCells(readCsv(await get(`${csv}?typed=true`), rfc4180).slice(1), wanted, 'typed data.csv')
    const lines = (await get(ndjson)).split('\n').slice(0, -1)
    cells += assertCells(
      lines.map((line) => Object.values(JSON.parse(line) as object)),
      wanted,
      'data.ndjson',
    )
    const path = join(scratch.path, `${receipt.id}.parquet`)
    writeFileSync(path, await client.get(parquet))
    const printed = names.map((name) => `"${name}"::VARCHAR`).join()
    const rows = (await duckDb.runAndReadAll(`SELECT ${printed} FROM read_parquet('${path}')`)).getRowsJson()
    cells += assertCells(rows, wanted, 'data.parquet')
    // Rows on both sides of the end of each part.
    let end = 0
    for (const { records } of receipt.parts) {
      end += records
      const offset = Math.max(0, end - 20)
      const page = await client.rows(receipt, `?offset=${offset}&limit=40`)
      cells += assertCells(page.rows, wanted.slice(offset, offset + 40), `rows from ${offset}`)
    }
    const { text: selected } = await ask(service.url, receipt.id, `SELECT * FROM data LIMIT 2000`, 'text/csv')
    cells += assertCells(readCsv(selected, rfc4180).slice(1), wanted.slice(0, 2_000), 'SELECT *')
    for (const [i, name] of names.entries())
      if (i >= typed.length) cells += await comparedCounts(receipt.id, name, wanted, i)
    const kept = await client.allRejects(receipt)
    assert.deepEqual(
      kept.map(({ record }) => record),
      rejects,
    )
    return cells
  }

  /** What SQL counts of each text. */
  async function comparedCounts(
    id: string,
    name: string,
    wanted: readonly (readonly Cell[])[],
    column: number,
  ): Promise<number> {
    if (name === 'many') return 0
    const counts = new Map<Cell, number>()
    for (const row of wanted) counts.set(row[column]!, (counts.get(row[column]!) ?? 0) + 1)
    const rows = await queryRows(service.url, id, `SELECT "${name}", count(*) FROM data GROUP BY ALL`)
    const found = new Map(rows.map(([text, count]) => [text as Cell, Number(count)]))
    assert.deepEqual([...found].sort(), [...counts].sort(), `SQL counts of ${name}`)
    return wanted.length
  }
}
