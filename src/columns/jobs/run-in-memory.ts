// Run in memory: reads a small segment and makes its part on this thread, since handing it over takes longer than the work.
import { rm } from 'node:fs/promises'
import type { DeclaredValues, Violation } from '../../core/declared-values.ts'
import { throwStoreError } from '../../core/storage-error.ts'
import { OpenFile } from '../../io/files/open-file.ts'
import { OwnDigest } from '../../io/hashing/file-digest.ts'
import { type ColumnJob, type ColumnResult, describeFailure, noPart, toJobError, writerColumns } from './column-job.ts'
import { writerKeys } from './key-file.ts'
import { readSegment } from './run-column-job.ts'
import { ViolationFile } from './violation-file.ts'

/** Nothing else runs while the columns are made: at most about a millisecond. */
const bytesMax = 131_072
const widthMax = 32
const listedMax = 100

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
  signal.throwIfAborted()
  if (job.target === null) {
    const { facts, nulls, violations, typeMismatches } = writeColumns(job)
    return { facts, nulls, violations, typeMismatches, ...noPart }
  }
  await using file = new PartFile(job.target.path)
  const { facts, nulls, violations, typeMismatches, isWritten, part } = writeColumns(job)
  if (part === null) return { facts, nulls, violations, typeMismatches, ...noPart }
  const digest = new OwnDigest()
  const written = file.write(part)
  digest.add(part)
  await written.catch(throwStoreError)
  const { sha256, checksums } = digest.end()
  const records = job.segment.records - violations
  const made = { bytes: part.length, records, sha256 }
  return { facts, nulls, violations, typeMismatches, isWritten, part: made, checksums }
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

/**
 * Reads and writes on this thread: the bytes have just been written, and handing each call to another thread takes
 * longer than the call.
 */
function writeColumns(job: ColumnJob) {
  const { segment, target } = job
  const { keys, violationsPath } = target?.options ?? {}
  const pieces: Uint8Array[] = []
  try {
    using violations = violationsPath === undefined ? null : new ViolationFile(violationsPath, segment)
    const options = {
      columns: writerColumns(job),
      sink: (bytes: Uint8Array) => void pieces.push(Uint8Array.from(bytes)),
      // A line end may be added.
      windowBytes: Math.max(segment.bytes + 1, 4096),
      onViolation: (violation: Violation) => violations?.add(violation),
      ...(keys && { keys: writerKeys(keys, segment.records) }),
    }
    const written = readSegment(segment, options, null)
    violations?.end()
    return { ...written, part: written.bytes === null ? null : Buffer.concat(pieces) }
  } catch (error) {
    throw toJobError(describeFailure(error))
  }
}
