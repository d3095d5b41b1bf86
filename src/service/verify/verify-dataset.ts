// Verify dataset: compares the files of a dataset with its receipt, offline: checksums, counts, record positions.
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { decompress } from '../../compression/decompress.ts'
import type { PartReader } from '../../convert/convert.ts'
import type { Part, Reject } from '../../core/receipt.ts'
import { errorCode } from '../../core/storage-error.ts'
import { type HashedBytes, PassingHash } from '../../io/hashing/hash-stream.ts'
import type { CreateScanner } from '../../reading/scanner/scanner.ts'
import { shownReject } from '../../reading/scanner/shown-reject.ts'
import { correctionPath, readCorrections } from '../corrections/correction-file.ts'
import { RecordTally } from '../ingest/record-tally.ts'
import { rejectColumnNames, rejectOfRow } from '../ingest/reject-table.ts'
import { type ParsedReceipt, parseAnyReceipt } from './parse-receipt.ts'
import { scannedAgain } from './scanned-again.ts'
import { ValueCheck } from './value-check.ts'

export interface VerifyTools {
  readonly createScanner: CreateScanner
  readonly reader: PartReader
  /** Throws if the text of a receipt has a checksum that does not match. */
  readonly verifyChecksum: (text: string) => void
}

/** One check. `detail` states what was found and what was expected, never the content of a cell. */
export interface Check {
  readonly check: string
  readonly ok: boolean
  readonly detail: string
}

/** Progress so far, to be polled. */
export interface VerifyProgress {
  bytes: number
}

/** A stored file has already been checked against its limits. */
const unlimited = { textBytesMax: Number.POSITIVE_INFINITY, ratioMax: Number.POSITIVE_INFINITY }
const readBytes = 262_144
const tablePageRecords = 10_000

/**
 * Verifies a directory with `receipt.json`, `original` and parts, as in a store or as copied by a client. Yields each
 * check as it is done; without a receipt there is only one. Memory does not grow with the files.
 */
export async function* verifyFiles(
  dir: string,
  { createScanner, reader, verifyChecksum }: VerifyTools,
  progress: VerifyProgress,
  signal: AbortSignal,
): AsyncGenerator<Check> {
  let receipt: ParsedReceipt
  try {
    const text = await readFile(join(dir, 'receipt.json'), 'utf8')
    verifyChecksum(text)
    receipt = parseAnyReceipt(text)
  } catch (error) {
    const isMissing = ['ENOENT', 'ENOTDIR'].includes(String(errorCode(error)))
    const problem = isMissing
      ? 'there is no receipt.json: this is not the directory of a dataset, or it has been damaged'
      : `receipt.json cannot be read: ${messageOf(error)}`
    yield { check: 'receipt', ok: false, detail: problem }
    return
  }
  yield* verifySums(receipt)
  const table = new TableRejects(dir, receipt, reader, signal)
  if (receipt.corrections !== null) {
    const check = await verifyCorrections(dir, receipt.corrections, progress, signal)
    yield check
    if (!check.ok) return
  }
  yield* verifyOriginal(dir, receipt, { createScanner, reader }, table, progress, signal)
  yield* verifyText(dir, receipt, progress, signal)
  // One column suffices, since all of them have been compared.
  const names = receipt.columns.slice(0, 1).map(({ name }) => name)
  for (const part of receipt.parts) yield* verifyPart(dir, part, names, reader, progress, signal)
  for (const part of receipt.rejects.parts ?? [])
    yield* verifyPart(dir, part, rejectColumnNames, reader, progress, signal)
}

/** The receipt agrees with itself. */
function* verifySums({ records, parts, rejects }: ParsedReceipt): Generator<Check> {
  const { total, header, blank, skipped, accepted, rejected } = records
  const sums: readonly (readonly [string, number, number])[] = [
    ['header + blank + skipped + accepted + rejected', header + blank + skipped + accepted + rejected, total],
    ['records of all parts', sumOf(parts), accepted],
    ['rejects by reason', Object.values(rejects.reasons).reduce((sum, count) => sum + count, 0), rejected],
    ['rejects', rejects.count, rejected],
    ...(rejects.parts === null ? [] : [['records of the rejects table', sumOf(rejects.parts), rejected] as const]),
  ]
  const wrong = sums.filter(([, seen, wanted]) => seen !== wanted)
  const detail = wrong.map(([what, seen, wanted]) => `${what}: ${seen}, wanted ${wanted}`).join('; ')
  yield { check: 'receipt', ok: wrong.length === 0, detail: detail || `its counts add up to ${recordsText(total)}` }
}

