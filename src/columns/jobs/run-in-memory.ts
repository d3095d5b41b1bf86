// Run in memory: reads a small segment and makes its part on this thread, since handing it over takes longer than the work.
import { closeSync, openSync, readSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { DeclaredValues, Violation } from '../../core/declared-values.ts'
import { ServiceError } from '../../core/errors.ts'
import { throwStoreError } from '../../core/storage-error.ts'
import { OpenFile } from '../../io/files/open-file.ts'
import { OwnDigest } from '../../io/hashing/file-digest.ts'
import type { Segment } from '../converter.ts'
import { createColumnWriter } from '../writer/create-column-writer.ts'
import { type ColumnJob, type ColumnResult, type EncodedPiece, noPart, piecesOf, writerColumns } from './column-job.ts'
import { writerKeys } from './key-file.ts'
import { ViolationFile } from './violation-file.ts'

/** Nothing else runs while the columns are made: at most about a millisecond. */
const bytesMax = 131_072
const widthMax = 32
const listedMax = 100

/** As they are in the file. */
type PieceBytes = Pick<EncodedPiece, 'utf8OfBytes'> & { readonly encoded: Buffer }

/**
 * Bytes read for the facts of a segment, kept for the part that is made of it next: otherwise small files would be read
 * twice.
 */
const lookedAt = new WeakMap<Segment, readonly PieceBytes[]>()

/** True for a job that takes less time than handing it over. */
export function isSmall({ segment: { bytes, layout }, target, declared }: ColumnJob): boolean {
  if (bytes > bytesMax || layout.width > widthMax) return false
  return (target?.columns.map((column) => column.declared) ?? declared ?? []).every((one) => !one || areFew(one))
}

/** False if reading the rules may take milliseconds: each pattern takes one, and 50,000 listed values take 30. */
function areFew({ form, missing, checks }: DeclaredValues): boolean {
  if (form.kind === 'shaped' || missing.length > listedMax) return false
  if (form.kind === 'boolean' && form.trueValues.length + form.falseValues.length > listedMax) return false
  return checks.every((check) => check.rule !== 'pattern' && !('values' in check && check.values.length > listedMax))
}

/**
 * Makes all columns again, including those that could be copied.
 *
 * @throws {ServiceError} CONVERSION_FAILED, DISK_FULL, STORE_UNAVAILABLE, STORE_FAILED
 */
export async function runInMemory(job: ColumnJob, signal: AbortSignal): Promise<ColumnResult> {
  const pieces = takePieces(job.segment)
  signal.throwIfAborted()
  if (job.target === null) {
    lookedAt.set(job.segment, pieces)
    const { facts, nulls, violations, misfits } = writeColumns(job, pieces)
    return { facts, nulls, violations: violations.length, misfits, ...noPart }
  }
  await using file = new PartFile(job.target.path)
  const { part, violations, ...made } = writeColumns(job, pieces)
  const digest = new OwnDigest()
  if (part !== null) {
    const written = file.write(part)
    digest.add(part)
    await written.catch(throwStoreError)
  }
  const { violationsPath } = job.target.options
  if (violationsPath !== undefined) writeViolations(violations, violationsPath)
  const result = { ...made, violations: violations.length }
  if (part === null) return { ...result, ...noPart }
  const { sha256, checksums } = digest.end()
  const records = job.segment.records - violations.length
  return { ...result, part: { bytes: part.length, records, sha256 }, checksums }
}

/**
 * Another thread creates the file while this one makes the columns. Disposing closes it, and removes it if nothing was
 * written.
 */
class PartFile implements AsyncDisposable {
  readonly #path: string
  readonly #file: Promise<OpenFile>
  #isWritten = false

  constructor(path: string) {
    this.#path = path
    this.#file = OpenFile.create(path, 0o600, 'w')
    this.#file.catch(() => {})
  }

  /** The caller awaits it; its other work continues in the meantime. */
  async write(part: Uint8Array): Promise<void> {
    this.#isWritten = true
    const file = await this.#file
    await file.write(part, 0)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const file = await this.#file.catch(() => null)
    await file?.close()
    if (!this.#isWritten && file !== null) await rm(this.#path, { force: true }).catch(throwStoreError)
  }
}

function takePieces(segment: Segment): readonly PieceBytes[] {
  const known = lookedAt.get(segment)
  lookedAt.delete(segment)
  return known ?? piecesOf(segment).map(readPiece)
}

/**
 * Also on this thread: the bytes have just been written, and handing each of three calls to another thread takes longer
 * than the call.
 */
function readPiece({ path, byteOffset, bytes, utf8OfBytes }: EncodedPiece): PieceBytes {
  return storing(() => {
    const file = openSync(path, 'r')
    try {
      return { encoded: readUpTo(file, byteOffset, bytes), utf8OfBytes }
    } finally {
      closeSync(file)
    }
  })
}

function readUpTo(file: number, byteOffset: number, bytes: number): Buffer {
  const buffer = Buffer.allocUnsafeSlow(bytes)
  let count = 0
  while (count < bytes) {
    const read = readSync(file, buffer, count, bytes - count, byteOffset + count)
    if (read === 0) break
    count += read
  }
  return buffer.subarray(0, count)
}

/** Fewer than there are bytes in a small segment. */
function writeViolations(violations: readonly Violation[], path: string): void {
  storing(() => {
    using file = new ViolationFile(path)
    for (const violation of violations) file.add(violation)
    file.end()
  })
}

function storing<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    return throwStoreError(error)
  }
}

function writeColumns(job: ColumnJob, pieces: readonly PieceBytes[]) {
  const { segment, target } = job
  const columns = writerColumns(job)
  const keys = target?.options.keys
  const violations: Violation[] = []
  const onViolation = (violation: Violation) => void violations.push(violation)
  const part: Uint8Array[] = []
  const sink = (bytes: Uint8Array) => void part.push(Uint8Array.from(bytes))
  // A line end may be added.
  const windowBytes = Math.max(segment.bytes + 1, 4096)
  const writer = createColumnWriter({
    layout: segment.layout,
    columns,
    sink,
    windowBytes,
    onViolation,
    ...(keys && { keys: storing(() => writerKeys(keys, segment.records)) }),
  })
  try {
    for (const { encoded, utf8OfBytes } of pieces) {
      if (utf8OfBytes === null) writer.push(encoded)
      else writer.pushEncoded(encoded, utf8OfBytes)
    }
    const { records, bytes, facts, nulls, misfits, isWritten } = writer.end()
    if (records !== segment.records)
      throw new Error(`Cannot read segment: ${records} records, wanted ${segment.records}`)
    return { facts, nulls, violations, misfits, isWritten, part: bytes === null ? null : Buffer.concat(part) }
  } catch (error) {
    throw new ServiceError('CONVERSION_FAILED', {}, error)
  } finally {
    writer.close()
  }
}
