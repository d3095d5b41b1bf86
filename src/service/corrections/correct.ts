// Correct: makes a dataset in which submitted texts replace rejects. Holds the order of the steps.
import { join } from 'node:path'
import { type BorrowedBytes, lengthOf } from '../../core/borrowed-bytes.ts'
import { rulesMax } from '../../core/correction-rules.ts'
import { ServiceError } from '../../core/errors.ts'
import type { Correction, Part, Receipt } from '../../core/receipt.ts'
import type { CorrectionOutcome } from '../../core/responses.ts'
import { correctionsOf, textOf } from '../../core/stored-files.ts'
import type { PartReader } from '../../engine/part-reader.ts'
import { BufferedWriter } from '../../io/buffered-writer.ts'
import { below, entryAt, Peekable } from '../../io/peekable.ts'
import { type ReadBytes, readAhead, withReads } from '../../io/read-bytes.ts'
import { fileLines } from '../../io/text-lines.ts'
import { createDecoder } from '../../reading/encoding/decoder.ts'
import type { DeclaredDialect } from '../../reading/reading.ts'
import { storedScanOptions } from '../../reading/scan-options.ts'
import type { DraftFiles } from '../../store/store.ts'
import { createRecordReader } from '../dataset/record-text.ts'
import {
  correctionLine,
  correctionPath,
  noneRefused,
  type RefusedCorrections,
  readCorrections,
} from '../ingest/correction-file.ts'
import type { Rule } from '../ingest/mend.ts'
import { type ReadRecord, recordReader, withoutLineEnd } from '../ingest/record-of-text.ts'
import { ordinalName, rejectColumnNames, rejectOfRow } from '../ingest/reject-table.ts'
import { linkStored, type ReadStoredTools, readStored } from '../readings/read-stored.ts'
import { readDeclaredSchema } from '../schema/parse-schema.ts'
import type { CorrectionReply } from '../service.ts'
import type { UploadContext } from '../upload/arrival.ts'
import { type FinishedDraft, publishOrRecord } from '../upload/publish-or-record.ts'
import { type ReceiveLimits, receiveFile } from '../upload/receive-file.ts'
import { readSent } from './read-sent.ts'
import { type MendedRow, Mending, type MendingTools, RuleList } from './rules.ts'
import { badCorrections, type SentRow, SentRows } from './sent-rows.ts'

export interface CorrectTools extends ReadStoredTools {
  readonly reader: PartReader
}

/** A request body with corrections for a dataset. */
export interface SentBody {
  /** Null if the body is the file itself. */
  readonly boundary: string | null
  readonly chunks: AsyncIterable<readonly BorrowedBytes[]>
}

/** Longer rejects, as a multiple of the longest record, are neither compared nor mended. */
const lengthFactor = 4
const windowBytes = 262_144

export async function correct(
  tools: CorrectTools,
  arrival: UploadContext,
  of: Receipt,
  body: SentBody,
  signal: AbortSignal,
): Promise<CorrectionReply> {
  await using draft = await tools.store.draft()
  const composed = await compose(tools, of, body, draft, false, signal)
  const publish = (finished: FinishedDraft) => publishOrRecord(tools, arrival, finished, of.file.name)
  const published = await readCorrected(tools, arrival, of, composed, publish, signal)
  return { ...published, notes: [], corrected: outcomeOf(composed) }
}

/** The outcome that `correct` would have. Stores nothing. */
export async function previewCorrections(
  tools: CorrectTools,
  arrival: UploadContext,
  of: Receipt,
  body: SentBody,
  signal: AbortSignal,
): Promise<CorrectionOutcome> {
  await using draft = await tools.store.draft()
  const composed = await compose(tools, of, body, draft, true, signal)
  // Without declared rules, every text that can be read is accepted.
  if (of.schema !== undefined && composed.madeBy.length > 0)
    await readCorrected(tools, arrival, of, composed, async () => null, signal)
  return outcomeOf(composed)
}

/** Corrections in a file, and what became of what was sent. */
interface Composed extends SentCounts {
  readonly path: string
  readonly mending: Mending
}

async function compose(
  tools: CorrectTools,
  of: Receipt,
  { boundary, chunks }: SentBody,
  draft: DraftFiles,
  isPreview: boolean,
  signal: AbortSignal,
): Promise<Composed> {
  const segments = await draft.folder('segments')
  const sentPath = join(segments, 'sent')
  await receiveCorrections(chunks, boundary, tools.limits, sentPath)
  await using rows = await SentRows.create(segments)
  const rules: Rule[] = []
  for await (const row of readSent(sentPath, tools.createScanner, of)) {
    if (!('mend' in row)) await rows.add(row)
    else if (rules.push(row) > rulesMax) throw badCorrections(`there are more than ${rulesMax} rules`)
  }
  if (rows.count + rules.length === 0) throw badCorrections('there are none; send rejects.csv with edited text')
  const readRecord = recordReader(tools.createScanner, storedScanOptions(of))
  const path = correctionPath(draft.dir)
  return await withCorrectable(tools, of, segments, signal, async (correctable) => {
    const mending = new Mending(rules, { receipt: of, textOf: textReader(correctable), readRecord })
    const { rejects, corrections } = correctable
    const sent = rules.length === 0 ? rows.inOrder() : mending.rows(rejects(), rows.inOrder(), corrections())
    return { path, mending, ...(await composeCorrections(correctable, sent, readRecord, path, isPreview)) }
  })
}

