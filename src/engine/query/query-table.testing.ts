// Query table: tables for tests of queries, over any files. Verifies nothing.
import type { QueryTable, TableKey } from './query.ts'

export function tableOf(paths: readonly string[], columns: readonly string[], key: Partial<TableKey> = {}): QueryTable {
  return { key: { owner: 'anna', id: 'a', publish: '1', ...key }, columns, withPaths: (use) => use(paths) }
}
