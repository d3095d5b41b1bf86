// Correct: makes a dataset in which submitted texts replace rejects. Holds the order of the steps.
import { join } from 'node:path'
import { type BorrowedBytes, lengthOf } from '../../core/borrowed-bytes.ts'
import { ServiceError } from '../../core/errors.ts'
import {
  type Correction,
  firstRejectsMax,
  type Part,
  type Receipt,
  type RefusedCorrection,
} from '../../core/receipt.ts'
import { correctionsOf, textOf } from '../../core/stored-files.ts'
import type { PartReader } from '../../engine/part-reader.ts'
import { BufferedWriter } from '../../io/buffered-writer.ts'
import { Peekable } from '../../io/peekable.ts'
import { type ReadBytes, withReads } from '../../io/read-bytes.ts'
import type { DeclaredDialect } from '../../reading/reading.ts'
import { storedScanOptions } from '../../reading/scan-options.ts'
import { createRecordReader } from '../dataset/record-text.ts'
import { correctionLine, correctionPath, readCorrections } from '../ingest/correction-file.ts'
import { type ReadRecord, recordReader, withoutLineEnd } from '../ingest/record-of-text.ts'
import { ordinalName, rejectColumnNames, rejectOfRow } from '../ingest/reject-table.ts'
import { linkStored, type ReadStoredTools, readStored } from '../readings/read-stored.ts'
import { readDeclaredSchema } from '../schema/parse-schema.ts'
import type { CorrectionReply } from '../service.ts'
import type { UploadContext } from '../upload/arrival.ts'
import { type ReceiveLimits, receiveFile } from '../upload/receive-file.ts'
import { readSent } from './read-sent.ts'
import { badCorrections, rowsMax, type SentRow, SentRows } from './sent-rows.ts'

export interface CorrectTools extends ReadStoredTools {
  readonly reader: PartReader
}

/** A request body with corrections for a dataset. */
export interface SentBody {
  /** Null if the body is the file itself. */
  readonly boundary: string | null
  readonly chunks: AsyncIterable<readonly BorrowedBytes[]>
}

/** Rejects in memory at once: some megabytes. */
const rejectsAtOnce = 5_120

export async function correct(
  tools: CorrectTools,
  arrival: UploadContext,
  of: Receipt,
  { boundary, chunks }: SentBody,
  signal: AbortSignal,
): Promise<CorrectionReply> {
  await using draft = await tools.store.draft()
  const segments = await draft.folder('segments')
  const sentPath = join(segments, 'sent')
  await receiveCorrections(chunks, boundary, tools.limits, sentPath)
  const { recordBytesMax } = of.body
  await using rows = await SentRows.create(segments)
  for await (const row of readSent(sentPath, tools.createScanner, recordBytesMax)) await rows.add(row)
  if (rows.count === 0) throw badCorrections('there are none; send rejects.csv with edited text')
  const layout = storedScanOptions(of)
  const readRecord = recordReader(tools.createScanner, layout)
  const correctionsPath = correctionPath(draft.dir)
  const { sent, unchanged, refused } = await withCorrectable(tools, of, segments, signal, (correctable) =>
    composeCorrections(correctable, rows.inOrder(), readRecord, correctionsPath),
  )
  const schema = of.schema === undefined ? null : readDeclaredSchema(of.schema)
  // Only makeReceipt() writes it.
  const dialect = (of.declaredDialect ?? {}) as DeclaredDialect
  const uncorrectedId = of.corrections?.of ?? of.id
  const reading = { of, declared: { dialect, schema }, uncorrectedId, correctionsPath }
  const read = await readStored(tools, arrival, reading, signal)
  for (const one of read.refused) refused.add(one)
  const { receipt, upload } = read
  const corrected = { sent, unchanged, refused: refused.count, firstRefused: refused.first }
  return { receipt, upload, notes: [], corrected }
}

/**
 * Writes the file in a body, or the body itself, to a new file.
 *
 * @param boundary Null if the body is the file itself.
 * @throws {ServiceError} As `receiveFile` and the chunks of its file.
 */
async function receiveCorrections(
  body: AsyncIterable<readonly BorrowedBytes[]>,
  boundary: string | null,
  limits: ReceiveLimits,
  path: string,
): Promise<void> {
  const chunks = boundary === null ? bounded(body, limits) : (await receiveFile(body, boundary, limits)).chunks
  await using writer = await BufferedWriter.create(path, { syncEveryBytes: null })
  for await (const slices of chunks) await writer.write(slices)
  if (writer.bytes === 0) throw new ServiceError('EMPTY_FILE', {})
  await writer.close()
}

async function* bounded(
  body: AsyncIterable<readonly BorrowedBytes[]>,
  { fileBytesMax, requestBytesMax }: ReceiveLimits,
): AsyncGenerator<readonly BorrowedBytes[]> {
  const limitBytes = Math.min(fileBytesMax, requestBytesMax)
  let bytes = 0
  for await (const slices of body) {
    bytes += lengthOf(slices)
    if (bytes > limitBytes) throw new ServiceError('FILE_TOO_LARGE', { limitBytes })
    yield slices
  }
}

