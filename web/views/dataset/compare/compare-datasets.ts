// Compare datasets: finds the rows of two datasets that were added, removed or changed, by a key, with few queries. Knows no element.
import { quotedName } from '../rows/row-view.ts'

export type Row = readonly unknown[]
/** Runs SQL over one dataset. */
export type Ask = (sql: string) => Promise<readonly Row[]>

export interface Comparison {
  readonly added: number
  readonly removed: number
  readonly changed: number
  /** Rows of either dataset that share their key with another row of it. */
  readonly repeatedKeys: number
  /** At most `shownMax` of each. */
  readonly addedKeys: readonly (string | null)[]
  readonly removedKeys: readonly (string | null)[]
  readonly changedKeys: readonly (string | null)[]
}

export const shownMax = 100
/** Rows are first compared in this many groups, so that only groups that differ are compared row by row. */
const partCount = 4_096
/** Maximum rows of a query; beyond this, differences are not listed individually. */
const rowsMax = 1_000_000

export class TooManyDifferences extends Error {}

const text = (column: string) => `CAST(${quotedName(column)} AS VARCHAR)`

/** Values are compared as text, so that readings with different types can be compared. */
function hashSql(columns: readonly string[]): string {
  return `hash(${columns.map(text).join(', ')})`
}

/**
 * @param key The column that identifies rows; rows without a value in it share the key null.
 * @param columns The columns to compare, which both datasets have.
 * @throws {TooManyDifferences}
 */
export async function compareDatasets(
  ask: { readonly before: Ask; readonly after: Ask },
  key: string,
  columns: readonly string[],
): Promise<Comparison> {
  const part = `hash(${text(key)}) % ${partCount}`
  const partsSql = `SELECT ${part} AS part, CAST(sum(${hashSql([key, ...columns])}) AS VARCHAR), count(*) FROM data GROUP BY part`
  const [partsBefore, partsAfter] = await Promise.all([ask.before(partsSql), ask.after(partsSql)])
  const differing = differingParts(partsBefore, partsAfter)
  const isIn = (rows: readonly Row[]) =>
    rows.reduce((sum, [one, , count]) => (differing.has(String(one)) ? sum + Number(count) : sum), 0)
  if (Math.max(isIn(partsBefore), isIn(partsAfter)) > rowsMax) throw new TooManyDifferences()
  if (differing.size === 0) return summary(new Map(), new Map())
  const where = differing.size === partCount ? '' : ` WHERE ${part} IN (${[...differing].join(', ')})`
  const rowsSql = `SELECT ${text(key)}, CAST(${hashSql(columns)} AS VARCHAR) FROM data${where}`
  const [before, after] = await Promise.all([ask.before(rowsSql), ask.after(rowsSql)])
  return summary(byKey(before), byKey(after))
}

function differingParts(before: readonly Row[], after: readonly Row[]): ReadonlySet<string> {
  const sums = new Map(before.map(([part, ...sum]) => [String(part), sum.join(' ')]))
  const differing = new Set<string>()
  for (const [part, ...sum] of after) {
    if (sums.get(String(part)) !== sum.join(' ')) differing.add(String(part))
    sums.delete(String(part))
  }
  for (const part of sums.keys()) differing.add(part)
  return differing
}

type Keyed = Map<string | null, readonly string[]>

function byKey(rows: readonly Row[]): Keyed {
  const keyed = new Map<string | null, string[]>()
  for (const [key, hash] of rows) {
    const name = key === null ? null : String(key)
    const hashes = keyed.get(name)
    if (hashes === undefined) keyed.set(name, [String(hash)])
    else hashes.push(String(hash))
  }
  return keyed
}

/**
 * Of rows with the same key, those in both datasets are removed first; the remaining ones have changed if they can be
 * paired.
 */
function summary(before: Keyed, after: Keyed): Comparison {
  const found = { added: 0, removed: 0, changed: 0 }
  const keys: Record<keyof typeof found, (string | null)[]> = { added: [], removed: [], changed: [] }
  let repeatedKeys = 0
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const [left, right] = [before.get(key) ?? [], after.get(key) ?? []]
    repeatedKeys += (left.length > 1 ? left.length : 0) + (right.length > 1 ? right.length : 0)
    const rest = without(left, right)
    const fresh = without(right, left)
    const changed = Math.min(rest.length, fresh.length)
    const counts = { changed, removed: rest.length - changed, added: fresh.length - changed }
    for (const kind of ['added', 'removed', 'changed'] as const) {
      found[kind] += counts[kind]
      if (counts[kind] > 0 && keys[kind].length < shownMax) keys[kind].push(key)
    }
  }
  return { ...found, repeatedKeys, addedKeys: keys.added, removedKeys: keys.removed, changedKeys: keys.changed }
}

/** Each row as often as it is in `all` beyond `others`. */
function without(all: readonly string[], others: readonly string[]): readonly string[] {
  const left = new Map<string, number>()
  for (const one of others) left.set(one, (left.get(one) ?? 0) + 1)
  return all.filter((one) => {
    const count = left.get(one) ?? 0
    left.set(one, count - 1)
    return count <= 0
  })
}

/** The rows with some keys, preceded by the key as text. */
export function rowsOfKeysSql(key: string, columns: readonly string[], keys: readonly (string | null)[]): string {
  const texts = keys.filter((one) => one !== null).map((one) => `'${one.replaceAll("'", "''")}'`)
  const conditions = [
    ...(texts.length > 0 ? [`${text(key)} IN (${texts.join(', ')})`] : []),
    ...(keys.includes(null) ? [`${quotedName(key)} IS NULL`] : []),
  ]
  return `SELECT ${[key, ...columns].map(text).join(', ')} FROM data WHERE ${conditions.join(' OR ')} ORDER BY ALL LIMIT ${2 * shownMax}`
}
