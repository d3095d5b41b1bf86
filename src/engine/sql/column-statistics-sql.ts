// Column statistics SQL: statements that count and measure the column values of Parquet parts. Every result is text or null.
import type { PartColumn } from './rows-sql.ts'
import { partsSql } from './rows-sql.ts'
import { identifier, literal } from './sql-text.ts'

/** What is measured of a column: numbers as they are, times as a count of units, texts by their length. */
export interface MeasuredColumn {
  readonly kind: 'int' | 'float' | 'bool' | 'date' | 'timestamp' | 'timestamptz' | 'text'
  readonly name: string
}

export function measured({ name, type }: PartColumn): MeasuredColumn {
  if (type === 'BIGINT') return { kind: 'int', name }
  if (type === 'DOUBLE' || type.startsWith('DECIMAL')) return { kind: 'float', name }
  if (type === 'BOOLEAN') return { kind: 'bool', name }
  if (type === 'DATE') return { kind: 'date', name }
  if (type === 'TIMESTAMP') return { kind: 'timestamp', name }
  if (type === 'TIMESTAMP WITH TIME ZONE') return { kind: 'timestamptz', name }
  return { kind: 'text', name }
}

/**
 * How different values are counted: in a list that holds all of them; or as one in so many, a power of two, by their
 * hashes. One in one are all.
 */
export type Distinct = 'listed' | { readonly oneIn: number }

/**
 * For each column, returns the number of values, the number of different values, and the least and the greatest
 * measure. For texts, the latter two are replaced by a JSON object with the number of texts of each length, and null;
 * for booleans, the last three by the number of true values, and null.
 */
export function rangesSql(paths: readonly string[], columns: readonly MeasuredColumn[], distinct: Distinct): string {
  const values = columns.map((column) => {
    const name = identifier(column.name)
    if (column.kind === 'bool') return [`count(${name})`, `count_if(${name})`, 'NULL', 'NULL'].map(asText).join(', ')
    // 64-bit hashes distinguish the values of a small dataset; the values themselves can be long. Only the ends are
    // measured: all measures ascend with the values.
    const ends =
      column.kind === 'text'
        ? [`to_json(histogram(${measureOf(column)}))`, 'NULL']
        : [measureOf(column, `min(${name})`), measureOf(column, `max(${name})`)]
    return [`count(${name})`, distinctSql(name, distinct), ...ends].map(asText).join(', ')
  })
  return `SELECT ${values.join(', ')} FROM ${partsSql(paths)}`
}

function distinctSql(name: string, distinct: Distinct): string {
  const hashes = `hash(${name})) FILTER (${name} IS NOT NULL`
  if (distinct === 'listed') return `coalesce(array_unique(list(${hashes})), 0)`
  return `count(DISTINCT ${hashes}${distinct.oneIn === 1 ? '' : ` AND hash(${name}) & ${distinct.oneIn - 1} = 0`})`
}

/** Returns the number of different values of a column. */
export function distinctCountSql(paths: readonly string[], { name }: MeasuredColumn): string {
  return `SELECT ${asText(distinctSql(identifier(name), { oneIn: 1 }))} FROM ${partsSql(paths)}`
}

/**
 * Returns for each column its different values with their counts, as a JSON object. For few different values.
 *
 * @param isLarge True for many records with few columns, each of which is then read separately.
 */
export function frequenciesSql(paths: readonly string[], columns: readonly MeasuredColumn[], isLarge: boolean): string {
  const counts = columns.map(({ name }) => asText(countsSql(paths, asText(identifier(name)), isLarge)))
  if (isLarge) return `SELECT ${counts.join(', ')}`
  return `SELECT ${counts.join(', ')} FROM ${partsSql(paths)}`
}

/**
 * The count of each of a few values, as a JSON object. Groups are counted in less than half the time of `histogram`,
 * but in a separate scan, which costs more with many columns or few records.
 */
function countsSql(paths: readonly string[], value: string, isLarge: boolean): string {
  if (!isLarge) return `to_json(histogram(${value}))`
  const groups = `SELECT ${value} AS one, count(*) AS times FROM ${partsSql(paths)} GROUP BY 1`
  return `(SELECT to_json(map_from_entries(list((one, times) ORDER BY one))) FROM (${groups}) WHERE one IS NOT NULL)`
}