function sumOf(parts: readonly Part[]): number {
  return parts.reduce((sum, { records }) => sum + records, 0)
}

/** The bytes are those of the receipt, every record is found again where the receipt says, with its values. */
async function* verifyOriginal(
  dir: string,
  receipt: ParsedReceipt,
  { createScanner, reader }: Pick<VerifyTools, 'createScanner' | 'reader'>,
  table: TableRejects,
  progress: VerifyProgress,
  signal: AbortSignal,
): AsyncGenerator<Check> {
  const { body, records, rejects } = receipt
  const tally = new RecordTally()
  const places = new PlaceCheck(table)
  let values: Check
  try {
    await using check = new ValueCheck(dir, receipt, reader, signal)
    const original = new PassingHash()
    const text = new PassingHash()
    const { compression } = receipt.file
    const received = original.through(fileSlices(join(dir, 'original'), progress, signal))
    const chunks = compression === undefined ? received : decompress(received, compression.format, unlimited)
    for await (const scanned of scannedAgain(dir, receipt, createScanner, text.through(chunks))) {
      tally.add(scanned)
      await check.add(scanned)
      for (const reject of scanned.rejects) await places.next(shownReject(reject))
    }
    await places.end()
    values = { check: 'values', ...(await check.verdict()) }
    yield sameFile('original', original.digest(), receipt.file)
    if (compression !== undefined) yield sameFile('decompressed original', text.digest(), compression)
  } catch (error) {
    signal.throwIfAborted()
    yield { check: 'original', ok: false, detail: messageOf(error) }
    return
  }
  // A record that breaks the declared schema is readable, so the scanner accepts it: these are counted in the table.
  const forbidden = rejects.reasons.constraint ?? 0
  const passed = body.records + (body.gap?.records ?? 0)
  const counted: readonly (readonly [string, number, number])[] = [
    ['accepted', tally.accepted - forbidden, records.accepted],
    ['rejected', tally.rejected + forbidden, records.rejected],
    ['before the data', records.header + records.blank + records.skipped - tally.blank - tally.skipped, passed],
    ['in all', passed + tally.accepted + tally.rejected + tally.blank + tally.skipped, records.total],
  ]
  const wrong = counted.filter(([, seen, wanted]) => seen !== wanted)
  const detail = wrong.map(([what, seen, wanted]) => `${what}: ${seen} found, ${wanted} in the receipt`).join('; ')
  yield { check: 'records', ok: wrong.length === 0, detail: detail || `${records.total} found again in the original` }
  yield places.verdict(forbidden)
  yield values
}

/** The list of corrected records is that of the receipt. */
async function verifyCorrections(
  dir: string,
  wanted: NonNullable<ParsedReceipt['corrections']>,
  progress: VerifyProgress,
  signal: AbortSignal,
): Promise<Check> {
  try {
    const path = correctionPath(dir)
    const same = sameFile('corrections', await hashFile(path, progress, signal), wanted)
    if (!same.ok) return same
    let count = 0
    for await (const _ of readCorrections(path)) count++
    return { ...same, ok: count === wanted.count, detail: `${same.detail}, ${count} of ${recordsText(wanted.count)}` }
  } catch (error) {
    signal.throwIfAborted()
    return { check: 'corrections', ok: false, detail: messageOf(error) }
  }
}

async function* fileSlices(
  path: string,
  progress: VerifyProgress,
  signal: AbortSignal,
): AsyncGenerator<readonly Uint8Array[]> {
  for await (const chunk of createReadStream(path, { highWaterMark: readBytes, signal })) {
    progress.bytes += chunk.length
    yield [chunk]
  }
}

async function hashFile(path: string, progress: VerifyProgress, signal: AbortSignal): Promise<HashedBytes> {
  const file = new PassingHash()
  for await (const _ of file.through(fileSlices(path, progress, signal)));
  return file.digest()
}

/** The text stored beside the original; a client's copy needs none, since the original contains it. */
async function* verifyText(
  dir: string,
  { file: { compression }, rejects }: ParsedReceipt,
  progress: VerifyProgress,
  signal: AbortSignal,
): AsyncGenerator<Check> {
  if (compression === undefined) return
  try {
    yield sameFile('text', await hashFile(join(dir, 'text'), progress, signal), compression)
  } catch (error) {
    signal.throwIfAborted()
    const isCopy = rejects.parts === null
    if (!isCopy || errorCode(error) !== 'ENOENT') yield { check: 'text', ok: false, detail: messageOf(error) }
  }
}

