// Read by SQL: what the SQL of declared columns says about a small table. Knows no column writer.
import type { Table } from '../../../src/columns/writer/columns.testing.ts'
import { plainFacts } from '../../../src/columns/writer/plain-facts.testing.ts'
import { classOf, isKeptByDouble, trimBlanks } from '../../../src/columns/writer/value-oracle.testing.ts'
import type { ColumnFacts } from '../../../src/core/column-facts.ts'
import { type DeclaredValues, ruleCode, type Violation, violationTextMax } from '../../../src/core/declared-values.ts'
import type { ColumnType } from '../../../src/core/receipt.ts'
import type { DuckDBConnection } from '../../../src/engine/duckdb/duckdb.ts'
import { literal } from '../../../src/engine/sql/sql-text.ts'
import { type DeclaredColumn, declaredTarget } from '../../../src/service/schema/declared-column.ts'
import { readDeclared, violatedSql } from '../sql/declared-sql.ts'
import { firstBroken, plainNumber } from './exact-numbers.ts'

/** How a column is read. */
export interface Target {
  readonly type: ColumnType
  readonly values: DeclaredValues
}

/** A table as declared: what was accepted, and why the rest was not. */
export interface ReadTable {
  readonly targets: readonly Target[]
  /** The first rule that each record breaks, in order. */
  readonly violations: readonly Violation[]
  /** For each column the values of the accepted records, as DuckDB prints them. */
  readonly values: readonly (readonly (string | null)[])[]
  /** Of the accepted records. */
  readonly facts: readonly Omit<ColumnFacts, 'numberTexts'>[]
}

/** The rule that each text of a column breaks, and its value. */
interface ReadColumn {
  readonly rules: readonly (number | null)[]
  readonly values: readonly (string | null)[]
}

/** Types that depend on values are decided by the accepted records. */
export async function readBySql(
  duckDb: DuckDBConnection,
  columns: readonly DeclaredColumn[],
  table: Table,
): Promise<ReadTable> {
  const read = await readRules(duckDb, columns, table)
  const violations = table.flatMap((record, i) => firstViolation(record, i, read))
  const broken = new Set(violations.map(({ record }) => record - 1))
  const accepted = <Item>(items: readonly Item[]) => items.filter((_, i) => !broken.has(i))
  const facts = factsOf(accepted(table), columns)
  const targets = columns.map((column, i) => targetOf(column, facts[i]!))
  // Doubles are read already: the nearest ones.
  const open = columns.flatMap(({ type }, i) => (type === 'byValues' && targets[i]!.type.kind !== 'number' ? [i] : []))
  const written = await readColumns(
    duckDb,
    table,
    open.map((place) => ({ place, type: targets[place]!.type, values: { ...targets[place]!.values, checks: [] } })),
  )
  const values = read.map((one, i) => {
    const found = (written[open.indexOf(i)] ?? one).values
    // Texts keep the blanks around them.
    const isText = open.includes(i) && targets[i]!.type.kind === 'text'
    return accepted(isText ? found.map((value, record) => value && (table[record]![i] ?? '')) : found)
  })
  for (const [k, place] of open.entries()) {
    if (accepted(written[k]!.rules).some((rule) => rule === ruleCode.type || rule === ruleCode.range))
      throw new Error(`An accepted value of column ${place} does not fit ${JSON.stringify(targets[place]!.type)}`)
  }
  return { targets, violations, values, facts }
}

export function targetOf(column: DeclaredColumn, facts: ColumnFacts): Target {
  const { type, values } = declaredTarget(column, facts)
  return { type, values }
}

/** The rules that the texts of each column break, whatever its type will be. */
async function readRules(
  duckDb: DuckDBConnection,
  columns: readonly DeclaredColumn[],
  table: Table,
): Promise<readonly ReadColumn[]> {
  const wanted = columns.map(({ type, values }, place): PlacedTarget => {
    const { form } = values
    // Compared exactly, not by SQL.
    if (form.kind === 'number')
      return { place, type: { kind: 'number' }, values: { ...values, form: { ...form, isNearest: true }, checks: [] } }
    if (type !== 'byValues') return { place, type, values }
    return { place, type: { kind: 'text' }, values: { ...values, form: { kind: 'moment' } } }
  })
  const read = await readColumns(duckDb, table, wanted)
  return columns.map(({ values }, i) => {
    const texts = table.map((record) => record[i] ?? null)
    if (values.form.kind === 'json') return readJson(values.form.of, read[i]!, texts)
    return values.form.kind === 'number' ? readNumbers({ ...values, form: values.form }, read[i]!, texts) : read[i]!
  })
}

