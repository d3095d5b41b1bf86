// DuckDB reader: reads parts back in its own child processes, so that no download waits for a conversion.
import { forEachLimit } from '../io/for-each-limit.ts'
import type { ColumnStatistics, PartReader } from './part-reader.ts'
import { ReaderPool, type ReaderPoolOptions } from './readers/reader-pool.ts'
import type { RecordWindow } from './sql/rows-sql.ts'

/**
 * One job measures as much as takes less than a second, so that no page of rows waits for longer and all children have
 * work.
 */
const valuesAtOnce = 4_000_000
const columnsAtOnceMax = 32

/**
 * Reads with DuckDB in child processes: one usually, and up to `size` once as many columns of a large dataset are to be
 * measured.
 */
export function createPartReader(options: ReaderPoolOptions): PartReader {
  const pool = new ReaderPool(options)
  return {
    async rows(parts, columns, offset, limit, signal) {
      const { paths, windows } = windowsOf(parts, offset, limit)
      if (paths.length === 0 || columns.length === 0) return []
      return pool.run('rows', { paths, windows, columns }, signal)
    },

    async matchingRows(parts, columns, match, { offset, limit }, signal) {
      if (parts.length === 0) return []
      const paths = parts.map(({ path }) => path)
      return pool.run('matchingRows', { paths, columns, match, offset, limit }, signal)
    },

    async lines(paths, columns, window, target, signal) {
      await pool.run('lines', { paths, window, columns, ...target }, signal)
    },

    async measure(parts, columns, signal) {
      const paths = parts.map(({ path }) => path)
      const records = parts.reduce((sum, part) => sum + part.records, 0)
      const columnsAtOnce = Math.max(1, Math.min(columnsAtOnceMax, Math.floor(valuesAtOnce / Math.max(1, records))))
      const measured: ColumnStatistics[] = []
      const starts = Array.from({ length: Math.ceil(columns.length / columnsAtOnce) }, (_, i) => i * columnsAtOnce)
      await forEachLimit(starts, options.size, async (from, failed) => {
        const some = columns.slice(from, from + columnsAtOnce)
        const job = { paths, columns: some, records }
        const statistics = await pool.run('measure', job, AbortSignal.any([signal, failed]))
        for (const [i, one] of statistics.entries()) measured[from + i] = one
      })
      return measured
    },

    async difference(part, parts, columns, offset, signal) {
      const others = windowsOf(parts, offset, part.records)
      if (others.paths.length === 0) return part.records === 0 ? null : { record: 0, column: 0 }
      const whole = parts.reduce((sum, { path, records }) => sum + (others.paths.includes(path) ? records : 0), 0)
      const job = {
        paths: [part.path, ...others.paths],
        columns,
        offset: others.windows[0]?.offset ?? 0,
        limit: part.records,
        isWhole: whole === part.records,
      }
      const place = await pool.run('difference', job, signal)
      return place === null ? null : { record: Math.floor(place / columns.length), column: place % columns.length }
    },

    check: () => pool.check(),

    close: () => pool.close(),
  }
}

/** The parts that contain records offset … offset+limit-1, and the range of records in each. */
function windowsOf(
  parts: readonly { readonly path: string; readonly records: number }[],
  offset: number,
  limit: number,
): { readonly paths: readonly string[]; readonly windows: readonly RecordWindow[] } {
  let start = 0
  const found = parts.flatMap(({ path, records }) => {
    const from = Math.max(0, offset - start)
    const to = Math.min(records, offset + limit - start)
    start += records
    return from < to ? [{ path, window: { offset: from, limit: to - from } }] : []
  })
  return { paths: found.map(({ path }) => path), windows: found.map(({ window }) => window) }
}
