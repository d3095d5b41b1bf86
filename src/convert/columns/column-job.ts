// Column job: the request to write columns, on this thread or another, and its result. Plain values only.

import type { WriterColumn } from '../../columns/column-writer.ts'
import type { ColumnFacts } from '../../core/column-facts.ts'
import type { Part } from '../../core/receipt.ts'
import type { OlderColumns, Segment, SegmentPiece, TargetColumn } from '../convert.ts'

/** Reads a segment; writes a part of it where `target` is given. */
export interface ColumnJob {
  readonly segment: Segment
  readonly target: ColumnTarget | null
}

/** The part to be written. */
export interface ColumnTarget {
  readonly columns: readonly TargetColumn[]
  readonly path: string
  readonly older?: OlderColumns
}

/** A segment that was read. Without a part, there is no file. */
export interface ColumnResult {
  /** Of no use where columns were kept. */
  readonly facts: readonly ColumnFacts[]
  /** Null where no column fits, and where none was wanted. */
  readonly part: Omit<Part, 'file'> | null
  /** For each column whether the part has it: not where a value does not fit. */
  readonly isWritten: readonly boolean[]
  /** Of the blocks of the part. */
  readonly checksums: Uint8Array
  /** By column, in column order. */
  readonly nulls: readonly number[]
}

export type ColumnAnswer =
  | { readonly kind: 'result'; readonly result: ColumnResult }
  /** `code` is the system's, where it has one; `isBroken` says that the thread should not be asked again. */
  | { readonly kind: 'failure'; readonly code: string | null; readonly problem: string; readonly isBroken: boolean }

/** Of a result without a part. */
export const noPart = { part: null, isWritten: [], checksums: new Uint8Array(0) } as const

/** A piece, and the UTF-8 of each of its bytes where it is in another encoding. */
export interface EncodedPiece extends SegmentPiece {
  readonly utf8OfBytes: Uint32Array | null
}

/** Where the records of any segment lie. */
export function piecesOf({ path, pieces, bytes, utf8OfBytes }: Segment): readonly EncodedPiece[] {
  if (pieces === undefined) return [{ path, byteOffset: 0, bytes, utf8OfBytes: null }]
  return pieces.map((piece) => ({ ...piece, utf8OfBytes: piece.path === path ? null : (utf8OfBytes ?? null) }))
}

/** Those of the target; without one, only facts are wanted. */
export function writerColumns({ layout }: Segment, target: ColumnJob['target']): readonly WriterColumn[] {
  return target?.columns ?? Array.from({ length: layout.width }, () => ({ name: '', type: null, nullWords: [] }))
}

/** False where a column that is left open has a value that might prove its type. */
export function areExpected(facts: readonly ColumnFacts[], columns: readonly TargetColumn[]): boolean {
  return columns.every(
    ({ classes }, i) =>
      classes === undefined ||
      Object.keys(facts[i]?.classes ?? {}).every((name) => (classes as readonly string[]).includes(name)),
  )
}
