// Make receipt: puts together what the receipt of a file says once all of it has been read. Writes the checksums beside the original.
import { dirname } from 'node:path'
import type { Note } from '../../core/notes.ts'
import type { FileFacts, Receipt } from '../../core/receipt.ts'
import { textOf } from '../../core/stored-files.ts'
import { withReads } from '../../io/read-bytes.ts'
import { writeChecksums } from '../dataset/dataset-checksums.ts'
import { readTexts } from '../dataset/record-text.ts'
import { footerNotes } from '../ingest/footer-notes.ts'
import type { Loaded } from '../ingest/ingest.ts'
import { recordNotes } from '../ingest/record-notes.ts'
import { dataStart } from '../ingest/scan-options.ts'
import type { Arrival } from './arrival.ts'

/** A file that has been read, and where its bytes can be looked up. */
export interface ReadFile {
  readonly id: string
  readonly file: FileFacts
  /** Of the file in which records have their places. */
  readonly textPath: string
  /** Of the blocks of what was received, in the order of `receivedFiles`. */
  readonly checksums: readonly Buffer[]
  /** On how it came. */
  readonly notes: readonly Note[]
  readonly loaded: Loaded
  /** Longer records were rejected. Bytes. */
  readonly recordBytesMax: number
}

/** The receipt shows this much of each of its first rejects. Bytes. */
const previewBytesMax = 800

export async function makeReceipt(
  { id, file, textPath, checksums, notes, loaded, recordBytesMax }: ReadFile,
  { owner, receivedAt }: Arrival,
): Promise<Receipt> {
  const { reading, schema, tally, columns, parts, rejectParts, typeNotes } = loaded
  const { bytes } = textOf({ file })
  const end = { textPath, bytes, reading, lines: tally.lines, lastRejects: tally.last }
  const first = await withReads(textPath, (read) =>
    readTexts(read, reading.encoding.name, tally.first, previewBytesMax),
  )
  return {
    id,
    file,
    encoding: reading.encoding,
    dialect: reading.dialect,
    ...(schema !== null && { schema }),
    records: recordCounts(loaded),
    columns,
    rejects: { count: tally.rejected, reasons: tally.reasons, first, parts: rejectParts },
    parts,
    checksums: await writeChecksums(dirname(textPath), [...checksums, ...loaded.checksums]),
    body: { ...dataStart(reading), recordBytesMax },
    evidence: reading.evidence,
    notes: [...notes, ...reading.notes, ...recordNotes(reading, tally), ...typeNotes, ...(await footerNotes(end))],
    createdAt: receivedAt,
    owner,
  }
}

function recordCounts({ reading, tally }: Loaded): Receipt['records'] {
  const { header, skipped, blank } = reading.before
  const counts = {
    header,
    blank: blank + tally.blank,
    skipped: skipped + tally.skipped,
    accepted: tally.accepted,
    rejected: tally.rejected,
  }
  return { total: Object.values(counts).reduce((sum, count) => sum + count, 0), ...counts }
}
