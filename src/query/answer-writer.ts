// Answer writer: rows as JSON, NDJSON or CSV, whatever the values are. Knows no limits and no streams.
import type { AnswerFormat } from './query.ts'

export interface AnswerColumn {
  readonly name: string
  readonly type: string
}

/** How a value is written in a row; `column` counts from 0. */
export interface CellTexts<Value> {
  json(value: Value, column: number): string
  csv(value: Value, column: number): string
}

/** Writes a result piece by piece. */
export interface AnswerWriter<Value> {
  head(): string
  row(values: readonly Value[], isFirst: boolean): string
  /** Null if the format cannot mark missing rows. */
  tail(isTruncated: boolean): string | null
}

export function createWriter<Value>(
  format: AnswerFormat,
  columns: readonly AnswerColumn[],
  texts: CellTexts<Value>,
): AnswerWriter<Value> {
  return writers[format](columns, texts)
}

const writers: Readonly<
  Record<AnswerFormat, <Value>(columns: readonly AnswerColumn[], texts: CellTexts<Value>) => AnswerWriter<Value>>
> = {
  json: (columns, { json }) => ({
    head: () => `{"columns":${JSON.stringify(columns)},"rows":[`,
    row: (values, isFirst) => `${isFirst ? '' : ','}[${values.map(json).join(',')}]`,
    tail: (isTruncated) => `],"truncated":${isTruncated}}\n`,
  }),
  ndjson: (columns, { json }) => {
    const keys = distinctNames(columns.map(({ name }) => name)).map((name) => `${JSON.stringify(name)}:`)
    return {
      head: () => '',
      row: (values) => `{${values.map((value, i) => keys[i] + json(value, i)).join(',')}}\n`,
      tail: (isTruncated) => (isTruncated ? null : ''),
    }
  },
  csv: (columns, { csv }) => ({
    head: () => `${columns.map(({ name }) => csvCell(name)).join(',')}\r\n`,
    row: (values) => `${values.map(csv).join(',')}\r\n`,
    tail: (isTruncated) => (isTruncated ? null : ''),
  }),
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

export function csvCell(text: string): string {
  return text === '' || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** JSON has a negative zero, but JavaScript does not write it. */
export function numberText(value: number): string {
  return Object.is(value, -0) ? '-0.0' : String(value)
}
