// Examples: statements that make sense for the columns of a dataset. Knows no element.
import { nameOf } from './complete.ts'

interface ExampleColumn {
  readonly name: string
  readonly type: string
}

export function examplesFor(columns: readonly ExampleColumn[]): readonly string[] {
  const ofType = (pattern: RegExp) => columns.find(({ type }) => pattern.test(type))
  const named = (column: ExampleColumn | undefined) => column && nameOf(column.name, false)
  const group = named(ofType(/^text|^boolean/) ?? columns[0])
  const value = named(ofType(/^decimal|^number/) ?? ofType(/^integer/))
  const time = named(ofType(/^date|^timestamp/))
  return [
    'SUMMARIZE data',
    group && `SELECT ${group}, count(*) AS n FROM data GROUP BY ALL ORDER BY n DESC LIMIT 20`,
    group &&
      value &&
      value !== group &&
      `SELECT ${group}, sum(${value}) AS total, median(${value}) AS middle FROM data GROUP BY ALL ORDER BY total DESC LIMIT 20`,
    time && `SELECT date_trunc('month', ${time}) AS month, count(*) AS n FROM data GROUP BY ALL ORDER BY month`,
    value && `FROM data WHERE ${value} = (SELECT max(${value}) FROM data) LIMIT 20`,
    group && `SELECT ${group}, count(*) AS n FROM data GROUP BY ALL HAVING n > 1 ORDER BY n DESC`,
    'FROM data USING SAMPLE 20 ROWS',
  ].filter((statement) => typeof statement === 'string')
}
