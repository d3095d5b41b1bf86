// Correct: makes a dataset in which submitted texts replace rejects. Holds the order of the steps.
import { join } from 'node:path'
import type { PartReader } from '../../convert/convert.ts'
import { type BorrowedBytes, lengthOf } from '../../core/borrowed-bytes.ts'
import { ServiceError } from '../../core/errors.ts'
import type { Correction, Part, Receipt } from '../../core/receipt.ts'
import { correctionsOf, textOf } from '../../core/stored-files.ts'
import { BufferedWriter } from '../../io/buffered-writer.ts'
import { withReads } from '../../io/read-bytes.ts'
import type { DeclaredDialect } from '../../reading/reading.ts'
import { scanOptions } from '../../reading/scan-options.ts'
import { correctionPath, readCorrections } from '../ingest/correction-file.ts'
import { recordReader } from '../ingest/record-of-text.ts'
import { ordinalName, rejectColumnNames, rejectOfRow } from '../ingest/reject-table.ts'
import { linkStored, type ReadStoredTools, readStored } from '../readings/read-stored.ts'
import { readDeclaredSchema } from '../schema/parse-schema.ts'
import type { CorrectionReply } from '../service.ts'
import type { Arrival } from '../upload/arrival.ts'
import { type ReceiveLimits, receiveFile } from '../upload/receive-file.ts'
import { type Correctable, composeCorrections } from './compose-corrections.ts'
import { readSent } from './read-sent.ts'
import { badCorrections, SentRows } from './sent-rows.ts'

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
  arrival: Arrival,
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
  if (rows.count === 0) throw badCorrections('there are none; send rejects.csv with edited texts')
  const layout = scanOptions({ ...of, width: of.columns.length, start: of.body }, recordBytesMax)
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
