// Column job: the request to write columns, or text, on this thread or another, and its result. Plain values only.

import type { ColumnFacts } from '../../core/column-facts.ts'
import type { DeclaredValues } from '../../core/declared-values.ts'
import { ServiceError } from '../../core/errors.ts'
import type { Part } from '../../core/receipt.ts'
import { systemCode, toStoreError } from '../../core/storage-error.ts'
import type { TextJob } from '../../csv/csv-form.ts'
import type { Digest } from '../../io/hashing/file-digest.ts'
import type { ConvertOptions, Repeats, RepeatsJob, Segment, SegmentPiece, TargetColumn } from '../converter.ts'
import type { WriterColumn, WrittenColumns } from '../writer/column-writer.ts'

/** Reads a segment, and writes a part of it if `target` is given. */
export interface ColumnJob {
  readonly segment: Segment
  readonly target: ColumnTarget | null
  /** The rules of each column, if there is no target. */
  readonly declared?: readonly (DeclaredValues | undefined)[]
}

/** The part to write. */
export interface ColumnTarget {
  readonly columns: readonly TargetColumn[]
  readonly path: string
  readonly options: ConvertOptions
}

/** A segment that was read. Without a part, there is no file. */
export interface ColumnResult {
  /** Meaningless if columns were copied. */
  readonly facts: readonly ColumnFacts[]
  /** Records that break declared rules. */
  readonly violations: number
  /** Null if no column fits, or no part was requested. */
  readonly part: Omit<Part, 'file'> | null
  /** For each column whether the part has it; not if a value does not fit. */
  readonly isWritten: readonly boolean[]
  /** Checksums of the blocks of the part. */
  readonly checksums: Uint8Array
  /** For each column the first record with a value that does not fit its type, from 1; null if all fit. */
  readonly typeMismatches: readonly (number | null)[]
  /** By column, in column order. */
  readonly nulls: readonly number[]
}

/** What a thread does, and what comes of it. */
export type ThreadJob = ColumnJob | RepeatsJob | TextJob
/** Not 0 once the result is unwanted; shared with the thread. */
export type Withdrawal = Int32Array<SharedArrayBuffer>
/** How a job reaches its thread. */
export interface ThreadRequest {
  readonly job: ThreadJob
  readonly withdrawal: Withdrawal
}
export type ThreadResult<Job> = Job extends ColumnJob
  ? ColumnResult
  : Job extends TextJob
    ? Uint8Array<ArrayBuffer>
    : Repeats

/** Why a job failed. */
export interface JobFailure {
  /** Of the call of the system that failed; null if it was none. */
  readonly code: string | null
  readonly problem: string
}

export type ColumnResponse =
  | { readonly kind: 'result'; readonly result: ThreadResult<ThreadJob> }
  /** `isBroken` means that the thread must not be used again. */
  | ({ readonly kind: 'failure'; readonly isBroken: boolean } & JobFailure)

/** @param part The bytes that were written; null if there is no part. */
export function resultOf(
  { records, violations, facts, nulls, typeMismatches, isWritten }: WrittenColumns,
  part: (Digest & { readonly bytes: number }) | null,
): ColumnResult {
  const read = { violations, facts, nulls, typeMismatches }
  if (part === null) return { ...read, part: null, isWritten: [], checksums: new Uint8Array(0) }
  const { bytes, sha256, checksums } = part
  return { ...read, part: { bytes, records: records - violations, sha256 }, isWritten, checksums }
}

/** A piece, and the UTF-8 for each byte value if it is in another encoding. */
export interface EncodedPiece extends SegmentPiece {
  readonly utf8OfBytes: Uint32Array | null
}

/** Where the records of any segment are. */
export function piecesOf({ path, pieces, bytes, utf8OfBytes }: Segment): readonly EncodedPiece[] {
  if (pieces === undefined) return [{ path, byteOffset: 0, bytes, utf8OfBytes: null }]
  return pieces.map((piece) => ({ ...piece, utf8OfBytes: piece.path === path ? null : (utf8OfBytes ?? null) }))
}

/** Maps offsets in a segment, in ascending order, to those in the file; undefined where it is not the file as it is. */
export function offsetsInFile(segment: Segment): (byteOffset: number) => number | undefined {
  const pieces = piecesOf(segment)
  let [at, before] = [0, 0]
  return (byteOffset) => {
    for (; byteOffset >= before + (pieces[at]?.bytes ?? Infinity); at++) before += pieces[at]!.bytes
    const piece = pieces[at]
    if (piece === undefined || piece.path === segment.path || piece.utf8OfBytes !== null) return undefined
    return piece.byteOffset + byteOffset - before
  }
}

/** The columns of the target; without one, only facts are requested. */
export function writerColumns({ segment: { layout }, target, declared = [] }: ColumnJob): readonly WriterColumn[] {
  if (target !== null) return target.columns
  return Array.from({ length: layout.width }, (_, i) => {
    return { name: '', type: null, nullWords: [], ...(declared[i] && { declared: declared[i] }) }
  })
}

/** False if a column whose type is open has a value that might prove its type. */
export function areExpected(facts: readonly ColumnFacts[], columns: readonly TargetColumn[]): boolean {
  return columns.every(
    ({ classes }, i) =>
      classes === undefined ||
      Object.keys(facts[i]?.classes ?? {}).every((name) => (classes as readonly string[]).includes(name)),
  )
}

export function describeFailure(error: unknown): JobFailure {
  return { code: systemCode(error), problem: error instanceof Error ? error.message : String(error) }
}

/** An error of the store if a call of the system failed, else CONVERSION_FAILED. */
export function toJobError({ code, problem }: JobFailure): ServiceError {
  if (code === null) return new ServiceError('CONVERSION_FAILED', {}, new Error(problem))
  return toStoreError(Object.assign(new Error(problem), { code }))
}

/** @throws {Error} if the job's result is unwanted */
export function throwIfWithdrawn(withdrawal: Withdrawal | null): void {
  if (withdrawal !== null && Atomics.load(withdrawal, 0) !== 0) throw new Error('Cannot finish job: it was withdrawn')
}
