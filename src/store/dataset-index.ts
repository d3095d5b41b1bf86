// Dataset index: which datasets exist, newest first, in an SQLite table. It is built from receipts and can be rebuilt.
import { rmSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { ServiceError } from '../core/errors.ts'
import type { Receipt, Upload } from '../core/receipt.ts'
import { storedFiles } from '../core/stored-files.ts'
import type { DatasetChange, ListedState, ListOrder, ListQuery, TrashedDataset, Usage } from './store.ts'

/** What lists order and filter by, from a receipt. */
export interface ListedFacts {
  readonly rowCount: number
  readonly rejectCount: number
  readonly fileBytes: number
  /** Names of the columns as `searchable` makes them, one a line; at most `columnNamesMax` characters. */
  readonly columnNames: string
  readonly sender: string
  /** SHA-256 of the original: versions of one file have the same. */
  readonly origin: string
}

export interface Entry {
  readonly id: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** When the last upload of its bytes ended: its age begins then. Epoch milliseconds. */
  readonly lastUploadAt: number
  /** File names as `searchable` makes them, for the name filter: the receipt's first, then others under which the file was sent. */
  readonly names: readonly string[]
  readonly owner: string
  /** Total of all its files. */
  readonly bytes: number
  /** When it was put in the trash, in epoch milliseconds; null if it is not there. */
  readonly trashedAt: number | null
  /** Its rejects need no more attention. */
  readonly isDismissed: boolean
  /** Null until its receipt has been read. */
  readonly facts: ListedFacts | null
}

/** Searchable names per dataset: a file that is sent under ever new names must not make searches slow. */
export const namesMax = 20
const nameLengthMax = 1_024
/** The name under which it is kept that the rejects of a dataset need no more attention. */
export const dismissedName = 'dismissed'
const columnNamesMax = 16_384

const counted = `INSERT INTO usage VALUES (new.owner, new.trashedAt IS NOT NULL, 1, new.bytes)
  ON CONFLICT DO UPDATE SET datasets = datasets + 1, bytes = bytes + new.bytes;`
const uncounted = `UPDATE usage SET datasets = datasets - 1, bytes = bytes - old.bytes
    WHERE owner = old.owner AND isTrash = (old.trashedAt IS NOT NULL);
  DELETE FROM usage WHERE owner = old.owner AND datasets = 0;`

/**
 * Triggers keep the sums, so that they are right however a change ends. `unsure` holds datasets that are being changed:
 * after a crash, whoever opens the table reads their receipts.
 */
const schema = `
  CREATE TABLE datasets (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, createdAt INTEGER NOT NULL, owner TEXT NOT NULL,
    bytes INTEGER NOT NULL, names TEXT NOT NULL, lastUploadAt INTEGER NOT NULL, trashedAt INTEGER,
    isDismissed INTEGER NOT NULL, rowCount INTEGER, rejectCount INTEGER, fileBytes INTEGER, columnNames TEXT,
    sender TEXT, origin TEXT) STRICT;
  CREATE TABLE usage (owner TEXT, isTrash INTEGER, datasets INTEGER NOT NULL, bytes INTEGER NOT NULL,
    PRIMARY KEY (owner, isTrash)) STRICT, WITHOUT ROWID;
  CREATE TRIGGER added AFTER INSERT ON datasets BEGIN ${counted} END;
  CREATE TRIGGER removed AFTER DELETE ON datasets BEGIN ${uncounted} END;
  CREATE TRIGGER moved AFTER UPDATE OF trashedAt ON datasets BEGIN ${uncounted} ${counted} END;
  CREATE TABLE unsure (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;`

/** Created once a new table has its rows: built from all of them at once, the indexes take a tenth of the time. */
const orders = `
  CREATE INDEX IF NOT EXISTS byOwner ON datasets (owner, trashedAt, createdAt DESC, id);
  CREATE INDEX IF NOT EXISTS byOrigin ON datasets (origin, owner, createdAt) WHERE trashedAt IS NULL;
  CREATE INDEX IF NOT EXISTS byAge ON datasets (lastUploadAt) WHERE trashedAt IS NULL;
  CREATE INDEX IF NOT EXISTS byTrashedAt ON datasets (trashedAt) WHERE trashedAt IS NOT NULL;
  PRAGMA cache_size = -2000`

const factNames = ['rowCount', 'rejectCount', 'fileBytes', 'columnNames', 'sender', 'origin'] as const
const columns = [
  ...['seq', 'id', 'createdAt', 'owner', 'bytes', 'names', 'lastUploadAt', 'trashedAt', 'isDismissed'],
  ...factNames,
]

interface Row extends Omit<Entry, 'names' | 'isDismissed' | 'facts'>, ListedFacts {
  readonly seq: number
  /** One a line. */
  readonly names: string
  /** All facts are null if the receipt has not been read. */
  readonly columnNames: string
  readonly isDismissed: number
}

/** What each order compares; of equal ones, the smaller id is first. */
const sortKeys: Readonly<Record<ListOrder['by'], string>> = {
  createdAt: 'createdAt',
  trashedAt: 'trashedAt',
  name: 'substr(names, 1, min(200, instr(names || char(10), char(10)) - 1))',
  rows: 'coalesce(rowCount, 0)',
  rejects: 'coalesce(rejectCount, 0)',
  bytes: 'coalesce(fileBytes, 0)',
}
const pageRows = 1_000
/** Prepared statements that are kept: the filters and orders of lists can be combined in thousands of ways. */
const statementsMax = 100
const listed = 'seq, id, owner, trashedAt, lastUploadAt FROM datasets'
const newestFirst: ListOrder = { by: 'createdAt', isDescending: true }

/**
 * Memory does not grow with the number of datasets: SQLite keeps 2 MB of the table. On disk, a dataset takes some 500
 * bytes.
 */
export class DatasetIndex implements Disposable {
  #database: DatabaseSync
  readonly #statements = new Map<string, ReturnType<DatabaseSync['prepare']>>()
  readonly #listeners = new Set<(change: DatasetChange) => void>()

  private constructor(database: DatabaseSync) {
    this.#database = database
  }

  /** A new index in memory. */
  static create(entries: Iterable<Entry> = []): DatasetIndex {
    const index = DatasetIndex.createEmpty(':memory:')
    index.together(() => {
      for (const entry of entries) index.add(entry)
    })
    index.complete()
    return index
  }

  /** A new index in an empty file. Add all datasets, then call `complete`. */
  static createEmpty(path: string): DatasetIndex {
    const memory = 'PRAGMA cache_size = -32768'
    return DatasetIndex.#opened(path, (index) => index.#database.exec(`${memory}; ${schema}`))
  }

  /** The index in a file, every page checked: 0.3 s for a million. @throws {Error} if it is no index, or damaged. */
  static open(path: string): DatasetIndex {
    return DatasetIndex.#opened(path, (index) => {
      const found = index.#get<{ quick_check: string }>('PRAGMA quick_check(1)')?.quick_check
      if (found !== 'ok') throw new Error(`Cannot use '${path}': ${found}`)
    })
  }

  static #opened(path: string, begin: (index: DatasetIndex) => void): DatasetIndex {
    const database = new DatabaseSync(path)
    try {
      database.exec('PRAGMA synchronous = OFF; PRAGMA journal_mode = WAL; PRAGMA locking_mode = EXCLUSIVE')
      const index = new DatasetIndex(database)
      begin(index)
      return index
    } catch (error) {
      database.close()
      throw error
    }
  }

  /** Calls `listener` with each change of a dataset, perhaps more than once, until disposed. */
  watch(listener: (change: DatasetChange) => void): Disposable {
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => this.#listeners.delete(listener) }
  }

  #changed(id: string, owner: string, change: DatasetChange['change']): void {
    for (const listener of this.#listeners) listener({ id, owner, change })
  }

  /** Builds what makes lists of a new index fast; does nothing to a complete one. */
  complete(): void {
    this.together(() => this.#database.exec(orders))
  }

  /** Combines several changes into one, which is faster; if it fails, none of them is made. */
  together(change: () => void): void {
    const isPart = this.#database.isTransaction
    try {
      if (!isPart) this.#database.exec('BEGIN')
      change()
      if (!isPart) this.#database.exec('COMMIT')
    } catch (error) {
      if (isPart) throw error
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK')
      this.#continueInMemory(error)
      this.together(change)
    }
  }

  /** A remembered fact about the index itself; null for none. */
  meta(key: string): string | null {
    return this.#get<{ value: string }>('SELECT value FROM meta WHERE key = ?', key)?.value ?? null
  }

  /**
   * Remembers a fact about the index itself. It is durable, with all earlier changes, when this returns. If that fails,
   * the index continues in memory: it is unknown what a failed sync has lost, and a second sync would not report it.
   */
  setMeta(key: string, value: string): void {
    try {
      this.#database.exec('PRAGMA synchronous = FULL; PRAGMA wal_checkpoint(TRUNCATE)')
      this.#run('INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value', key, value)
      this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
      this.#database.exec('PRAGMA synchronous = OFF')
    } catch (error) {
      this.#database.exec('PRAGMA synchronous = OFF')
      this.#continueInMemory(error)
      throw error
    }
  }

  get size(): number {
    return this.#get<{ size: number }>('SELECT coalesce(sum(datasets), 0) AS size FROM usage')?.size ?? 0
  }

  /** True for a dataset that is not in the trash. */
  has(id: string): boolean {
    return this.version(id) !== null
  }

  /** A number that differs each time a dataset is published; null if it is not in the index, or in the trash. */
  version(id: string): number | null {
    return this.#get<Row>('SELECT seq FROM datasets WHERE id = ? AND trashedAt IS NULL', id)?.seq ?? null
  }

  get(id: string): Entry | undefined {
    const row = this.#get<Row>('SELECT * FROM datasets WHERE id = ?', id)
    return row && entryOfRow(row)
  }

  /** All ids after one, ascending, with those in the trash. */
  *ids(after = ''): Generator<string> {
    for (const { id } of this.#inPages(listed, 'TRUE', ['id'], [after])) yield id
  }

  /** Marks a dataset as about to change: until `add`, `addName` or `markSure`, only its receipt is reliable. */
  markUnsure(id: string): void {
    this.#run('INSERT OR IGNORE INTO unsure VALUES (?)', id)
  }

  markAllUnsure(): void {
    this.#run('INSERT OR IGNORE INTO unsure SELECT id FROM datasets')
  }

  /** Marks the index entry of a dataset as right again. */
  markSure(id: string): void {
    this.#run('DELETE FROM unsure WHERE id = ?', id)
  }

  /** Datasets whose change was not completed. */
  *unsureIds(): Generator<string> {
    for (const { id } of this.#inPages('id FROM unsure', 'TRUE', ['id'], [''])) yield id
  }

  /** Adds a dataset that is not in the index yet. */
  add({ names, facts, isDismissed, ...entry }: Entry): void {
    const row = { ...entry, ...facts, names: textOf(names), isDismissed: Number(isDismissed) }
    this.together(() => {
      this.#run(...insertion(row))
      this.markSure(entry.id)
    })
    this.#changed(entry.id, entry.owner, entry.trashedAt === null ? 'stored' : 'trashed')
  }

  /** Removes a dataset, and marks it as unsure; undefined if it is not in the index. */
  delete(id: string): Entry | undefined {
    const entry = this.get(id)
    if (entry === undefined) return undefined
    this.together(() => {
      this.markUnsure(id)
      this.#run('DELETE FROM datasets WHERE id = ?', id)
    })
    this.#changed(id, entry.owner, 'deleted')
    return entry
  }

  /** Puts a dataset in the trash at a time, or takes it out with null. It is still the same publish. */
  move(id: string, trashedAt: number | null): void {
    this.#update(id, { trashedAt }, trashedAt === null ? 'restored' : 'trashed')
  }

  dismiss(id: string, isDismissed: boolean): void {
    this.#update(id, { isDismissed: Number(isDismissed) }, 'dismissed')
  }

  /** Adds what its receipt says. */
  describe(id: string, facts: ListedFacts): void {
    this.#update(id, { ...facts })
  }

  /** Datasets whose receipts have not been read. */
  undescribed(): Generator<{ readonly id: string }> {
    return this.#inPages(listed, 'origin IS NULL', ['seq'], [0])
  }

  #update(id: string, values: Readonly<Record<string, SQLInputValue>>, change?: DatasetChange['change']): void {
    const owner = this.get(id)?.owner
    if (owner === undefined) return
    const names = Object.keys(values).map((name) => `${name} = ?`)
    this.#run(`UPDATE datasets SET ${names} WHERE id = ?`, ...Object.values(values), id)
    if (change !== undefined) this.#changed(id, owner, change)
  }

  /** True if a file name is new to a dataset that has room for one more. */
  isNewName(id: string, fileName: string): boolean {
    const names = this.get(id)?.names
    if (names === undefined || names.length >= namesMax || fileName.length > nameLengthMax) return false
    return !names.includes(searchable(fileName))
  }

  /** Adds a file name to a dataset, see `isNewName`. */
  addName(id: string, fileName: string): void {
    const entry = this.get(id)
    if (entry !== undefined && this.isNewName(id, fileName)) {
      this.#update(id, { names: textOf([...entry.names, searchable(fileName)]) })
    }
    this.markSure(id)
  }

  /** An upload of its bytes ended at this time, in epoch milliseconds. */
  uploaded(id: string, at: number): void {
    this.#run('UPDATE datasets SET lastUploadAt = max(lastUploadAt, ?) WHERE id = ?', at, id)
  }

  /** All datasets of an owner, or those in the trash alone. */
  usage(owner: string, isTrash = false): Usage {
    const sums = 'coalesce(sum(datasets), 0) AS datasets, coalesce(sum(bytes), 0) AS bytes'
    const sql = `SELECT ${sums} FROM usage WHERE owner = ? AND isTrash >= ?`
    const { datasets = 0, bytes = 0 } = this.#get<Usage>(sql, owner, Number(isTrash)) ?? {}
    return { datasets, bytes }
  }

  /** Ids of all datasets whose last upload ended before a time (epoch milliseconds), oldest first; without the trash. */
  *olderThan(uploadedBefore: number): Generator<string> {
    const which = 'trashedAt IS NULL AND lastUploadAt < ?'
    const found = this.#inPages(listed, which, ['lastUploadAt', 'seq'], [-1, 0], finite(uploadedBefore))
    for (const { id } of found) yield id
  }

  /** The datasets in the trash that were put there, or last uploaded, before a time. */
  *expiredTrash(trashedBefore: number, uploadedBefore: number): Generator<TrashedDataset> {
    const which = 'trashedAt IS NOT NULL AND (trashedAt < ? OR lastUploadAt < ?)'
    const before = [finite(trashedBefore), finite(uploadedBefore)]
    const found = this.#inPages(listed, which, ['trashedAt', 'seq'], [-1, 0], ...before)
    for (const { id, owner, trashedAt } of found) yield { id, owner, trashedAt: trashedAt ?? 0 }
  }

  /**
   * Reads a page at a time, each after the last row of the page before: a dataset that stays does not come again, and
   * memory is bounded however many there are.
   *
   * @param order Columns that identify a row together. @param after Where to begin.
   */
  *#inPages(
    columns: string,
    which: string,
    order: readonly (keyof Row)[],
    after: readonly SQLInputValue[],
    ...values: readonly number[]
  ): Generator<Row> {
    const rest = `(${order}) > (${order.map(() => '?')}) ORDER BY ${order} LIMIT ${pageRows}`
    const sql = `SELECT ${columns} WHERE ${which} AND ${rest}`
    let from = after
    for (;;) {
      const page = this.#all<Row>(sql, ...values, ...from)
      const last = page.at(-1)
      if (last === undefined) return
      yield* page
      from = order.map((column) => last[column] as SQLInputValue)
    }
  }

  /**
   * The ids of one page, and how many there are on all. The cursor is a position in the order, not a count, so it stays
   * valid while datasets are added and removed: those that stay are neither repeated nor skipped.
   */
  page(query: ListQuery): { readonly ids: readonly string[]; readonly after: string | null; readonly total: number } {
    const { limit, after, order = newestFirst } = query
    const matching = conditionsOf(query)
    const key = sortKeys[order.by]
    const [toNext, direction] = order.isDescending ? ['<', 'DESC'] : ['>', 'ASC']
    const all = [...matching]
    if (after !== null) {
      const { value, id } = parseCursor(after, order)
      all.push([`${key} ${toNext}= ? AND (${key} ${toNext} ? OR id > ?)`, value, value, id])
    }
    const { where, values } = joined(all)
    const sql = `SELECT id, ${key} AS value FROM datasets WHERE ${where} ORDER BY ${key} ${direction}, id LIMIT ?`
    const found = this.#all<Position>(sql, ...values, limit + 1)
    const shown = found.slice(0, limit)
    const last = shown.at(-1)
    return {
      ids: shown.map(({ id }) => id),
      after: last !== undefined && found.length > limit ? formatCursor(last, order) : null,
      total: this.#count(query, matching),
    }
  }

  /** What a list shows of a dataset besides its receipt; null if it is not there. */
  stateOf(id: string): ListedState | null {
    const row = this.#get<Row>('SELECT * FROM datasets WHERE id = ?', id)
    if (row === undefined) return null
    const sql = 'SELECT count(*) AS versions FROM datasets WHERE trashedAt IS NULL AND origin = ? AND owner = ?'
    const versions = this.#get<{ versions: number }>(sql, row.origin ?? null, row.owner)?.versions
    return { trashedAt: row.trashedAt, isDismissed: row.isDismissed === 1, versions: Math.max(1, versions ?? 1) }
  }

  #count({ owner, isTrash = false }: ListQuery, matching: readonly Condition[]): number {
    const all = this.usage(owner).datasets
    const trashed = this.usage(owner, true).datasets
    if (matching.length === ownConditions) return isTrash ? trashed : all - trashed
    const { where, values } = joined(matching)
    return this.#get<{ total: number }>(`SELECT count(*) AS total FROM datasets WHERE ${where}`, ...values)?.total ?? 0
  }

  [Symbol.dispose](): void {
    this.#database.close()
  }

  #get<Result>(sql: string, ...values: readonly SQLInputValue[]): Result | undefined {
    return this.#prepared(sql).get(...values) as Result | undefined // of the columns of the schema above
  }

  #all<Result>(sql: string, ...values: readonly SQLInputValue[]): readonly Result[] {
    return this.#prepared(sql).all(...values) as unknown as readonly Result[] // of the columns of the schema above
  }

  #run(sql: string, ...values: readonly SQLInputValue[]): void {
    const isPart = this.#database.isTransaction
    try {
      this.#prepared(sql).run(...values)
    } catch (error) {
      if (isPart) throw error
      this.#continueInMemory(error)
      this.#run(sql, ...values)
    }
  }

  /**
   * An index that cannot be written to disk continues in memory, so that a full disk does not keep anyone from deleting
   * a dataset. The file is removed, and the next start rebuilds it. Any other failure is thrown again.
   */
  #continueInMemory(failure: unknown): void {
    const before = this.#database
    const path = before.location()
    if (!path || !isDiskFailure(failure)) throw failure
    const memory = new DatabaseSync(':memory:')
    memory.exec(`${schema}; BEGIN`)
    for (const row of before.prepare('SELECT * FROM datasets').iterate()) {
      const [sql, ...values] = insertion(row)
      memory.prepare(sql).run(...values)
    }
    // No publish gets the number of an earlier one, even if that has been removed.
    const { seq } = before.prepare('SELECT coalesce(max(seq), 0) AS seq FROM sqlite_sequence').get() ?? {}
    memory.prepare("INSERT OR REPLACE INTO sqlite_sequence (rowid, name, seq) VALUES (1, 'datasets', ?)").run(seq ?? 0)
    memory.exec(`COMMIT; ${orders}`)
    this.#database = memory
    this.#statements.clear()
    before.close()
    removeIndex(path)
  }

  #prepared(sql: string) {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    if (this.#statements.size === statementsMax) this.#statements.clear()
    const statement = this.#database.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }
}

