// Correction file: lists the records of a file that are read as other texts, as lines of JSON in file order. It applies to
// the same records only, as far as they keep the declared rules.
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { ServiceError } from '../../core/errors.ts'
import { type Correction, firstRejectsMax, type RefusedCorrection } from '../../core/receipt.ts'
import { throwStoreError } from '../../core/storage-error.ts'
import { BufferedWriter } from '../../io/buffered-writer.ts'
import { Peekable } from '../../io/peekable.ts'
import { textLines } from '../../io/text-lines.ts'
import type { FileScanOptions } from '../../reading/scanner/scanner.ts'
import type { CorrectedOrdinals } from './corrector.ts'
import type { Exclusion } from './violations.ts'

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
async function* correctedReadable(path: string): AsyncGenerator<Exclusion> {
  for await (const { ordinal, column, message } of readCorrections(path)) {
    if (ordinal !== undefined) yield { ordinal, column, message }
  }
}

/** Merges two ascending lists. */
async function* mergedExclusions(
  first: AsyncIterable<Exclusion>,
  second: AsyncIterable<Exclusion>,
): AsyncGenerator<Exclusion> {
  await using one = new Peekable(first)
  await using other = new Peekable(second)
  for (;;) {
    const [a, b] = [await one.peek(), await other.peek()]
    const next = await (a !== null && (b === null || a.ordinal < b.ordinal) ? one : other).take()
    if (next === null) return
    yield next
  }
}

/** Corrected records that are readable are rejected first, so that they can be replaced. */
export function excludedAsWell(
  { path }: Pick<CorrectionFile, 'path'>,
  exclusions: AsyncIterable<Exclusion> | null,
): AsyncIterable<Exclusion> {
  const corrected = correctedReadable(path)
  return exclusions === null ? corrected : mergedExclusions(corrected, exclusions)
}

/** Texts that are not accepted as the records for which they were sent. */
export class RefusedCorrections {
  count = 0
  /** At most `firstRejectsMax`. */
  readonly first: RefusedCorrection[] = []

  add(one: RefusedCorrection): void {
    this.count++
    if (this.first.length < firstRejectsMax) this.first.push(one)
  }

  addAll({ count, first }: RefusedCorrections): void {
    this.count += count
    this.first.push(...first.slice(0, firstRejectsMax - this.first.length))
  }
}

/** Thrown if corrected records break declared rules: the file must then be read without these corrections. */
export class CorrectionsRefused extends Error {
  override readonly name = 'CorrectionsRefused'
  readonly refused: RefusedCorrections
  /** A file of the other corrections. */
  readonly keptPath: string

  constructor(refused: RefusedCorrections, keptPath: string) {
    super(`${refused.count} corrected records break what was declared`)
    this.refused = refused
    this.keptPath = keptPath
  }
}

/**
 * @throws {ServiceError} CORRECTIONS_MISMATCH if the file is split into other records than those its corrections are
 * for
 */
export function checkLayout({ layout: wanted }: CorrectionFile, seen: FileScanOptions): void {
  if (JSON.stringify(seen) === JSON.stringify(wanted)) return
  const reason = 'with these settings, the file has other records than those that were corrected'
  const wayOut = 'read the uncorrected dataset again, and correct its rejects'
  const problem = `Cannot apply corrections: ${reason}; ${wayOut}`
  throw new ServiceError('CORRECTIONS_MISMATCH', { problem })
}

/** @throws {CorrectionsRefused} if corrected records break declared rules */
export async function refusedCorrections(
  violations: AsyncIterable<Exclusion>,
  ordinals: CorrectedOrdinals,
  { path }: CorrectionFile,
): Promise<void> {
  await using wrong = new Peekable(violations)
  await using corrected = new Peekable(ordinals.read())
  const keptPath = `${path}-kept`
  await using kept = await BufferedWriter.create(keptPath, { syncEveryBytes: null })
  const refused = new RefusedCorrections()
  for await (const correction of readCorrections(path)) {
    const { ordinal } = (await corrected.take()) ?? { ordinal: 0 }
    for (let next = await wrong.peek(); next !== null && next.ordinal < ordinal; next = await wrong.peek()) {
      await wrong.take()
    }
    const violation = await wrong.peek()
    if (violation?.ordinal === ordinal) {
      const { column, message } = violation
      refused.add({ record: correction.record, column, reason: 'constraint', message })
    } else await kept.write([Buffer.from(correctionLine(correction))])
  }
  await kept.close()
  if (refused.count > 0) throw new CorrectionsRefused(refused, keptPath)
}

/** Translates records of a corrected file to their numbers in the original, without corrected ones. */
export async function* inOriginal(
  exclusions: AsyncIterable<Exclusion>,
  ordinals: CorrectedOrdinals,
): AsyncGenerator<Exclusion> {
  await using corrected = new Peekable(ordinals.read())
  let added = 0
  for await (const exclusion of exclusions) {
    let next = await corrected.peek()
    for (; next !== null && next.ordinal < exclusion.ordinal; next = await corrected.peek()) {
      if (next.isAdded) added++
      await corrected.take()
    }
    if (next?.ordinal !== exclusion.ordinal) yield { ...exclusion, ordinal: exclusion.ordinal - added }
  }
}
