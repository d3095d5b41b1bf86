// Format result: DuckDB values as a result in JSON, NDJSON or CSV. Knows no limits and no streams.
import {
  DuckDBArrayValue,
  DuckDBDateValue,
  DuckDBListValue,
  DuckDBMapValue,
  DuckDBStructValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  DuckDBUnionValue,
  type DuckDBValue,
  DuckDBVariantValue,
} from '../duckdb/duckdb.ts'
import type { ResultFormat } from './query.ts'

export interface ResultColumn {
  readonly name: string
  readonly type: string
}

/** Writes a result piece by piece. */
export interface ResultWriter {
  head(): string
  row(values: readonly DuckDBValue[], isFirst: boolean): string
  /** Null if the format cannot mark missing rows. */
  tail(isTruncated: boolean): string | null
}

export function createResultWriter(format: ResultFormat, columns: readonly ResultColumn[]): ResultWriter {
  return writers[format](columns)
}

const writers: Readonly<Record<ResultFormat, (columns: readonly ResultColumn[]) => ResultWriter>> = {
  json: (columns) => ({
    head: () => `{"columns":${JSON.stringify(columns)},"rows":[`,
    row: (values, isFirst) => `${isFirst ? '' : ','}[${values.map(jsonText).join(',')}]`,
    tail: (isTruncated) => `],"truncated":${isTruncated}}\n`,
  }),
  ndjson: (columns) => {
    const keys = distinctNames(columns.map(({ name }) => name)).map((name) => `${JSON.stringify(name)}:`)
    return {
      head: () => '',
      row: (values) => `{${values.map((value, i) => keys[i] + jsonText(value)).join(',')}}\n`,
      tail: (isTruncated) => (isTruncated ? null : ''),
    }
  },
  csv: (columns) => ({
    head: () => `${columns.map(({ name }) => csvCell(name)).join(',')}\r\n`,
    // Readers skip an empty line, so a null alone is written as an empty text, as by Python's csv.writer.
    row: (values) => `${values.map(csvText).join(',') || '""'}\r\n`,
    tail: (isTruncated) => (isTruncated ? null : ''),
  }),
}

/** A value as JSON text. Types without an exact JSON form (long integers, decimals, dates) are text, as on a page of rows. */
export function jsonText(value: DuckDBValue): string {
  if (value === null) return 'null'
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'boolean') return String(value)
  if (typeof value === 'bigint') return isSafe(value) ? String(value) : `"${value}"`
  if (typeof value === 'number') return Number.isFinite(value) ? numberText(value) : `"${value}"`
  if (value instanceof DuckDBListValue || value instanceof DuckDBArrayValue) return listText(value.items)
  if (value instanceof DuckDBStructValue) return objectText(Object.entries(value.entries))
  if (value instanceof DuckDBMapValue) {
    return `[${value.entries.map((entry) => objectText(Object.entries(entry))).join(',')}]`
  }
  if (value instanceof DuckDBUnionValue || value instanceof DuckDBVariantValue) return jsonText(value.value)
  return JSON.stringify(plainText(value))
}

function listText(items: readonly DuckDBValue[]): string {
  return `[${items.map(jsonText).join(',')}]`
}

function objectText(entries: readonly (readonly [string, DuckDBValue])[]): string {
  return `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${jsonText(value)}`).join(',')}}`
}

/** A value as a CSV field: nothing for null, and quotes around an empty text, so that readers can distinguish them. */
function csvText(value: DuckDBValue): string {
  if (value === null) return ''
  if (typeof value === 'string') return csvCell(value)
  if (typeof value === 'number') return Number.isFinite(value) ? numberText(value) : String(value)
  if (typeof value === 'bigint' || typeof value === 'boolean') return String(value)
  const isNested =
    value instanceof DuckDBListValue ||
    value instanceof DuckDBArrayValue ||
    value instanceof DuckDBStructValue ||
    value instanceof DuckDBMapValue
  if (value instanceof DuckDBUnionValue || value instanceof DuckDBVariantValue) return csvText(value.value)
  return csvCell(isNested ? jsonText(value) : plainText(value))
}

/** An instant as on a page of rows; anything else as DuckDB writes it. */
function plainText(value: DuckDBValue): string {
  // The binding returns an infinite date as a very late one.
  if (value instanceof DuckDBDateValue && !value.isFinite) return value.days > 0 ? 'infinity' : '-infinity'
  if (!(value instanceof DuckDBTimestampTZValue)) return String(value)
  const text = new DuckDBTimestampValue(value.micros).toString()
  return value.isFinite ? `${text.replace(' ', 'T')}Z` : text
}

function isSafe(value: bigint): boolean {
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER
}

const ownNames: readonly (readonly [RegExp, string])[] = [
  [/^U?(TINY|SMALL|BIG|HUGE)INT$|^U?INTEGER$/, 'integer'],
  [/^(FLOAT|DOUBLE)$/, 'number'],
  [/^VARCHAR$/, 'text'],
  [/^TIMESTAMP WITH TIME ZONE$/, 'timestamptz'],
]

/** A DuckDB type as named in receipts; a type that receipts lack keeps its name, in lower case. */
export function typeName(type: string): string {
  const own = ownNames.find(([pattern]) => pattern.test(type))
  return own?.[1] ?? type.toLowerCase()
}

/** Names that can be keys of one object: a repeated name gets a number. */
function distinctNames(names: readonly string[]): readonly string[] {
  const taken = new Set<string>()
  return names.map((name) => {
    let free = name
    for (let i = 1; taken.has(free); i++) free = `${name}_${i}`
    taken.add(free)
    return free
  })
}

function csvCell(text: string): string {
  return text === '' || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** JSON has a negative zero, but JavaScript does not write it. */
function numberText(value: number): string {
  return Object.is(value, -0) ? '-0.0' : String(value)
}
