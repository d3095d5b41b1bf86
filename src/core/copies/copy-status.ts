// Copy status: how far the copy of a dataset into a database is. Knows no database.

/**
 * What becomes of the table: `replace` puts a new one in its place, `append` adds the records, `upsert` adds them and
 * replaces rows with the same key.
 */
export const copyModes = ['replace', 'append', 'upsert'] as const
export type CopyMode = (typeof copyModes)[number]

/** The last two are ends: nothing changes after them. */
export const copyStates = ['waiting', 'copying', 'done', 'failed'] as const
export type CopyState = (typeof copyStates)[number]

/** Where a dataset goes, and how. */
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
  /** Tries so far. */
  readonly tries: number
  /** Records that were copied; null unless it is done. */
  readonly records: number | null
  /** What the last try met; null where it met nothing. */
  readonly problem: string | null
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Epoch milliseconds. */
  readonly updatedAt: number
}

/** A database that the operator of the service has named. */
export interface CopyTarget {
  /** Lower-case letters, digits and hyphens. */
  readonly name: string
  /** Its address, without a password. */
  readonly url: string
  readonly schema: string
  /** Into which all datasets go; null where each names its own. */
  readonly table: string | null
  /** Unless a request says otherwise, as the key. */
  readonly mode: CopyMode
  readonly key: readonly string[]
}

/** The names of tables that copies go into. */
export const tableNamePattern = '^[A-Za-z_][A-Za-z0-9_]{0,62}$'
