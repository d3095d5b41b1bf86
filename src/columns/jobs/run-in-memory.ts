// Run in memory: reads a small segment and makes its part on this thread, since handing it over takes longer than the work.
import { rm } from 'node:fs/promises'
import type { DeclaredValues, Violation } from '../../core/declared-values.ts'
import { throwStoreError } from '../../core/storage-error.ts'
import { OpenFile } from '../../io/files/open-file.ts'
import { OwnDigest } from '../../io/hashing/file-digest.ts'
import {
  type ColumnJob,
  type ColumnResult,
  describeFailure,
  resultOf,
  toJobError,
  writerColumns,
} from './column-job.ts'
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
  if (job.target === null) return resultOf(writeColumns(job), null)
  const { path } = job.target
  // Another thread creates the file while this one makes the columns.
  const opening = OpenFile.create(path, 0o600, 'w')
  opening.catch(() => {})
  let written: Promise<void> | null = null
  try {
    const result = writeColumns(job)
    const { part } = result
    if (part === null) return resultOf(result, null)
    const digest = new OwnDigest()
    written = opening.then((file) => file.write(part, 0))
    digest.add(part)
    await written.catch(throwStoreError)
    return resultOf(result, { bytes: part.length, ...digest.end() })
  } finally {
    const file = await opening.catch(() => null)
    await file?.close()
    if (written === null && file !== null) await rm(path, { force: true }).catch(throwStoreError)
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