/** Empty fields are text unless the empty text is missing. */
function factsOf(table: Table, columns: readonly DeclaredColumn[]): ReadTable['facts'] {
  const cells = table.map((record) =>
    columns.map(({ values: { missing } }, i) => {
      const text = record[i] ?? ''
      return missing.includes(text) || missing.includes(trimBlanks(text)) ? null : text
    }),
  )
  const facts = plainFacts(cells)
  return columns.map((_, i) => facts[i] ?? { records: 0, nulls: 0, nullWords: {}, classes: {} })
}

function firstViolation(record: Table[number], i: number, read: readonly ReadColumn[]): readonly Violation[] {
  const column = read.findIndex(({ rules }) => rules[i] !== null)
  if (column < 0) return []
  const value = [...(record[column] ?? '')].slice(0, violationTextMax).join('')
  return [{ record: i + 1, column, rule: read[column]!.rules[i]!, value }]
}

interface PlacedTarget extends Target {
  /** Of the column in the table. */
  readonly place: number
}

/** By one statement: each takes longer to plan than to run. */
async function readColumns(
  duckDb: DuckDBConnection,
  table: Table,
  placed: readonly PlacedTarget[],
): Promise<readonly ReadColumn[]> {
  if (table.length === 0 || placed.length === 0) return placed.map(() => ({ rules: [], values: [] }))
  const width = table[0]!.length
  const sqls = placed.map(({ place, type, values }, k) => {
    const read = readDeclared(values, type, `c${place}`)
    const rule = violatedSql(values, type, { ...read, value: `t${k}` })
    const value = `CASE WHEN NOT ${read.isMissing} THEN CAST(t${k} AS VARCHAR) END`
    return { wanted: `${rule}, ${value}`, read: `${read.value} AS t${k}` }
  })
  const rows = table.map((record) => `(${record.map(textLiteral).join(', ')})`)
  const names = Array.from({ length: width }, (_, i) => `c${i}`)
  const texts = `(VALUES ${rows.join(', ')}) AS texts(${names.join(', ')})`
  const values = `(SELECT *, ${sqls.map(({ read }) => read).join(', ')} FROM ${texts})`
  const result = await duckDb.runAndReadAll(`SELECT ${sqls.map(({ wanted }) => wanted).join(', ')} FROM ${values}`)
  // The statement has these types.
  const found = result.getRowsJson() as readonly (readonly (string | number | null)[])[]
  return placed.map((_, k) => ({
    rules: found.map((row) => row[2 * k] as number | null),
    values: found.map((row) => row[2 * k + 1] as string | null),
  }))
}

/** A number that a double does not keep is accepted if facts count its digits, and the nearest double is finite. */
function readNumbers(
  { form, checks }: DeclaredValues & { readonly form: { readonly kind: 'number' } },
  { rules, values }: ReadColumn,
  texts: readonly (string | null)[],
): ReadColumn {
  const counted: readonly string[] = form.counted
  const read = texts.map((padded, i) => {
    if (rules[i] !== null || values[i] === null) return rules[i]!
    const text = trimBlanks(padded ?? '')
    if (!isKeptByDouble(plainNumber(text, form)) && !counted.includes(classOf(text))) return ruleCode.range
    return firstBroken(text, form, checks)
  })
  return { rules: read, values }
}

/** RFC 8259 counts: DuckDB also reads `[1,]` and `[NaN]` as JSON, but not `["\ud800"]` and `[1e999]`. */
function readJson(
  of: 'OBJECT' | 'ARRAY',
  { rules, values }: ReadColumn,
  texts: readonly (string | null)[],
): ReadColumn {
  const read = texts.map((text, i) => {
    const isMissing = rules[i] === ruleCode.required || (rules[i] === null && values[i] === null)
    if (isMissing) return { rule: rules[i]!, value: null }
    const isRight = kindOfJson(text ?? '') === of
    return isRight ? { rule: null, value: text ?? '' } : { rule: ruleCode.type, value: null }
  })
  return { rules: read.map(({ rule }) => rule), values: read.map(({ value }) => value) }
}

function kindOfJson(text: string): string | null {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null) return null
    return Array.isArray(value) ? 'ARRAY' : 'OBJECT'
  } catch {
    return null
  }
}

function textLiteral(text: string | null): string {
  return text === null ? 'CAST(NULL AS VARCHAR)' : literal(text)
}
