// Scanned again: scans the records of a stored text as its receipt states, with corrected records in place.

import { scanOptions } from '../../reading/scan-options.ts'
import type { CreateScanner, Scanned } from '../../reading/scanner/scanner.ts'
import { ConstraintFilter } from '../ingest/constraint-filter.ts'
import { correctedReadable, correctionPath, readCorrections } from '../ingest/correction-file.ts'
import { Corrector } from '../ingest/corrector.ts'
import { recordReader } from '../ingest/record-of-text.ts'
import type { ParsedReceipt } from './parse-receipt.ts'

/** The results of a scanner. @throws {Error} if a correction has no reject */
export async function* scannedAgain(
  dir: string,
  receipt: ParsedReceipt,
  createScanner: CreateScanner,
  text: AsyncIterable<readonly Uint8Array[]>,
): AsyncGenerator<Scanned> {
  const { body, corrections } = receipt
  const layout = scanOptions({ ...receipt, width: receipt.columns.length, start: body }, body.recordBytesMax)
  const scanner = createScanner({ ...layout, marksRejects: corrections !== null })
  const data = behind(text, body.byteOffset)
  if (corrections === null) {
    for await (const slices of data) for (const slice of slices) yield scanner.push(slice)
    return yield scanner.end()
  }
  const path = correctionPath(dir)
  const filter = new ConstraintFilter(scanner, correctedReadable(path), body.byteOffset)
  await using corrector = new Corrector(readCorrections(path), recordReader(createScanner, layout))
  for await (const [step] of filter.steps(data)) if (step !== undefined) yield* corrector.correct(filter.push(step))
  yield* corrector.correct(filter.end())
  await corrector.end()
}

/** The slices without this many first bytes. */
async function* behind(
  text: AsyncIterable<readonly Uint8Array[]>,
  bytes: number,
): AsyncGenerator<readonly Uint8Array[]> {
  let leftBytes = bytes
  for await (const slices of text) {
    yield slices.flatMap((slice) => {
      const skipped = Math.min(leftBytes, slice.length)
      leftBytes -= skipped
      return skipped < slice.length ? [slice.subarray(skipped)] : []
    })
  }
}
