// Verify dataset: compares the files of a dataset with its receipt, offline: checksums, counts, record positions.
import { createReadStream, existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { decompress } from '../../compression/decompress.ts'
import { accountOf } from '../../core/account.ts'
import type { ByteCounts, Part, ReasonCounts, Reject } from '../../core/receipt.ts'
import { excludedCount, isExcluded, rejectReasons } from '../../core/reject-reasons.ts'
import { errorCode } from '../../core/storage-error.ts'
import { textOf } from '../../core/stored-files.ts'
import { type HashedBytes, PassingHash } from '../../io/hashing/hash-stream.ts'
import { Peekable } from '../../io/peekable.ts'
import type { CreateScanner } from '../../reading/scanner/scanner.ts'
import { shownReject } from '../../reading/scanner/shown-reject.ts'
import { correctionPath, readCorrections } from '../ingest/correction-file.ts'
import { RecordTally } from '../ingest/record-tally.ts'
import { rejectColumnNames, rejectOfRow } from '../ingest/reject-table.ts'
import { scanCorrected } from '../ingest/scan-again.ts'
import { type ParsedReceipt, parseAnyReceipt } from './parse-receipt.ts'
import { ValueCheck, type ValueTools } from './value-check.ts'

export interface VerifyTools extends ValueTools {
  readonly createScanner: CreateScanner
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

/** A dataset that is verified. */
interface DatasetCheck extends Omit<VerifyTools, 'verifyChecksum'> {
  readonly dir: string
  readonly receipt: ParsedReceipt
  readonly progress: VerifyProgress
  readonly signal: AbortSignal
}

/**
 * Verifies a directory with `receipt.json`, `original` and parts, as in a store or as copied by a client. Yields each
 * check as it is done; without a receipt there is only one. Memory does not grow with the files.
 */
export async function* verifyFiles(
  dir: string,
  { verifyChecksum, ...tools }: VerifyTools,
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
  yield verifySums(receipt)
  const dataset = { ...tools, dir, receipt, progress, signal }
  if (receipt.corrections !== null) {
    const check = await verifyCorrections(dataset, receipt.corrections)
    yield check
    if (!check.ok) return
  }
  yield* verifyOriginal(dataset)
  yield* verifyText(dataset)
  // One column suffices, since all of them have been compared.
  const names = receipt.columns.slice(0, 1).map(({ name }) => name)
  for (const part of receipt.parts) yield await verifyPart(dataset, part, names)
  for (const part of receipt.rejects.parts ?? []) yield await verifyPart(dataset, part, rejectColumnNames)
}

/** A check that fails if `look` does, unless it was aborted. */
async function checked(check: string, { signal }: DatasetCheck, look: () => Promise<Check>): Promise<Check> {
  try {
    return await look()
  } catch (error) {
    signal.throwIfAborted()
    return { check, ok: false, detail: messageOf(error) }
  }
}

/** What was counted, how often, and how often it should be. */
type Count = readonly [what: string, seen: number, wanted: number]

/** @param detail If all counts are right. */
function sameCounts(
  check: string,
  counts: readonly Count[],
  detail: string,
  differing = (seen: number, wanted: number) => `${seen}, expected ${wanted}`,
): Check {
  const wrong = counts.filter(([, seen, wanted]) => seen !== wanted)
  const problem = wrong.map(([what, seen, wanted]) => `${what}: ${differing(seen, wanted)}`).join('; ')
  return { check, ok: wrong.length === 0, detail: problem || detail }
}

/** The receipt agrees with itself. */
function verifySums({ file, records, bytes, parts, rejects }: ParsedReceipt): Check {
  const { total, header, blank, skipped, accepted, rejected } = records
  const countOf = (reasons: ReasonCounts) => Object.values(reasons).reduce((sum, count) => sum + count, 0)
  const positions = rejects.positions?.buckets.reduce((sum, { reasons }) => sum + countOf(reasons), 0)
  const sums: readonly Count[] = [
    ['header + blank + skipped + accepted + rejected', header + blank + skipped + accepted + rejected, total],
    ...(bytes === undefined ? [] : [['bytes', byteSum(bytes), textOf({ file }).bytes] as const]),
    ['records of all parts', sumOf(parts), accepted],
    ['rejects by reason', countOf(rejects.reasons), rejected],
    ...(positions === undefined ? [] : [['rejects by position', positions, rejected] as const]),
    ['rejects', rejects.count, rejected],
    ...(rejects.parts === null ? [] : [['records of the rejects table', sumOf(rejects.parts), rejected] as const]),
  ]
  const inBytes = bytes === undefined ? '' : `, and so do ${textOf({ file }).bytes} bytes`
  return sameCounts('receipt', sums, `its counts add up: ${accountOf(records)}${inBytes}`)
}

function byteSum({ header, blank, skipped, accepted, rejected }: ByteCounts): number {
  return header + blank + skipped + accepted + rejected
}

function sumOf(parts: readonly Part[]): number {
  return parts.reduce((sum, { records }) => sum + records, 0)
}

/** The bytes are those of the receipt, every record is found again where the receipt says, with its values. */
async function* verifyOriginal(dataset: DatasetCheck): AsyncGenerator<Check> {
  const { dir, receipt, createScanner, signal } = dataset
  const { body, records, rejects } = receipt
  const tally = new RecordTally()
  const places = new PlaceCheck(dataset)
  let values: Check
  try {
    await using check = new ValueCheck(dir, receipt, dataset, signal)
    const original = new PassingHash()
    const text = new PassingHash()
    const { compression } = receipt.file
    const textOf = (bytes: AsyncIterable<readonly Uint8Array[]>) =>
      compression === undefined ? bytes : decompress(bytes, compression.format, unlimited)
    const correctionsPath = receipt.corrections && correctionPath(dir)
    const scans = (source: AsyncIterable<readonly Uint8Array[]>) =>
      scanCorrected(receipt, { source, exclusions: null, correctionsPath }, createScanner)
    if (check.gathersKeys) {
      const chunks = textOf(fileSlices({ ...dataset, progress: { bytes: 0 } }, 'original'))
      for await (const scanned of scans(chunks)) await check.add(scanned)
      await check.findRepeats()
    }
    const chunks = textOf(original.through(fileSlices(dataset, 'original')))
    for await (const scanned of scans(text.through(chunks))) {
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
  const forbidden = excludedCount(rejects.reasons)
  const passed = body.records + (body.gap?.records ?? 0)
  const counted: Count[] = [
    ['accepted', tally.accepted - forbidden, records.accepted],
    ['rejected', tally.rejected + forbidden, records.rejected],
    ['before the data', records.header + records.blank + records.skipped - tally.blank - tally.skipped, passed],
    ['in all', passed + tally.accepted + tally.rejected + tally.blank + tally.skipped, records.total],
  ]
  const { bytes } = receipt
  if (bytes !== undefined) {
    const passedBytes = body.byteOffset + (body.gap?.byteLength ?? 0)
    const { blank, skipped, rejected } = tally.bytes
    counted.push(
      ['bytes before the data', bytes.header + bytes.blank + bytes.skipped - blank - skipped, passedBytes],
      // The line ends of records that break the declared schema are not known.
      ['bytes rejected', forbidden === 0 ? rejected : Math.max(rejected, bytes.rejected), bytes.rejected],
    )
  }
  const differing = (seen: number, wanted: number) => `${seen} found, ${wanted} in the receipt`
  yield sameCounts('records', counted, `${records.total} found again in the original`, differing)
  yield places.verdict(forbidden, positionsProblem(receipt, tally))
  yield values
}

/** Whether the receipt shows unreadable records where they were found. */
function positionsProblem({ file, rejects: { positions } }: ParsedReceipt, { buckets }: RecordTally): string | null {
  if (positions === undefined) return null
  const found = new Map(buckets.of(textOf({ file }).bytes).buckets.map(({ at, reasons }) => [at, reasons]))
  const wrong = positions.buckets.find(({ at, reasons }) =>
    rejectReasons.some((reason) => !isExcluded({ reason }) && reasons[reason] !== found.get(at)?.[reason]),
  )
  return wrong === undefined ? null : `range ${wrong.at} of the positions has other rejects`
}

/** The list of corrected records is that of the receipt. */
function verifyCorrections(dataset: DatasetCheck, wanted: NonNullable<ParsedReceipt['corrections']>): Promise<Check> {
  return checked('corrections', dataset, async () => {
    const same = sameFile('corrections', await hashFile(dataset, 'corrections'), wanted)
    if (!same.ok) return same
    let count = 0
    for await (const _ of readCorrections(correctionPath(dataset.dir))) count++
    return { ...same, ok: count === wanted.count, detail: `${same.detail}, ${count} of ${recordsText(wanted.count)}` }
  })
}

async function* fileSlices(
  { dir, progress, signal }: DatasetCheck,
  file: string,
): AsyncGenerator<readonly Uint8Array[]> {
  for await (const chunk of createReadStream(join(dir, file), { highWaterMark: readBytes, signal })) {
    progress.bytes += chunk.length
    yield [chunk]
  }
}

async function hashFile(dataset: DatasetCheck, file: string): Promise<HashedBytes> {
  const hash = new PassingHash()
  for await (const _ of hash.through(fileSlices(dataset, file)));
  return hash.digest()
}

/** The text stored beside the original; a client's copy needs none, since the original contains it. */
async function* verifyText(dataset: DatasetCheck): AsyncGenerator<Check> {
  const { dir, receipt } = dataset
  const { compression } = receipt.file
  const isCopy = receipt.rejects.parts === null
  if (compression === undefined || (isCopy && !existsSync(join(dir, 'text')))) return
  yield await checked('text', dataset, async () => sameFile('text', await hashFile(dataset, 'text'), compression))
}

function sameFile(check: string, seen: HashedBytes, wanted: HashedBytes): Check {
  if (seen.bytes !== wanted.bytes) {
    return { check, ok: false, detail: `${seen.bytes} bytes, expected ${wanted.bytes}` }
  }
  const ok = seen.sha256 === wanted.sha256
  return {
    check,
    ok,
    detail: ok ? `${seen.bytes} bytes, SHA-256 ${seen.sha256}` : `SHA-256 ${seen.sha256}, expected ${wanted.sha256}`,
  }
}

function verifyPart(dataset: DatasetCheck, part: Part, columns: readonly string[]): Promise<Check> {
  const { dir, reader, signal } = dataset
  return checked(part.file, dataset, async () => {
    const same = sameFile(part.file, await hashFile(dataset, part.file), part)
    if (!same.ok) return same
    // If the last record exists, with these columns, and none follows it, the count is right without reading more.
    const offset = Math.max(0, part.records - 1)
    const local = { path: join(dir, part.file), records: part.records + 1 }
    const rows = await reader.rows([local], columns, offset, 2, signal)
    const isAsMany = rows.length === Math.min(1, part.records)
    const detail = `${isAsMany ? '' : 'not '}${recordsText(part.records)}`
    return { ...same, ok: isAsMany, detail: `${same.detail}, ${detail}` }
  })
}

/** The stored rejects that a scanner finds, in file order; without a table, those that the receipt shows itself. */
async function* storedRejects({ dir, receipt: { rejects }, reader, signal }: DatasetCheck): AsyncGenerator<Reject> {
  const parts = rejects.parts?.map(({ file, records }) => ({ path: join(dir, file), records })) ?? []
  if (rejects.parts === null) yield* rejects.first.filter((one) => !isExcluded(one))
  else
    for (let offset = 0; offset < rejects.count; offset += tablePageRecords) {
      const rows = await reader.rows(parts, rejectColumnNames, offset, tablePageRecords, signal)
      yield* rows.map(rejectOfRow).filter((one) => !isExcluded(one))
    }
}

const compared = ['record', 'line', 'byteOffset', 'byteLength', 'column', 'reason', 'message'] as const

/** Compares the rejects found with the stored ones, one by one. */
class PlaceCheck {
  readonly #isWhole: boolean
  readonly #table: Peekable<Reject>
  #count = 0
  #problem: string | null = null
  #isOver = false

  constructor(dataset: DatasetCheck) {
    const { parts, first, count } = dataset.receipt.rejects
    this.#isWhole = parts !== null || first.length === count
    this.#table = new Peekable(storedRejects(dataset))
  }

  async next(found: Reject): Promise<void> {
    if (this.#problem !== null || this.#isOver) return
    const kept = await this.#table.take()
    if (kept === null) {
      if (this.#isWhole) this.#problem = `record ${found.record} is rejected (${found.reason}) and not in the table`
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
    const kept = await this.#table.take()
    if (kept !== null) this.#problem = `record ${kept.record} is in the table (${kept.reason}) and not rejected`
  }

  verdict(forbidden: number, otherProblem: string | null): Check {
    const which = this.#isWhole ? '' : 'the first '
    const others = forbidden === 0 ? '' : `; ${forbidden} by the declared schema`
    const detail = `${which}${this.#count} found again at their places${others}`
    const problem = this.#problem ?? otherProblem
    return { check: 'rejects', ok: problem === null, detail: problem ?? detail }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function recordsText(count: number): string {
  return count === 1 ? '1 record' : `${count} records`
}
