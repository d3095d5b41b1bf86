// Correction file: lists the records of a file that are read as other texts, as lines of JSON in file order. It applies to
// the same records only, as far as they keep the declared rules.
import { join } from 'node:path'
import { ServiceError } from '../../core/errors.ts'
import { FirstOf } from '../../core/first-of.ts'
import { type Correction, firstRejectsMax, type RefusedCorrection } from '../../core/receipt.ts'
import { BufferedWriter } from '../../io/buffered-writer.ts'
import { Peekable } from '../../io/peekable.ts'
import { fileLines } from '../../io/text-lines.ts'
import type { FileScanOptions } from '../../reading/scanner/scanner.ts'
import type { CorrectedOrdinals } from './corrector.ts'
import { type Exclusion, ExclusionList, type Exclusions } from './exclusions.ts'

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

/** All corrections of a file, in order; none if it is null. @throws {ServiceError} STORE_UNAVAILABLE, STORE_FAILED */
export async function* readCorrections(path: string | null): AsyncGenerator<Correction> {
  if (path === null) return
  // Only correctionLine() writes these lines.
  for await (const line of fileLines(path)) yield JSON.parse(line) as Correction
}

/** Corrected records that are readable are rejected first, by their numbers, so that they can be replaced. */
export async function* excludedAsWell(path: string, exclusions: Exclusions | null): Exclusions {
  await using others = exclusions && new ExclusionList(exclusions)
  for await (const { ordinal, column, message } of readCorrections(path)) {
    if (ordinal === undefined) continue
    if (others !== null) yield* others.upTo(ordinal)
    yield [{ ordinal, column, message }]
  }
  if (others !== null) yield* others.upTo(Infinity)
}

/** Texts that are not accepted as the records for which they were sent. */
export type RefusedCorrections = FirstOf<RefusedCorrection>

export function noneRefused(): RefusedCorrections {
  return new FirstOf(firstRejectsMax)
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
  violations: Exclusions,
  ordinals: CorrectedOrdinals,
  { path }: CorrectionFile,
): Promise<void> {
  await using wrong = new ExclusionList(violations)
  await using corrected = new Peekable(ordinals.read())
  const keptPath = `${path}-kept`
  await using kept = await BufferedWriter.create(keptPath, { syncEveryBytes: null })
  const refused = noneRefused()
  for await (const correction of readCorrections(path)) {
    const { ordinal } = (await corrected.take()) ?? { ordinal: 0 }
    let violation: Exclusion | undefined
    for await (const some of wrong.upTo(ordinal)) violation = some.at(-1)
    if (violation?.ordinal === ordinal) {
      const { column, message } = violation
      refused.add({ record: correction.record, column, reason: 'constraint', message })
    } else await kept.write([Buffer.from(correctionLine(correction))])
  }
  await kept.close()
  if (refused.count > 0) throw new CorrectionsRefused(refused, keptPath)
}

/** Translates records of a corrected file to their numbers in the original, without corrected ones. */
export async function* inOriginal(exclusions: Exclusions, ordinals: CorrectedOrdinals): Exclusions {
  await using corrected = new Peekable(ordinals.read())
  let added = 0
  for await (const some of exclusions) {
    const left: Exclusion[] = []
    for (const exclusion of some) {
      let next = await corrected.peek()
      for (; next !== null && next.ordinal < exclusion.ordinal; next = await corrected.peek()) {
        if (next.isAdded) added++
        await corrected.take()
      }
      if (next?.ordinal !== exclusion.ordinal) left.push({ ...exclusion, ordinal: exclusion.ordinal - added })
    }
    yield left
  }
}
