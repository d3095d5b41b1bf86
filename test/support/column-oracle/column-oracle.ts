// Column oracle: checks that the service agrees on nasty tables with a plain parser, about receipts and types, and with
// DuckDB, about values, nulls and statistics.
// Tries many tables at once, and bisects those that differ.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { plainFacts } from '../../../src/columns/writer/plain-facts.testing.ts'
import type { ColumnFacts } from '../../../src/core/column-facts.ts'
import type { Note } from '../../../src/core/notes.ts'
import type { Column } from '../../../src/core/receipt.ts'
import { type DuckDBConnection, openDuckDb } from '../../../src/engine/duckdb/duckdb.ts'
import { columnFormat, columnTypeName, type Decision, decideTypes } from '../../../src/reading/types/infer-types.ts'
import { typeNotes } from '../../../src/reading/types/type-notes.ts'
import type { IngestResult } from '../../../src/service/ingest/ingest.ts'
import { assertSameParts, columnName, type WantedColumn, type WrittenPart } from './compare-tables.ts'
import { loadTexts, type PlacedTable, placed } from './duckdb-tables.ts'
import { Ingester } from './ingested-tables.ts'
import { triedTable } from './tried-tables.ts'

/** Counts of what was compared and equal. */
export interface ComparisonCounts {
  readonly tables: number
  readonly columns: number
  readonly values: number
  /** Number of columns by type. */
  readonly types: Readonly<Record<string, number>>
}

const nothing: ComparisonCounts = { tables: 0, columns: 0, values: 0, types: {} }

/** Where the files of a batch are: in memory, if there is enough. */
function scratchDir(): string {
  const memory = '/dev/shm'
  const stats = existsSync(memory) ? statfsSync(memory) : null
  return stats !== null && stats.bavail * stats.bsize > 1_000_000_000 ? memory : tmpdir()
}

export class ColumnOracle implements AsyncDisposable {
  #compared: ComparisonCounts
  readonly #seed: number
  readonly #duckDb: DuckDBConnection
  readonly #dir: string
  readonly #ingester = new Ingester()

  private constructor(seed: number, compared: ComparisonCounts, duckDb: DuckDBConnection, dir: string) {
    this.#seed = seed
    this.#compared = compared
    this.#duckDb = duckDb
    this.#dir = dir
  }

  /** @param compared Counts to continue. */
  static async open(seed: number, compared = nothing): Promise<ColumnOracle> {
    const duckDb = await openDuckDb({})
    return new ColumnOracle(seed, compared, duckDb, mkdtempSync(join(scratchDir(), 'column-oracle-')))
  }

  get compared(): ComparisonCounts {
    return this.#compared
  }

  /** Tries `count` tables; returns at most one difference for each, and stops after `max` differences. */
  async differences(from: number, count: number, max = 3): Promise<readonly string[]> {
    try {
      await this.#tryTables(from, count)
      return []
    } catch (error) {
      const what = error instanceof Error ? error.message : String(error)
      if (count === 1) return [`SEED=${this.#seed} FROM=${from} TABLES=1: ${what}\n${this.#shown(from)}`]
      const half = Math.floor(count / 2)
      const found = [...(await this.differences(from, half, max))]
      if (found.length < max) found.push(...(await this.differences(from + half, count - half, max - found.length)))
      return found.length > 0 ? found : [`SEED=${this.#seed} FROM=${from} TABLES=${count}, only together: ${what}`]
    }
  }

