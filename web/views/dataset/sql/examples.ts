// Examples: statements that make sense for the columns of a dataset. Knows no element.
import { quotedName } from '../rows/row-view.ts'

interface ExampleColumn {
  readonly name: string
  readonly type: string
}

const nameOf = (name: string) => (/^[a-z_][a-z0-9_]*$/i.test(name) ? name : quotedName(name))

export function examplesFor(columns: readonly ExampleColumn[]): readonly string[] {
  const ofType = (pattern: RegExp) => columns.find(({ type }) => pattern.test(type))?.name
  const [first] = columns
  const group = ofType(/^text|^boolean/) ?? first?.name
  const value = ofType(/^decimal|^number/) ?? ofType(/^integer/)
  const time = ofType(/^date|^timestamp/)
  return [
    'SUMMARIZE data',
    ...(group === undefined
      ? []
      : [`SELECT ${nameOf(group)}, count(*) AS n FROM data GROUP BY ALL ORDER BY n DESC LIMIT 20`]),
    ...(group === undefined || value === undefined || value === group
      ? []
      : [
          `SELECT ${nameOf(group)}, sum(${nameOf(value)}) AS total, median(${nameOf(value)}) AS middle FROM data GROUP BY ALL ORDER BY total DESC LIMIT 20`,
        ]),
    ...(time === undefined
      ? []
      : [`SELECT date_trunc('month', ${nameOf(time)}) AS month, count(*) AS n FROM data GROUP BY ALL ORDER BY month`]),
    ...(value === undefined
      ? []
      : [`FROM data WHERE ${nameOf(value)} = (SELECT max(${nameOf(value)}) FROM data) LIMIT 20`]),
    ...(group === undefined
      ? []
      : [`SELECT ${nameOf(group)}, count(*) AS n FROM data GROUP BY ALL HAVING n > 1 ORDER BY n DESC`]),
    'FROM data USING SAMPLE 20 ROWS',
  ]
}