/** Reads the original with the corrections, and counts as refused those that break declared rules. */
async function readCorrected<Result>(
  tools: CorrectTools,
  arrival: UploadContext,
  of: Receipt,
  { path: correctionsPath, refused, mending, madeBy }: Composed,
  end: (finished: FinishedDraft) => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  const schema = of.schema === undefined ? null : readDeclaredSchema(of.schema)
  // Only makeReceipt() writes it.
  const dialect = (of.declaredDialect ?? {}) as DeclaredDialect
  const reading = { of, declared: { dialect, schema }, uncorrectedId: of.corrections?.of ?? of.id, correctionsPath }
  const read = await readStored(tools, arrival, reading, end, signal)
  refused.addAll(read.refused.first, read.refused.count)
  if (read.refused.count > 0 && read.path !== null) {
    await mending.takeBack(readCorrections(correctionsPath), readCorrections(read.path), madeBy)
  }
  return read.result
}

function outcomeOf({ sent, unchanged, refused, mending }: Composed): CorrectionOutcome {
  const { outcomes: rules } = mending
  return { sent, unchanged, refused: refused.count, firstRefused: refused.first, ...(rules.length > 0 && { rules }) }
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
  let reads = 0
  return await withReads(textPath, (read) =>
    use({
      receipt,
      read,
      rejects: () => rejectsOf(local, join(dir, `rejects-${++reads}.ndjson`), reader, signal),
      corrections: () => readCorrections(beforePath ?? null),
    }),
  )
}

async function* rejectsOf(
  parts: readonly (Pick<Part, 'records'> & { readonly path: string })[],
  toPath: string,
  reader: PartReader,
  signal: AbortSignal,
): AsyncGenerator<Omit<Correction, 'text'>> {
  const columns = [...rejectColumnNames, ordinalName]
  for (const { path, records } of parts) {
    await reader.lines([path], columns, { offset: 0, limit: records }, { toPath, csvDelimiter: null }, signal)
    for await (const line of fileLines(toPath)) {
      // The reader writes one object for each record, with a member for each column.
      const row = Object.values(JSON.parse(line) as object)
      const ordinal = row.at(-1)
      yield { ...rejectOfRow(row), ...(ordinal != null && { ordinal: Number(ordinal) }) }
    }
  }
}

/** What a dataset contributes to corrections, each list in file order. */
interface Correctable {
  readonly receipt: Receipt
  /** Its rejects, without their text values. */
  readonly rejects: () => AsyncIterable<Omit<Correction, 'text'>>
  /** Reads the text in which its records are found. */
  readonly read: ReadBytes
  /** Its own corrections. */
  readonly corrections: () => AsyncIterable<Correction>
}

/** The outcome of the submitted rows. */
interface SentCounts {
  readonly sent: number
  /** Rows that change nothing: without a text, or with the text that the record has. */
  readonly unchanged: number
  readonly refused: RefusedCorrections
  /** The rule that made each correction. */
  readonly madeBy: RuleList
}

/**
 * Writes the corrections of the new dataset to a new file. A text that cannot be read as one record is left out, and
 * its record stays as it was. A text for a record that was corrected before replaces the earlier correction.
 *
 * @throws {ServiceError} BAD_CORRECTIONS if a row names a record that is not a reject; a preview refuses it only
 */
async function composeCorrections(
  of: Correctable,
  sent: AsyncIterable<MendedRow>,
  readRecord: ReadRecord,
  path: string,
  isPreview: boolean,
): Promise<SentCounts> {
  await using writer = await BufferedWriter.create(path, { syncEveryBytes: null })
  await using before = new Peekable(of.corrections())
  await using rejects = new Peekable(of.rejects())
  const isUnchanged = textComparison(of)
  const refused = noneRefused()
  const counts = { sent: 0, unchanged: 0 }
  const madeBy = new RuleList()
  const write = async (correction: Correction, rule: number | null = null) => {
    madeBy.push(rule)
    await writer.write([Buffer.from(correctionLine(correction))])
  }
  for await (const row of sent) {
    counts.sent++
    const { record } = row
    const text = row.text === null ? null : withoutLineEnd(row.text)
    for await (const earlier of below(before, record)) await write(earlier)
    const earlier = await entryAt(before, record)
    const reject = earlier ?? (await entryAt(rejects, record))
    if (reject === null || (row.byteOffset ?? reject.byteOffset) !== reject.byteOffset) {
      const problem = `record ${record} is not a reject of this dataset`
      if (!isPreview) throw badCorrections(`${problem}; send rows of its own rejects.csv only`)
      refused.add({ record, column: null, reason: 'no_reject', message: problem })
      if (earlier !== null) await write(earlier)
      continue
    }
    if (row.rule !== undefined && text !== null) {
      await write({ ...reject, text }, row.rule)
      continue
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
  return { ...counts, refused, madeBy }
}

/** The whole texts of rejects, read in file order. */
function textReader({ receipt, read }: Correctable): MendingTools['textOf'] {
  const strict = createRecordReader(receipt.encoding.name)
  const readNext = readAhead(read, windowBytes)
  return async ({ byteOffset, byteLength }) => {
    if (byteLength > lengthFactor * receipt.body.recordBytesMax) return null
    const bytes = await readNext(byteOffset, byteLength)
    const { text } = strict(bytes, false)
    if (text !== null) return { text, isText: true }
    return { text: createDecoder(receipt.encoding.name, 'replace', 'character')(bytes, true), isText: false }
  }
}

/** Whether a row has the text that its record has in the file. Line ends may differ: programs write their own. */
function textComparison(of: Correctable) {
  const textOf = textReader(of)
  return async (reject: Omit<Correction, 'text'>, { text, isCut }: SentRow): Promise<boolean> => {
    const original = await textOf(reject)
    const shown = original?.isText ? original.text : null
    if (!isCut) return shown !== null && text !== null && plain(shown) === plain(text)
    if (shown?.startsWith(text ?? '') !== false) return true
    throw badCorrections(`the text of record ${reject.record} is cut; take the whole text from rejects.csv`)
  }
}

function plain(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n')
}
