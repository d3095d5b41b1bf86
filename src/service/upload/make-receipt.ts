// Make receipt: assembles the receipt of a file that has been read. Writes the checksums beside the original.
import { dirname } from 'node:path'
import type { Note } from '../../core/notes.ts'
import type {
  ByteCounts,
  Correction,
  CorrectionPreview,
  Corrections,
  FileFacts,
  Receipt,
  Reject,
  RejectPreview,
} from '../../core/receipt.ts'
import { textOf } from '../../core/stored-files.ts'
import { withReadsOfWritten } from '../../io/read-bytes.ts'
import type { DeclaredDialect } from '../../reading/reading.ts'
import { dataStart } from '../../reading/scan-options.ts'
import { writeChecksums } from '../dataset/dataset-checksums.ts'
import { readTexts } from '../dataset/record-text.ts'
import { footerNotes } from '../ingest/footer-notes.ts'
import type { IngestResult } from '../ingest/ingest.ts'
import { lastingNotes, recordNotes } from '../ingest/record-notes.ts'
import { recordCounts, rejectFacts } from '../ingest/record-tally.ts'
import type { UploadContext } from './arrival.ts'

/** A file that has been read, and where its bytes can be found. */
export interface ReadFile {
  readonly id: string
  readonly file: FileFacts
  /** Path of the file to which the positions of records refer. */
  readonly textPath: string
  /** Checksums of the blocks of the received files, in the order of `receivedFiles`. */
  readonly checksums: readonly Buffer[]
  /** Notes on how it arrived. */
  readonly notes: readonly Note[]
  readonly loaded: IngestResult
  /** As the client declared it. */
  readonly dialect: DeclaredDialect
  /** Null if every record is read as it is. */
  readonly corrections: CorrectionFacts | null
  /** Longer records were rejected. Bytes. */
  readonly recordBytesMax: number
}

/** The corrections file, and the first corrections. */
export interface CorrectionFacts extends Omit<Corrections, 'first'> {
  readonly first: readonly Correction[]
}

/** Bytes that the receipt shows of each of its first rejects. */
const previewBytesMax = 800

export async function makeReceipt(
  { id, file, textPath, checksums, notes, loaded, dialect, corrections, recordBytesMax }: ReadFile,
  { owner, sender, receivedAt }: UploadContext,
): Promise<Receipt> {
  const { reading, schema, tally, columns, parts, rejectParts, verbatim, typeNotes } = loaded
  const { bytes } = textOf({ file })
  const [{ first, corrected, endNotes }, written] = await Promise.all([
    withReadsOfWritten(textPath, bytes, async (read) => {
      const texts = (rejects: readonly Reject[]) => readTexts(read, reading.encoding.name, rejects, previewBytesMax)
      return {
        first: await texts(tally.first),
        corrected: await texts((corrections?.first ?? []).map(rejectOf)),
        endNotes: await footerNotes({ read, bytes, reading, lines: tally.lines, lastRejects: tally.last }),
      }
    }),
    writeChecksums(dirname(textPath), [...checksums, ...loaded.checksums]),
  ])
  return {
    id,
    file,
    encoding: reading.encoding,
    dialect: reading.dialect,
    ...(schema !== null && { schema }),
    ...(Object.keys(dialect).length > 0 && { declaredDialect: { ...dialect } }),
    ...(corrections !== null && { corrections: { ...corrections, first: corrected.map(beside(corrections.first)) } }),
    records: recordCounts(reading.before, tally),
    bytes: byteCounts(loaded, bytes),
    columns,
    rejects: { ...rejectFacts(tally, bytes), first, parts: rejectParts },
    parts,
    checksums: written,
    body: { ...dataStart(reading), recordBytesMax },
    ...(verbatim.length > 0 && { verbatim }),
    evidence: reading.evidence,
    notes: [
      ...notes,
      ...lastingNotes(reading.notes, columns.at(-1)?.nulls === tally.accepted),
      ...recordNotes(reading, tally),
      ...typeNotes,
      ...endNotes,
    ],
    createdAt: receivedAt,
    owner,
    ...(sender !== '' && { sender }),
  }
}

/** @param total Bytes of the text. */
function byteCounts({ reading, tally }: IngestResult, total: number): ByteCounts {
  const { header, blank, skipped } = reading.before.classBytes
  const others = { header, blank: blank + tally.bytes.blank, skipped: skipped + tally.bytes.skipped }
  const { rejected } = tally.bytes
  return { ...others, accepted: total - others.header - others.blank - others.skipped - rejected, rejected }
}

function rejectOf({ text: _, ordinal: __, ...reject }: Correction): Reject {
  return reject
}

/** Adds the corrected text to each reject that has one. */
function beside(corrections: readonly Correction[]) {
  return (reject: RejectPreview, i: number): CorrectionPreview => {
    const text = corrections[i]?.text ?? ''
    const correctedText = text.slice(0, previewBytesMax).replace(/[\ud800-\udbff]$/, '')
    return { ...reject, correctedText, ...(correctedText !== text && { isCorrectedTextCut: true as const }) }
  }
}
