// Corrected reading: keeps corrections consistent with the reading of a file: the same records, and the declared rules.
import { ServiceError } from '../../core/errors.ts'
import type { RefusedCorrection } from '../../core/receipt.ts'
import type { FileScanOptions } from '../../reading/scanner/scanner.ts'
import type { Exclusion } from '../ingest/violations.ts'
import { type CorrectionFile, readCorrections } from './correction-file.ts'
import type { CorrectedOrdinals } from './corrector.ts'

/** Thrown if corrected records break declared rules: the file must then be read without these corrections. */
export class CorrectionsRefused extends Error {
  override readonly name = 'CorrectionsRefused'
  readonly refused: readonly RefusedCorrection[]

  /** @param refused In file order. */
  constructor(refused: readonly RefusedCorrection[]) {
    super(`${refused.length} corrected records break what was declared`)
    this.refused = refused
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
  { all }: CorrectedOrdinals,
  { path }: CorrectionFile,
): Promise<void> {
  const corrections = readCorrections(path)
  const refused: RefusedCorrection[] = []
  let at = 0
  let current = await corrections.next()
  try {
    for await (const { ordinal, column, message } of violations) {
      while ((all[at] ?? Number.POSITIVE_INFINITY) < ordinal) {
        at++
        current = await corrections.next()
      }
      if (all[at] !== ordinal || current.done) continue
      refused.push({ record: current.value.record, column, reason: 'constraint', message })
    }
  } finally {
    await corrections.return(undefined)
  }
  if (refused.length > 0) throw new CorrectionsRefused(refused)
}

/** Translates records of a corrected file to their numbers in the original. None of them is a corrected one. */
export async function* inOriginal(
  exclusions: AsyncIterable<Exclusion>,
  { added }: CorrectedOrdinals,
): AsyncGenerator<Exclusion> {
  let before = 0
  for await (const exclusion of exclusions) {
    while ((added[before] ?? Number.POSITIVE_INFINITY) < exclusion.ordinal) before++
    yield { ...exclusion, ordinal: exclusion.ordinal - before }
  }
}