/** The distribution of a column's measures between the least and the greatest. */
export interface Shape {
  readonly column: MeasuredColumn
  /** Measures are divided by this power of two, so that no sum of squares exceeds the range of a double. */
  readonly scale: number
  readonly bins: Bins
  /** Number of values. */
  readonly count: number
  /** The quartiles are those of about one in so many values; of all if 1. */
  readonly quartilesOfOneIn: number
}

/**
 * The bin of a measure: the number of times that `width` fits between `min` and it; a fraction near the end may give
 * `count`.
 */
export type Bins =
  | {
      readonly kind: 'whole'
      readonly count: number
      readonly min: bigint
      readonly width: bigint
      /** From the least measure to the greatest. */
      readonly span: bigint
    }
  /** Bins of measures divided by the scale. */
  | { readonly kind: 'fraction'; readonly count: number; readonly min: number; readonly width: number }

/**
 * Returns for each column the mean, the standard deviation, the quartiles as a JSON array, and counts by bin as a JSON
 * object. Of whole measures, these are those above the least: the sum in place of the mean, and in place of each quartile
 * the two values around it, as texts.
 *
 * @param isLarge As in `frequenciesSql`.
 */
export function shapesSql(paths: readonly string[], shapes: readonly Shape[], isLarge: boolean): string {
  const values = shapes.map(({ column, count, scale, bins, quartilesOfOneIn }) => {
    const only = quartilesOfOneIn === 1 ? '' : ` FILTER (random() < ${1 / quartilesOfOneIn})`
    if (bins.kind === 'whole') {
      const above = aboveLeast(column, bins)
      const ranks = [1, 2, 3].flatMap((part) => [Math.floor, Math.ceil].map((round) => round((part * (count - 1)) / 4)))
      const quartiles = `quantile_disc(${above}, [${ranks.map((rank) => double((rank + 0.5) / count)).join(', ')}])${only}`
      const bin = bins.count === 1 ? onlyBin(above) : `CAST(${above} // ${bins.width} AS TINYINT)`
      return [
        `sum(${above})`,
        `stddev_samp(CAST(${above} AS DOUBLE))`,
        `to_json(CAST(${quartiles} AS VARCHAR[]))`,
        countsSql(paths, bin, isLarge),
      ]
    }
    const measure = measureOf(column)
    const scaled = scale === 1 ? measure : `${measure} / ${double(scale)}`
    const bin = `CAST(floor((${scaled} - ${double(bins.min)}) / ${double(bins.width)}) AS TINYINT)`
    return [
      `avg(${scaled})`,
      `stddev_samp(${scaled})`,
      `to_json(quantile_cont(${scaled}, [0.25, 0.5, 0.75])${only})`,
      countsSql(paths, bins.count === 1 ? onlyBin(measure) : bin, isLarge),
    ]
  })
  return `SELECT ${values.flat().map(asText).join(', ')} FROM ${partsSql(paths)}`
}

/** A whole measure less the least one. */
function aboveLeast(column: MeasuredColumn, { min, span }: { readonly min: bigint; readonly span: bigint }): string {
  const type = span >= 2n ** 63n ? 'HUGEINT' : 'BIGINT'
  return `(CAST(${measureOf(column)} AS ${type}) - CAST('${min}' AS ${type}))`
}

function onlyBin(measure: string): string {
  return `CASE WHEN ${measure} IS NOT NULL THEN 0 END`
}

function measureOf({ kind, name }: MeasuredColumn, value = identifier(name)): string {
  switch (kind) {
    case 'int':
      return value
    case 'float':
      return `CAST(${value} AS DOUBLE)`
    case 'bool':
      return `CAST(${value} AS BIGINT)`
    case 'date':
      return `CAST(${value} - DATE '1970-01-01' AS BIGINT)`
    case 'timestamp':
    case 'timestamptz':
      return `epoch_us(${value})`
    case 'text':
      return `CAST(length(CAST(${value} AS VARCHAR)) AS BIGINT)`
  }
}

/** From text, which is read exactly. */
function double(number: number): string {
  return `CAST(${literal(String(number))} AS DOUBLE)`
}

function asText(sql: string): string {
  return `CAST(${sql} AS VARCHAR)`
}
