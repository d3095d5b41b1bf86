// Dataset index: which datasets exist, newest first, in an SQLite table. It is built from receipts and can be rebuilt.
import { rmSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { ServiceError } from '../core/errors.ts'
import type { Receipt, Upload } from '../core/receipt.ts'
import { storedFiles } from '../core/stored-files.ts'
import type { ListQuery } from './store.ts'

interface Place {
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly id: string
}

export interface Entry extends Place {
  /** When the last upload of its bytes ended: its age begins then. Epoch milliseconds. */
  readonly lastUploadAt: number
  /** File names as `searchable` makes them, for the name filter: the receipt's first, then others under which the file was sent. */
  readonly names: readonly string[]
  readonly owner: string
  /** Total of all its files. */
  readonly bytes: number
}

/** The datasets of one owner in total. */
export interface Usage {
  readonly datasets: number
  readonly bytes: number
}

/** Searchable names per dataset: a file that is sent under ever new names must not make searches slow. */
export const namesMax = 20
const nameLengthMax = 1_024

/**
 * Triggers keep the sums, so that they are right however a change ends. `unsure` holds datasets that are being changed:
 * after a crash, whoever opens the table reads their receipts.
 */
const schema = `
  CREATE TABLE datasets (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, createdAt INTEGER NOT NULL, owner TEXT NOT NULL,
    bytes INTEGER NOT NULL, names TEXT NOT NULL, lastUploadAt INTEGER NOT NULL) STRICT;
  CREATE TABLE usage (owner TEXT PRIMARY KEY, datasets INTEGER NOT NULL, bytes INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TRIGGER added AFTER INSERT ON datasets BEGIN
    INSERT INTO usage VALUES (new.owner, 1, new.bytes)
      ON CONFLICT DO UPDATE SET datasets = datasets + 1, bytes = bytes + new.bytes;
  END;
  CREATE TRIGGER removed AFTER DELETE ON datasets BEGIN
    UPDATE usage SET datasets = datasets - 1, bytes = bytes - old.bytes WHERE owner = old.owner;
    DELETE FROM usage WHERE owner = old.owner AND datasets = 0;
  END;
  CREATE TABLE unsure (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;`

/**
 * Created once a new table has its rows: built from all of them at once, the indexes take a tenth of the time. Lists
 * and searches by name use only the first.
 */
const orders = `
  CREATE INDEX IF NOT EXISTS byOwner ON datasets (owner, createdAt DESC, id, names);
  CREATE INDEX IF NOT EXISTS byAge ON datasets (lastUploadAt, id DESC);
  PRAGMA cache_size = -2000`

const columns = ['seq', 'id', 'createdAt', 'owner', 'bytes', 'names', 'lastUploadAt'] as const

interface Row extends Omit<Entry, 'names'> {
  readonly seq: number
  /** JSON. */
  readonly names: string
}

type ListedRow = Pick<Row, 'id' | 'createdAt' | 'names'>

/**
 * Memory does not grow with the number of datasets: SQLite keeps 2 MB of the table. On disk, a dataset takes some 300
 * bytes.
 */
export class DatasetIndex implements Disposable {
  #database: DatabaseSync
  readonly #statements = new Map<string, ReturnType<DatabaseSync['prepare']>>()

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

  has(id: string): boolean {
    return this.version(id) !== null
  }

  /** A number that differs each time a dataset is published; null if it is not in the index. */
  version(id: string): number | null {
    return this.#get<Row>('SELECT seq FROM datasets WHERE id = ?', id)?.seq ?? null
  }

  get(id: string): Entry | undefined {
    const row = this.#get<Row>('SELECT * FROM datasets WHERE id = ?', id)
    return row && entryOfRow(row)
  }

  /** All ids, in ascending order. */
  *ids(): Generator<string> {
    for (const row of this.#database.prepare('SELECT id FROM datasets ORDER BY id').iterate()) yield String(row.id)
  }

  /** Marks a dataset as about to change: until `add`, `addName` or `markSure`, only its receipt is reliable. */
  markUnsure(id: string): void {
    this.#run('INSERT OR IGNORE INTO unsure VALUES (?)', id)
  }

  /** Marks the index entry of a dataset as right again. */
  markSure(id: string): void {
    this.#run('DELETE FROM unsure WHERE id = ?', id)
  }

  /** Datasets whose change was not completed. */
  unsureIds(): readonly string[] {
    return this.#all<{ id: string }>('SELECT id FROM unsure').map(({ id }) => id)
  }

  /** Adds a dataset that is not in the index yet. */
  add({ id, createdAt, owner, bytes, names, lastUploadAt }: Entry): void {
    const values = [id, createdAt, owner, bytes, JSON.stringify(names), lastUploadAt]
    this.together(() => {
      this.#run(`INSERT INTO datasets (${columns.slice(1)}) VALUES (?, ?, ?, ?, ?, ?)`, ...values)
      this.markSure(id)
    })
  }

  /** Removes a dataset, and marks it as unsure; undefined if it is not in the index. */
  delete(id: string): Entry | undefined {
    const entry = this.get(id)
    if (entry === undefined) return undefined
    this.together(() => {
      this.markUnsure(id)
      this.#run('DELETE FROM datasets WHERE id = ?', id)
    })
    return entry
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
      const names = JSON.stringify([...entry.names, searchable(fileName)])
      this.#run('UPDATE datasets SET names = ? WHERE id = ?', names, id)
    }
    this.markSure(id)
  }

  /** An upload of its bytes ended at this time, in epoch milliseconds. */
  uploaded(id: string, at: number): void {
    this.#run('UPDATE datasets SET lastUploadAt = max(lastUploadAt, ?) WHERE id = ?', at, id)
  }

  usage(owner: string): Usage {
    const usage = this.#get<Usage>('SELECT datasets, bytes FROM usage WHERE owner = ?', owner)
    return { datasets: usage?.datasets ?? 0, bytes: usage?.bytes ?? 0 }
  }

  /** Ids of at most `limit` datasets whose last upload ended before a time (epoch milliseconds), oldest first. */
  olderThan(uploadedBefore: number, limit: number): readonly string[] {
    const sql = 'SELECT id FROM datasets WHERE lastUploadAt < ? ORDER BY lastUploadAt, id DESC LIMIT ?'
    // SQLite has no infinite integers.
    const [before, count] = [uploadedBefore, limit].map((one) => Math.min(one, Number.MAX_SAFE_INTEGER))
    return this.#all<Row>(sql, before ?? 0, count ?? 0).map(({ id }) => id)
  }

  /**
   * The ids of one page. The cursor is a position in the order, not a count, so it stays valid while datasets are added
   * and removed: those that stay are neither repeated nor skipped.
   */
  page(query: ListQuery): { readonly ids: readonly string[]; readonly after: string | null } {
    const found: ListedRow[] = []
    for (const row of this.#following(query)) {
      if (query.name !== null && !namesOf(row).some((name) => name.includes(searchable(query.name!)))) continue
      found.push(row)
      if (found.length > query.limit) break
    }
    const shown = found.slice(0, query.limit)
    const last = shown.at(-1)
    return {
      ids: shown.map(({ id }) => id),
      after: last !== undefined && found.length > shown.length ? formatCursor(last) : null,
    }
  }

  [Symbol.dispose](): void {
    this.#database.close()
  }

  /** Ids of the owner after the cursor. For a name, SQLite finds only candidates. */
  #following({ owner, after, name, idPrefix }: ListQuery): Iterable<ListedRow> {
    const conditions = ['owner = ?']
    const values: SQLInputValue[] = [owner]
    if (after !== null) {
      const { createdAt, id } = parseCursor(after)
      conditions.push('createdAt <= ? AND (createdAt < ? OR id > ?)')
      values.push(createdAt, createdAt, id)
    }
    if (name !== null) {
      conditions.push('instr(names, ?) > 0')
      values.push(JSON.stringify(searchable(name)).slice(1, -1))
    }
    if (idPrefix) {
      conditions.push('id >= ? AND id < ?')
      values.push(idPrefix, `${idPrefix}g`)
    }
    const sql = `SELECT id, createdAt, names FROM datasets WHERE ${conditions.join(' AND ')} ORDER BY createdAt DESC, id`
    // The columns are those of the schema above.
    return this.#database.prepare(sql).iterate(...values) as Iterable<unknown> as Iterable<ListedRow>
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
    const insert = memory.prepare(`INSERT INTO datasets (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?)`)
    for (const row of before.prepare('SELECT * FROM datasets').iterate()) {
      insert.run(...columns.map((column) => row[column] ?? null))
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
    const statement = this.#statements.get(sql) ?? this.#database.prepare(sql)
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
  return { createdAt, id, names: [searchable(file.name)], owner, bytes, lastUploadAt: createdAt }
}

/** When an upload ended, in epoch milliseconds: its dataset is as old as that. */
export function endOf({ receivedAt, durationMs }: Pick<Upload, 'receivedAt' | 'durationMs'>): number {
  return receivedAt + durationMs
}

function entryOfRow(row: Row): Entry {
  const { id, createdAt, owner, bytes, lastUploadAt } = row
  return { id, createdAt, owner, bytes, names: namesOf(row), lastUploadAt }
}

function namesOf({ names }: Pick<Row, 'names'>): readonly string[] {
  return JSON.parse(names) as readonly string[] // written by add()
}

function formatCursor({ createdAt, id }: Place): string {
  return Buffer.from(`${createdAt} ${id}`).toString('base64url')
}

function parseCursor(cursor: string): Place {
  const match = /^(\d{1,16}) ([0-9a-f]{32})$/.exec(Buffer.from(cursor, 'base64url').toString())
  if (match === null) {
    throw new ServiceError('BAD_PARAMETER', {
      name: 'after',
      seen: 'no cursor',
      expected: "the 'after' of the last page",
    })
  }
  return { createdAt: Number(match[1]), id: match[2]! }
}

/** A file name to search in or for: in lower case, however its letters are composed. */
function searchable(name: string): string {
  return name.toLowerCase().normalize('NFC')
}
