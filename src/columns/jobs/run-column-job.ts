// Run column job: reads a segment from its file and writes a part of it, hashing it on the way. Knows no threads.
import { closeSync, fstatSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import type { Violation } from '../../core/declared-values.ts'
import { type Digest, OwnDigest } from '../../io/hashing/file-digest.ts'
import type { Segment } from '../converter.ts'
import type { ColumnWriterOptions, OlderPart, WrittenColumns } from '../writer/column-writer.ts'
import { createColumnWriter } from '../writer/create-column-writer.ts'
import type { WasmColumnWriter } from '../writer/wasm-column-writer.ts'
import {
  type ColumnJob,
  type ColumnResult,
  type EncodedPiece,
  piecesOf,
  resultOf,
  throwIfWithdrawn,
  type Withdrawal,
  writerColumns,
} from './column-job.ts'
import { writerKeys } from './key-file.ts'
import { ViolationFile } from './violation-file.ts'

const readBytes = 1_048_576
/** Bytes in another encoding are converted in portions that fit in a core's cache. */
const encodedBytes = 65_536
/** Bytes gathered for one write: pages of small row groups have only a few. */
const gatheredBytes = 262_144

/** @throws {Error} if the segment is not as described, or the part cannot be written; then there is no part. */
export function runColumnJob(job: ColumnJob, withdrawal: Withdrawal): ColumnResult {
  const { segment, target } = job
  if (target === null) {
    return resultOf(readSegment(segment, { columns: writerColumns(job), sink: () => {} }, withdrawal), null)
  }
  const { older, violationsPath, keys } = target.options
  using olderPart = older === undefined ? null : new PartFileReader(older.path)
  using violationFile = violationsPath === undefined ? null : new ViolationFile(violationsPath, segment)
  using file = new PartWriter(target.path)
  const columns = target.columns.map((column, i) => {
    const kept = older?.kept[i] ?? null
    return kept === null ? column : { ...column, kept }
  })
  const options = {
    columns,
    sink: (piece: Uint8Array) => file.write(piece),
    ...(olderPart && { older: olderPart }),
    ...(keys && { keys: writerKeys(keys, segment.records) }),
    ...(violationFile && { onViolation: (violation: Violation) => violationFile.add(violation) }),
  }
  const written = readSegment(segment, options, withdrawal)
  violationFile?.end()
  return resultOf(written, written.bytes === null ? null : { bytes: written.bytes, ...file.end() })
}

/** @param withdrawal Null if nothing can withdraw the job meanwhile. */
export function readSegment(
  segment: Segment,
  options: Omit<ColumnWriterOptions, 'layout'>,
  withdrawal: Withdrawal | null,
): WrittenColumns {
  const { layout, records } = segment
  const writer = createColumnWriter({ layout, ...options })
  try {
    for (const piece of piecesOf(segment)) readPiece(piece, writer, withdrawal)
    const written = writer.end()
    if (written.records === records) return written
    throw new Error(`Cannot read segment: ${written.records} records, expected ${records}`)
  } finally {
    writer.close()
  }
}

/** Reads into the memory of the writer. */
function readPiece(
  { path, byteOffset, bytes, utf8OfBytes }: EncodedPiece,
  writer: WasmColumnWriter,
  withdrawal: Withdrawal | null,
): void {
  const encoded = Buffer.allocUnsafeSlow(utf8OfBytes === null ? 0 : Math.min(encodedBytes, bytes))
  const file = openSync(path, 'r')
  try {
    for (let at = 0; at < bytes; ) {
      throwIfWithdrawn(withdrawal)
      const left = bytes - at
      const room = utf8OfBytes === null ? writer.room(Math.min(readBytes, left)) : encoded.subarray(0, left)
      const count = readSync(file, room, { position: byteOffset + at })
      if (count === 0) throw new Error(`Cannot read segment: it ends after ${at} bytes, expected ${bytes}`)
      if (utf8OfBytes === null) writer.filled(count)
      else writer.pushEncoded(room.subarray(0, count), utf8OfBytes)
      at += count
    }
  } finally {
    closeSync(file)
  }
}

/** A part that was written before. */
class PartFileReader implements OlderPart, Disposable {
  readonly bytes: number
  readonly #file: number
  #buffer = Buffer.alloc(0)

  constructor(path: string) {
    this.#file = openSync(path, 'r')
    this.bytes = fstatSync(this.#file).size
  }

  read(byteOffset: number, count: number): Uint8Array {
    if (this.#buffer.length < count) this.#buffer = Buffer.allocUnsafeSlow(count)
    const bytes = this.#buffer.subarray(0, count)
    for (let at = 0; at < count; ) {
      const read = readSync(this.#file, bytes, { offset: at, position: byteOffset + at })
      if (read === 0) throw new Error(`Cannot read part: it ends before byte ${byteOffset + count}`)
      at += read
    }
    return bytes
  }

  [Symbol.dispose](): void {
    closeSync(this.#file)
  }
}

/** Appends to a new file, and hashes it on the way. Disposing removes it, unless it has ended. */
class PartWriter implements Disposable {
  readonly #path: string
  readonly #file: number
  #isComplete = false
  readonly #digest = new OwnDigest()
  readonly #gathered = Buffer.allocUnsafeSlow(gatheredBytes)
  #gatheredLength = 0

  constructor(path: string) {
    this.#path = path
    this.#file = openSync(path, 'w', 0o600)
  }

  write(bytes: Uint8Array): void {
    if (this.#gatheredLength + bytes.length > gatheredBytes) this.#spill()
    if (bytes.length > gatheredBytes) {
      this.#append(bytes)
      return
    }
    this.#gathered.set(bytes, this.#gatheredLength)
    this.#gatheredLength += bytes.length
  }

  end(): Digest {
    this.#spill()
    this.#isComplete = true
    return this.#digest.end()
  }

  [Symbol.dispose](): void {
    closeSync(this.#file)
    if (!this.#isComplete) rmSync(this.#path, { force: true })
  }

  #spill(): void {
    this.#append(this.#gathered.subarray(0, this.#gatheredLength))
    this.#gatheredLength = 0
  }

  #append(bytes: Uint8Array): void {
    this.#digest.add(bytes)
    for (let from = 0; from < bytes.length; ) from += writeSync(this.#file, bytes, from)
  }
}