/** Calls `use` with the corrections and rejects of a dataset, which stay readable if it is deleted. */
async function withCorrectable<Result>(
  { files, reader }: CorrectTools,
  receipt: Receipt,
  dir: string,
  signal: AbortSignal,
  use: (correctable: Correctable) => Promise<Result>,
): Promise<Result> {
  const before = correctionsOf(receipt)
  const text = textOf(receipt)
  const { parts } = receipt.rejects
  const stored = [text, ...parts, ...(before === null ? [] : [before])]
  const paths = stored.map((_, i) => join(dir, `stored-${i}`))
  await linkStored({ files }, receipt, stored, paths)
  const [textPath = '', ...others] = paths
  const local = parts.map(({ records }, i) => ({ path: others[i] ?? '', records }))
  const beforePath = others[parts.length]
  return await withReads(textPath, (read) =>
    use({
      receipt,
      read,
      rejects: rejectsOf(local, receipt.rejects.count, reader, signal),
      corrections: beforePath === undefined ? nothing() : readCorrections(beforePath),
    }),
  )
}

async function* nothing(): AsyncGenerator<Correction> {}

async function* rejectsOf(
  parts: readonly (Pick<Part, 'records'> & { readonly path: string })[],
  count: number,
  reader: PartReader,
  signal: AbortSignal,
): AsyncGenerator<Omit<Correction, 'text'>> {
  const columns = [...rejectColumnNames, ordinalName]
  for (let offset = 0; offset < count; offset += rejectsAtOnce) {
    for (const row of await reader.rows(parts, columns, offset, rejectsAtOnce, signal)) {
      const ordinal = row.at(-1)
      yield { ...rejectOfRow(row), ...(ordinal != null && { ordinal: Number(ordinal) }) }
    }
  }
}

/** What a dataset contributes to corrections, each list in file order. */
interface Correctable {
  readonly receipt: Receipt
  /** Its rejects, without their text values. */
  readonly rejects: AsyncIterable<Omit<Correction, 'text'>>
  /** Reads the text in which its records are found. */
  readonly read: ReadBytes
  /** Its own corrections. */
  readonly corrections: AsyncIterable<Correction>
}

/** The outcome of the submitted rows. */
interface SentCounts {
  readonly sent: number
  /** Rows that change nothing: without a text, or with the text that the record has. */
  readonly unchanged: number
  readonly refused: RefusedCorrections
}

/** Texts that cannot be read as the record for which they were submitted. */
class RefusedCorrections {
  count = 0
  /** At most `firstRejectsMax`. */
  readonly first: RefusedCorrection[] = []

  add(one: RefusedCorrection): void {
    this.count++
    if (this.first.length < firstRejectsMax) this.first.push(one)
  }
}

/**
 * Writes the corrections of the new dataset to a new file. A text that cannot be read as one record is left out, and
 * its record stays as it was. A text for a record that was corrected before replaces the earlier correction.
 *
 * @throws {ServiceError} BAD_CORRECTIONS if a row names a record that is not a reject
 */
async function composeCorrections(
  of: Correctable,
  sent: AsyncIterable<SentRow>,
  readRecord: ReadRecord,
  path: string,
): Promise<SentCounts & { readonly count: number }> {
  await using writer = await BufferedWriter.create(path, { syncEveryBytes: null })
  await using before = new Peekable(of.corrections)
  await using rejects = new Peekable(of.rejects)
  const isUnchanged = textComparison(of)
  const refused = new RefusedCorrections()
  const counts = { sent: 0, unchanged: 0, count: 0 }
  const write = async (correction: Correction) => {
    if (++counts.count > rowsMax) throw badCorrections(`a dataset can have at most ${rowsMax} corrected records`)
    await writer.write([Buffer.from(correctionLine(correction))])
  }
  for await (const row of sent) {
    counts.sent++
    const { record } = row
    const text = row.text === null ? null : withoutLineEnd(row.text)
    for await (const earlier of below(before, record)) await write(earlier)
    const earlier = await entryAt(before, record)
    const reject = earlier ?? (await entryAt(rejects, record))
    if (reject === null) {
      throw badCorrections(`record ${record} is not a reject of this dataset; send rows of its own rejects.csv only`)
    }
    const isAsItWas =
      text === null || (earlier === null ? await isUnchanged(reject, { ...row, text }) : earlier.text === text)
    const seen = isAsItWas ? null : readRecord(text)
    if (seen === null) counts.unchanged++
    else if (seen.kind === 'refused') {
      const { column, reason, message } = seen
      refused.add({ record, column, reason, message })
    }
    if (seen?.kind === 'record' && text !== null) await write({ ...reject, text })
    else if (earlier !== null) await write(earlier)
  }
  for await (const earlier of below(before, Number.POSITIVE_INFINITY)) await write(earlier)
  await writer.close()
  return { ...counts, refused }
}

/** The entries before a record, in file order. */
async function* below<One extends { readonly record: number }>(list: Peekable<One>, record: number) {
  for (let next = await list.peek(); next !== null && next.record < record; next = await list.peek()) {
    await list.take()
    yield next
  }
}

/** The entry of a record; null if there is none. */
async function entryAt<One extends { readonly record: number }>(list: Peekable<One>, record: number) {
  for await (const _ of below(list, record));
  return (await list.peek())?.record === record ? await list.take() : null
}

/** Whether a row has the text that its record has in the file. Line ends may differ: programs write their own. */
function textComparison({ receipt, read }: Correctable) {
  const textOf = createRecordReader(receipt.encoding.name)
  const lengthMax = 4 * receipt.body.recordBytesMax
  return async (reject: Omit<Correction, 'text'>, { text, isCut }: SentRow): Promise<boolean> => {
    const { record, byteOffset, byteLength } = reject
    const isComparable = byteLength <= lengthMax
    const original = isComparable ? textOf(await read(byteOffset, byteLength), false).text : null
    if (!isCut) return original !== null && text !== null && plain(original) === plain(text)
    if (original?.startsWith(text ?? '') !== false) return true
    throw badCorrections(`the text of record ${record} is cut; take the whole text from rejects.csv`)
  }
}

function plain(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n')
}