/** Removes the files of an index, including those that SQLite keeps beside it. */
export function removeIndex(path: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${path}${suffix}`, { force: true })
}

/** SQLITE_READONLY, SQLITE_IOERR, SQLITE_FULL and SQLITE_CANTOPEN, whatever their details. */
const diskFailures: ReadonlySet<number> = new Set([8, 10, 13, 14])

function isDiskFailure(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && diskFailures.has(Number(error.errcode) & 0xff)
}

/** The index entry for a receipt. */
export function entryOf(receipt: Receipt): Entry {
  const { createdAt, id, file, owner } = receipt
  const bytes = storedFiles(receipt).reduce((sum, one) => sum + one.bytes, 0)
  const state = { trashedAt: null, isDismissed: false, facts: factsOf(receipt) }
  return { createdAt, id, names: [searchable(file.name)], owner, bytes, lastUploadAt: createdAt, ...state }
}

export function factsOf({ records, rejects, file, columns, sender = '' }: Receipt): ListedFacts {
  let columnNames = ''
  for (const { name } of columns) {
    columnNames += `${searchable(name)}\n`
    if (columnNames.length > columnNamesMax) break
  }
  const counts = { rowCount: records.accepted, rejectCount: rejects.count, fileBytes: file.bytes }
  return { ...counts, columnNames: columnNames.slice(0, columnNamesMax), sender, origin: file.sha256 }
}

/** When an upload ended, in epoch milliseconds: its dataset is as old as that. */
export function endOf({ receivedAt, durationMs }: Pick<Upload, 'receivedAt' | 'durationMs'>): number {
  return receivedAt + durationMs
}

function entryOfRow(row: Row): Entry {
  const { id, createdAt, owner, bytes, lastUploadAt, trashedAt, names, isDismissed } = row
  const { rowCount, rejectCount, fileBytes, columnNames, sender, origin } = row
  const facts = origin === null ? null : { rowCount, rejectCount, fileBytes, columnNames, sender, origin }
  const known = { id, createdAt, owner, bytes, lastUploadAt, trashedAt, facts }
  return { ...known, names: names.split('\n'), isDismissed: isDismissed === 1 }
}

function insertion(row: Readonly<Record<string, SQLInputValue>>): [sql: string, ...values: SQLInputValue[]] {
  const marks = columns.map(() => '?')
  return [`INSERT INTO datasets (${columns}) VALUES (${marks})`, ...columns.map((column) => row[column] ?? null)]
}

/** SQL that holds for a row, with its values. */
type Condition = readonly [sql: string, ...values: SQLInputValue[]]

const isLatest = `NOT EXISTS (SELECT 1 FROM datasets AS later WHERE later.trashedAt IS NULL
  AND later.origin = datasets.origin AND later.owner = datasets.owner AND (later.createdAt > datasets.createdAt
  OR (later.createdAt = datasets.createdAt AND later.id < datasets.id)))`

/** Conditions that every list has. */
const ownConditions = 2

function conditionsOf({ owner, isTrash, name, search, idPrefix, origin, sender, ...query }: ListQuery): Condition[] {
  const conditions: Condition[] = [['owner = ?', owner], [`trashedAt IS ${isTrash ? 'NOT ' : ''}NULL`]]
  if (name) conditions.push(['instr(names, ?) > 0', searchable(name)])
  if (search) {
    const text = searchable(search)
    conditions.push(['(instr(names, ?) > 0 OR instr(columnNames, ?) > 0)', text, text])
  }
  if (idPrefix) conditions.push(['id >= ? AND id < ?', idPrefix, `${idPrefix}g`])
  if (origin) conditions.push(['origin = ?', origin])
  if (sender !== undefined) conditions.push(['sender = ?', sender])
  if (query.createdSince !== undefined) conditions.push(['createdAt >= ?', query.createdSince])
  if (query.hasOpenRejects) conditions.push(['rejectCount > 0 AND NOT isDismissed'])
  if (query.isLatestVersion) conditions.push([isLatest])
  return conditions
}

function joined(conditions: readonly Condition[]) {
  return { where: conditions.map(([sql]) => sql).join(' AND '), values: conditions.flatMap(([, ...values]) => values) }
}

/** A dataset in an order. */
interface Position {
  readonly value: string | number
  readonly id: string
}

function formatCursor({ value, id }: Position, { by, isDescending }: ListOrder): string {
  return Buffer.from(JSON.stringify([by, isDescending, value, id])).toString('base64url')
}

/** @throws {ServiceError} BAD_PARAMETER if it is not a position in this order */
function parseCursor(cursor: string, order: ListOrder): Position {
  const [by, isDescending, value, id] = jsonList(Buffer.from(cursor, 'base64url').toString())
  const isValue = by === 'name' ? typeof value === 'string' : Number.isSafeInteger(value)
  const isOfOrder = by === order.by && isDescending === order.isDescending
  if (isOfOrder && isValue && /^[0-9a-f]{32}$/.test(String(id)))
    return { value: value as string | number, id: String(id) } // by the line above
  const expected = "the 'after' of the last page in this order"
  throw new ServiceError('BAD_PARAMETER', { name: 'after', seen: 'no cursor', expected })
}

function jsonList(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}

/** SQLite has no infinite integers. */
function finite(number: number): number {
  return Math.max(0, Math.min(number, Number.MAX_SAFE_INTEGER))
}

function textOf(names: readonly string[]): string {
  return names.map(searchable).join('\n')
}

/** A name to search in or for: in lower case on one line, however its letters are composed. */
function searchable(name: string): string {
  return name.toLowerCase().normalize('NFC').replaceAll('\n', ' ')
}
