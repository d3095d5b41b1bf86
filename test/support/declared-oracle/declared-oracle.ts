// Declared oracle: checks that the column writer reads and checks the columns of random schemas and files as SQL does.
// Prints the records of a difference that it finds, and counts what was tried.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ruleCode } from '../../../src/core/declared-values.ts'
import { type DuckDBConnection, openDuckDb } from '../../../src/engine/duckdb/duckdb.ts'
import { columnTypeName } from '../../../src/reading/types/infer-types.ts'
import type { DeclaredColumn } from '../../../src/service/schema/declared-column.ts'
import { contentOf, type DeclaredCase, declaredCase, schemaOf } from './declared-case.ts'
import { type ReadTable, readBySql } from './read-by-sql.ts'
import { writeTable } from './write-table.ts'

export class DeclaredOracle implements Disposable {
  /** How often a rule was broken, and kept by a record that has the column: `integer minimum broken`. */
  readonly counts = new Map<string, number>()
  readonly #duckDb: DuckDBConnection
  readonly #dir = mkdtempSync(join(tmpdir(), 'declared-oracle-'))

  private constructor(duckDb: DuckDBConnection) {
    this.#duckDb = duckDb
  }

  static async open(): Promise<DeclaredOracle> {
    return new DeclaredOracle(await openDuckDb({}))
  }

  /** The first difference of a case, with no more records than it needs; null if there is none. */
  async difference(seed: number, number: number): Promise<string | null> {
    const one = declaredCase(seed, number)
    const difference = await this.#differenceOf(one, true)
    if (difference === null) return null
    let least = one
    for (let i = one.records.length - 1; i >= 0; i--) {
      const smaller = { ...least, records: least.records.toSpliced(i, 1) }
      if ((await this.#differenceOf(smaller, false)) !== null) least = smaller
    }
    const { fields, missingValues, layout, rowGroupRecords } = least
    const shown = JSON.stringify({ fields, missingValues, layout, rowGroupRecords, content: contentOf(least) })
    return `SEED=${seed} FROM=${number} CASES=1: ${await this.#differenceOf(least, false)}\n${shown}`
  }

  async #differenceOf(one: DeclaredCase, isCounted: boolean): Promise<string | null> {
    const { columns } = schemaOf(one)
    const declared = one.records.map((record) => record.slice(0, -1))
    const wanted = await readBySql(this.#duckDb, columns, declared)
    if (isCounted) this.#count(columns, wanted)
    try {
      const path = join(this.#dir, 'part.parquet')
      assertSame(one, columns, wanted, await writeTable(this.#duckDb, columns, one, path))
      return null
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }

  #count(columns: readonly DeclaredColumn[], { targets, violations, values }: ReadTable): void {
    const add = (what: string) => this.counts.set(what, (this.counts.get(what) ?? 0) + 1)
    for (const { column, rule } of violations) add(`${rulesOf(columns[column]!)[rule]} broken`)
    for (const [i, column] of columns.entries()) {
      const { type, values: read } = targets[i]!
      const isNearest = read.form.kind === 'number' && read.form.isNearest
      add(`${column.fieldType} as ${isNearest ? 'nearest ' : ''}${columnTypeName(type).replace(/\(.*/, '')}`)
      for (const value of values[i]!) {
        if (value === null) add(`${column.fieldType} null`)
        else for (const rule of rulesOf(column)) if (rule !== '') add(`${rule} kept`)
      }
    }
  }

  [Symbol.dispose](): void {
    this.#duckDb.closeSync()
    rmSync(this.#dir, { recursive: true })
  }
}

/** By the numbers of `ruleCode`; empty for a rule that the column does not have. */
function rulesOf({ fieldType, values }: DeclaredColumn): readonly string[] {
  const rules: string[] = []
  rules[ruleCode.required] = values.isRequired ? 'required' : ''
  rules[ruleCode.type] = 'type'
  rules[ruleCode.range] = 'range'
  return [...rules, ...values.checks.map(({ rule }) => rule)].map((rule) => rule && `${fieldType} ${rule}`)
}

function assertSame(
  one: DeclaredCase,
  columns: readonly DeclaredColumn[],
  wanted: ReadTable,
  found: Awaited<ReturnType<typeof writeTable>>,
): void {
  assert.deepEqual(found.violations, wanted.violations, 'violations')
  assert.deepEqual(found.targets, wanted.targets, 'types')
  const broken = new Set(wanted.violations.map(({ record }) => record))
  const others = one.records.flatMap((record, i) => (broken.has(i + 1) ? [] : [record.at(-1) ?? null]))
  assert.deepEqual(found.values, [...wanted.values, others], 'values')
  const nulls = found.values.map((values) => values.filter((value) => value === null).length)
  assert.deepEqual(found.nulls, nulls, 'nulls')
  // Only the types of these columns depend on facts.
  const open = wanted.facts.flatMap((facts, i) => (columns[i]!.type === 'byValues' ? [[found.facts[i], facts]] : []))
  assert.deepEqual(
    open.map(([facts]) => facts),
    open.map(([, facts]) => facts),
    'facts',
  )
}