function sameFile(check: string, seen: HashedBytes, wanted: HashedBytes): Check {
  if (seen.bytes !== wanted.bytes) {
    return { check, ok: false, detail: `${seen.bytes} bytes, wanted ${wanted.bytes}` }
  }
  const ok = seen.sha256 === wanted.sha256
  return {
    check,
    ok,
    detail: ok ? `${seen.bytes} bytes, SHA-256 ${seen.sha256}` : `SHA-256 ${seen.sha256}, wanted ${wanted.sha256}`,
  }
}

async function* verifyPart(
  dir: string,
  part: Part,
  columns: readonly string[],
  reader: PartReader,
  progress: VerifyProgress,
  signal: AbortSignal,
): AsyncGenerator<Check> {
  const path = join(dir, part.file)
  try {
    const same = sameFile(part.file, await hashFile(path, progress, signal), part)
    if (!same.ok) {
      yield same
      return
    }
    // If the last record exists, with these columns, and none follows it, the count is right without reading more.
    const offset = Math.max(0, part.records - 1)
    const rows = await reader.rows([{ path, records: part.records + 1 }], columns, offset, 2, signal)
    const isAsMany = rows.length === Math.min(1, part.records)
    const detail = `${isAsMany ? '' : 'not '}${recordsText(part.records)}`
    yield { check: part.file, ok: isAsMany, detail: `${same.detail}, ${detail}` }
  } catch (error) {
    signal.throwIfAborted()
    yield { check: part.file, ok: false, detail: messageOf(error) }
  }
}

/**
 * The stored rejects in file order, page by page; for a receipt without a table, the first ones, which it shows itself.
 */
class TableRejects {
  readonly isWhole: boolean
  readonly #rejects: AsyncIterator<Reject, undefined> | Iterator<Reject, undefined>

  constructor(dir: string, { rejects }: ParsedReceipt, reader: PartReader, signal: AbortSignal) {
    this.isWhole = rejects.parts !== null || rejects.first.length === rejects.count
    this.#rejects = rejects.parts === null ? rejects.first.values() : tablePages(dir, rejects.parts, reader, signal)
  }

  /** The next one that a scanner finds; undefined at the end. */
  async next(): Promise<Reject | undefined> {
    for (;;) {
      const { value } = await this.#rejects.next()
      if (value?.reason !== 'constraint') return value
    }
  }
}

async function* tablePages(
  dir: string,
  parts: readonly Part[],
  reader: PartReader,
  signal: AbortSignal,
): AsyncGenerator<Reject, undefined> {
  const local = parts.map(({ file, records }) => ({ path: join(dir, file), records }))
  for (let offset = 0; ; offset += tablePageRecords) {
    const rows = await reader.rows(local, rejectColumnNames, offset, tablePageRecords, signal)
    for (const row of rows) yield rejectOfRow(row)
    if (rows.length < tablePageRecords) return undefined
  }
}

const compared = ['record', 'line', 'byteOffset', 'byteLength', 'column', 'reason', 'message'] as const

/** Compares the rejects found with the stored ones, one by one. */
class PlaceCheck {
  readonly #table: TableRejects
  #count = 0
  #problem: string | null = null
  #isOver = false

  constructor(table: TableRejects) {
    this.#table = table
  }

  async next(found: Reject): Promise<void> {
    if (this.#problem !== null || this.#isOver) return
    const kept = await this.#table.next()
    if (kept === undefined) {
      if (this.#table.isWhole)
        this.#problem = `record ${found.record} is rejected (${found.reason}) and not in the table`
      this.#isOver = true
      return
    }
    this.#count += 1
    const differs = compared.find((name) => found[name] !== kept[name])
    if (differs !== undefined) {
      this.#problem = `record ${found.record}: ${differs} is ${found[differs]}, ${kept[differs]} in the table`
    }
  }

  async end(): Promise<void> {
    if (this.#problem !== null || this.#isOver) return
    const kept = await this.#table.next()
    if (kept !== undefined) this.#problem = `record ${kept.record} is in the table (${kept.reason}) and not rejected`
  }

  verdict(forbidden: number): Check {
    const which = this.#table.isWhole ? '' : 'the first '
    const others = forbidden === 0 ? '' : `; ${forbidden} by the declared schema`
    const detail = `${which}${this.#count} found again at their places${others}`
    return { check: 'rejects', ok: this.#problem === null, detail: this.#problem ?? detail }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function recordsText(count: number): string {
  return count === 1 ? '1 record' : `${count} records`
}
