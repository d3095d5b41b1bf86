// Column job: the messages between the service and a thread that writes columns. Plain values only.
import type { ColumnFacts } from '../../core/column-facts.ts'
import type { Part } from '../../core/receipt.ts'
import type { Segment, TargetColumn } from '../convert.ts'

/** Reads a segment; writes a part of it where `target` is given. */
export interface ColumnJob {
  readonly segment: Segment
  readonly target: { readonly columns: readonly TargetColumn[]; readonly path: string } | null
}

/** A segment that was read. Without a part, there is no file. */
export interface ColumnResult {
  readonly facts: readonly ColumnFacts[]
  /** Null for a misfit, and where none was wanted. */
  readonly part: Omit<Part, 'file'> | null
  /** Of the blocks of the part. */
  readonly checksums: Uint8Array
  /** By column, in column order. */
  readonly nulls: readonly number[]
}

export type ColumnAnswer =
  | { readonly kind: 'result'; readonly result: ColumnResult }
  /** `code` is the system's, where it has one; `isBroken` says that the thread should not be asked again. */
  | { readonly kind: 'failure'; readonly code: string | null; readonly problem: string; readonly isBroken: boolean }
