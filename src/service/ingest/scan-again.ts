// Scan again: the records of a stored file, scanned as its receipt says it was read.
import { releaseChunk } from '../../core/byte-stream.ts'
import { type StoredLayout, storedScanOptions } from '../../reading/scan-options.ts'
import type { CreateScanner, ScanResult } from '../../reading/scanner/scanner.ts'
import { ConstraintFilter } from './constraint-filter.ts'
import { excludedAsWell, readCorrections } from './correction-file.ts'
import { Corrector } from './corrector.ts'
import type { Exclusions } from './exclusions.ts'
import { recordReader } from './record-of-text.ts'

type TextChunks = AsyncIterable<Uint8Array | readonly Uint8Array[]>

export interface StoredText {
  /** The text of the file from its beginning. Its owner releases lists of chunks; chunks alone are released here. */
  readonly source: TextChunks
  /** Null if every readable record is accepted. */
  readonly exclusions: Exclusions | null
  /** The file of corrections; null if every record is read as it is. */
  readonly correctionsPath: string | null
}

/** Records that are corrected are rejects here. */
export async function* scanAgain(
  receipt: StoredLayout,
  { source, exclusions, correctionsPath: path }: StoredText,
  createScanner: CreateScanner,
): AsyncGenerator<ScanResult> {
  const layout = storedScanOptions(receipt)
  const excluded = path === null ? exclusions : excludedAsWell(path, exclusions)
  const scanner = createScanner({ ...layout, marksRejects: excluded !== null })
  const filter = excluded && new ConstraintFilter(scanner, excluded, layout.start.byteOffset)
  const data = behind(released(source), layout.start.byteOffset)
  for await (const slices of filter?.steps(data) ?? data)
    for (const slice of slices) yield (filter ?? scanner).push(slice)
  yield (filter ?? scanner).end()
}

/** Records that are corrected are accepted. @throws {Error} if a correction has no reject */
export async function* scanCorrected(
  receipt: StoredLayout,
  text: StoredText,
  createScanner: CreateScanner,
): AsyncGenerator<ScanResult> {
  const scans = scanAgain(receipt, text, createScanner)
  if (text.correctionsPath === null) return yield* scans
  const readRecord = recordReader(createScanner, storedScanOptions(receipt))
  await using corrector = new Corrector(readCorrections(text.correctionsPath), readRecord, null)
  for await (const scanned of scans) yield* corrector.correct(scanned)
  await corrector.end()
}

async function* released(source: TextChunks): AsyncGenerator<Uint8Array | readonly Uint8Array[]> {
  for await (const chunk of source) {
    yield chunk
    if (chunk instanceof Uint8Array) releaseChunk(chunk)
  }
}

/** The chunks without this many first bytes. */
export async function* behind(source: TextChunks, bytes: number): AsyncGenerator<readonly Uint8Array[]> {
  let leftBytes = bytes
  for await (const chunk of source) {
    yield [chunk].flat().map((slice) => {
      const data = slice.subarray(Math.min(leftBytes, slice.length))
      leftBytes -= slice.length - data.length
      return data
    })
  }
}