  async #tryTables(from: number, count: number): Promise<void> {
    const tables = placed(Array.from({ length: count }, (_, i) => triedTable(this.#seed, from + i)))
    const dir = join(this.#dir, 'batch')
    mkdirSync(dir)
    try {
      await loadTexts(this.#duckDb, dir, tables)
      const decided = tables.map(decide)
      const parts = await this.#ingest(dir, decided)
      const columns = decided.flatMap((one) => one.columns)
      await assertSameParts(this.#duckDb, dir, columns, parts)
      this.#count(tables, columns)
    } finally {
      rmSync(dir, { recursive: true })
    }
  }

  /** Returns the parts of all tables. */
  async #ingest(dir: string, tables: readonly DecidedTable[]): Promise<readonly WrittenPart[]> {
    const parts: WrittenPart[] = []
    for (const [place, one] of tables.entries()) {
      const own = join(dir, `${place}`)
      const names = one.columns.map(({ name }) => name)
      const loaded = await this.#ingester.ingest(one.table, names, own)
      assertSameReceipt(one, loaded)
      let before = 0
      for (const { file, records } of loaded.parts) {
        parts.push({ path: join(own, file), place, before })
        before += records
      }
    }
    return parts
  }

  #count(tables: readonly PlacedTable[], columns: readonly WantedColumn[]): void {
    const before = this.#compared
    const types: Record<string, number> = { ...before.types }
    for (const { type } of columns) {
      const name = `${columnTypeName(type)} ${columnFormat(type) ?? ''}`.trim()
      types[name] = (types[name] ?? 0) + 1
    }
    const values = tables.reduce((sum, { records, layout }) => sum + records * layout.width, before.values)
    this.#compared = { tables: before.tables + tables.length, columns: before.columns + columns.length, values, types }
  }

  #shown(number: number): string {
    const { body, layout } = triedTable(this.#seed, number)
    return `${JSON.stringify(layout)} ${JSON.stringify(body.slice(0, 2_000))}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#duckDb.closeSync()
    await this.#ingester.close()
    rmSync(this.#dir, { recursive: true })
  }
}

/** A table and what its facts decide about its columns. */
interface DecidedTable {
  readonly table: PlacedTable
  readonly facts: readonly ColumnFacts[]
  readonly decisions: readonly Decision[]
  readonly columns: readonly WantedColumn[]
}

function decide(table: PlacedTable, place: number): DecidedTable {
  const facts = plainFacts(table.cells)
  // Texts in the receipt name lines if each record is one line.
  const hasLines = table.body.split('\n').length - 1 === table.records
  const decisions = decideTypes(facts, hasLines ? (record) => record + 1 : undefined, table.layout.delimiter)
  const slots = new Map<string, number>()
  const columns = decisions.map(({ type, nullWords }, position) => {
    const first = columnName(type, 0)
    const slot = slots.get(first) ?? 0
    slots.set(first, slot + 1)
    return { field: table.firstColumn + position, place, position, slot, name: columnName(type, slot), type, nullWords }
  })
  return { table, facts, decisions, columns }
}

function assertSameReceipt({ table, facts, decisions, columns }: DecidedTable, loaded: IngestResult): void {
  const { tally, parts, rejectParts, typeNotes: notes } = loaded
  const records = parts.reduce((sum, part) => sum + part.records, 0)
  assert.deepEqual([tally.accepted, tally.rejected, records, rejectParts], [table.records, 0, table.records, []])
  // With several parts, reasons cover only the first part, and null words are in the order of the parts.
  const isWhole = parts.length === 1
  const shown = (column: Column) =>
    isWhole ? column : { ...column, why: '', nullWords: (column.nullWords ?? []).toSorted() }
  const receipt = columns.map((column, i) => columnOf(column, decisions[i]!, facts[i]!))
  assert.deepEqual(loaded.columns.map(shown), receipt.map(shown))
  if (!isWhole) return
  const names = columns.map(({ name }) => name)
  assert.deepEqual(notes.filter(isAboutTypes).map(withoutTexts), typeNotes(names, decisions, ''))
}

/** A column as in the receipt. */
function columnOf({ name, type, nullWords }: WantedColumn, { why }: Decision, facts: ColumnFacts): Column {
  const format = columnFormat(type)
  const nulls = nullWords.reduce((sum, word) => sum + (facts.nullWords[word] ?? 0), facts.nulls)
  const words = nullWords.length > 0 ? { nullWords } : {}
  return { name, type: columnTypeName(type), ...(format !== undefined && { format }), nulls, ...words, why }
}

/** Plain facts do not include how numbers are written. */
function isAboutTypes({ code }: Note): boolean {
  return code !== 'NUMBER_FORMS_DIFFER'
}

/** Plain facts do not include the texts of the few values in the way. */
function withoutTexts(note: Note): Note {
  const { values: _, ...rest } = note
  return { ...rest, message: note.message.replace(/\): '.*', so it is kept as text\.$/su, '), so it is kept as text.') }
}
