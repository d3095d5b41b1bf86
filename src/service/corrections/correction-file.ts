// Correction file: lists the records of a file that are read as other texts, as lines of JSON in file order. Knows the format.
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import type { Correction } from '../../core/receipt.ts'
import { throwStoreError } from '../../core/storage-error.ts'
import { textLines } from '../../io/text-lines.ts'
import type { FileScanOptions } from '../../reading/scanner/scanner.ts'
import type { Exclusion } from '../ingest/violations.ts'

/** A file of corrections, and the dialect in which its records are split. */
export interface CorrectionFile {
  readonly path: string
  readonly layout: FileScanOptions
}

export function correctionPath(dir: string): string {
  return join(dir, 'corrections')
}

/** The same correction always gives the same line, because the id of a dataset depends on it. */
export function correctionLine(correction: Correction): string {
  const { record, line, byteOffset, byteLength, column, reason, message, ordinal, text } = correction
  const place = { record, line, byteOffset, byteLength, column, reason, message }
  return `${JSON.stringify({ ...place, ...(ordinal !== undefined && { ordinal }), text })}\n`
}

/** All corrections of a file, in file order. @throws {ServiceError} STORE_UNAVAILABLE, STORE_FAILED */
export async function* readCorrections(path: string): AsyncGenerator<Correction> {
  const stream = createReadStream(path, { encoding: 'utf8' })
  try {
    // The encoding has been set. Only correctionLine() writes these lines.
    for await (const line of textLines(stream as AsyncIterable<string>)) yield JSON.parse(line) as Correction
  } catch (error) {
    throwStoreError(error)
  } finally {
    stream.destroy()
  }
}

/** Corrected records that are readable in the original: the scanner can skip them only by their number. */
export async function* correctedReadable(path: string): AsyncGenerator<Exclusion> {
  for await (const { ordinal, column, message } of readCorrections(path)) {
    if (ordinal !== undefined) yield { ordinal, column, message }
  }
}

/** Merges two ascending lists. */
export async function* mergedExclusions(
  first: AsyncIterable<Exclusion>,
  second: AsyncIterable<Exclusion>,
): AsyncGenerator<Exclusion> {
  const lists = [first[Symbol.asyncIterator](), second[Symbol.asyncIterator]()] as const
  const [one, other] = lists
  try {
    let [a, b] = [await one.next(), await other.next()]
    while (!a.done || !b.done) {
      if (!a.done && (b.done || a.value.ordinal < b.value.ordinal)) {
        yield a.value
        a = await one.next()
      } else if (!b.done) {
        yield b.value
        b = await other.next()
      }
    }
  } finally {
    for (const list of lists) await list.return?.()
  }
}

/** Corrected records that are readable are rejected first, so that they can be replaced. */
export function excludedAsWell(
  { path }: CorrectionFile,
  exclusions: AsyncIterable<Exclusion> | null,
): AsyncIterable<Exclusion> {
  const corrected = correctedReadable(path)
  return exclusions === null ? corrected : mergedExclusions(corrected, exclusions)
}
