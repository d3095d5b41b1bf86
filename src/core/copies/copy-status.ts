// Copy status: the progress of a copy of a dataset into a database. Knows no database.

/**
 * What becomes of the table: `replace` puts a new one in its place, `append` adds the records, `upsert` adds them and
 * replaces rows with the same key.
 */
export const copyModes = ['replace', 'append', 'upsert'] as const
export type CopyMode = (typeof copyModes)[number]

/** The last two are final: nothing changes after them. */
export const copyStates = ['waiting', 'copying', 'done', 'failed'] as const
export type CopyState = (typeof copyStates)[number]

/** Where a dataset is copied to, and how. */
export interface CopyRequest {
  /** Name of a target. */
  readonly to: string
  readonly table: string
  readonly mode: CopyMode
  /** Columns that identify a row; empty unless the mode is `upsert`. */
  readonly key: readonly string[]
}

export interface CopyStatus extends CopyRequest {
  readonly state: CopyState
  /** Number of tries so far. */
  readonly tries: number
  /** Number of records copied; null unless it is done. */
  readonly records: number | null
  /** Error of the last try; null if there was none. */
  readonly problem: string | null
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Epoch milliseconds. */
  readonly updatedAt: number
}

/** A database that the operator of the service has configured. */
export interface CopyTarget {
  /** Lower-case letters, digits and hyphens. */
  readonly name: string
  /** Its address, without a password. */
  readonly url: string
  readonly schema: string
  /** The table that all datasets go into; null if each copy names its own. */
  readonly table: string | null
  /** Defaults for requests, like the key. */
  readonly mode: CopyMode
  readonly key: readonly string[]
}

/** The names of tables that receive copies. */
export const tableNamePattern = '^[A-Za-z_][A-Za-z0-9_]{0,62}$'
