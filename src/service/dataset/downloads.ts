// Downloads: the stored files of a dataset, and formats derived from them, as bytes to send. Changes nothing.
import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Converter } from '../../columns/converter.ts'
import { type ByteStream, byteStream, chunksOfFiles, releaseChunk } from '../../core/byte-stream.ts'
import { ServiceError } from '../../core/errors.ts'
import type { Part, Receipt } from '../../core/receipt.ts'
import { excludedCount } from '../../core/reject-reasons.ts'
import { throwStoreError } from '../../core/storage-error.ts'
import { correctionsOf, originalOf, type StoredFile, textOf } from '../../core/stored-files.ts'
import type { LinesTarget, PartReader } from '../../engine/part-reader.ts'
import { gatherChunks } from '../../io/chunks/gather-chunks.ts'
import type { CreateScanner } from '../../reading/scanner/scanner.ts'
import type { Store } from '../../store/store.ts'
import type { Exclusions } from '../ingest/exclusions.ts'
import { ordinalName, rejectColumnNames } from '../ingest/reject-table.ts'
import type { ByteRange, CsvOptions, Download, DownloadForm } from '../service.ts'
import { annotatedCsv } from './annotated-csv.ts'
import { type CsvTools, csvText, typedHeader } from './csv-text.ts'
import { JoinedParquet } from './joined-parquet.ts'
import { rejectCsv, rejectCsvHeader } from './rejects-csv.ts'
import type { ReadableFiles, SharedFiles, VerifiedFiles } from './verified-files.ts'

export interface DownloadTools {
  readonly store: Store
  readonly files: VerifiedFiles
  readonly reader: PartReader
  readonly createScanner: CreateScanner
  readonly converter: Pick<Converter, 'writeText'>
}

/** Rejects in memory at once: some megabytes. */
const rejectsAtOnce = 5_120
/** Disk space for the column names of one batch, which JSON repeats in each record. Bytes. */
const nameBytesAtOnce = 67_108_864
/**
 * The text of a block may be a little shorter. With chunks of this size, a full response releases their memory immediately.
 * Bytes.
 */
const textBytesMin = 65_536
/** One job after the other costs 5 % of CPU time if each is for one part. */
const partsAtOnceMax = 4

/** Lengths of texts that are remembered: some 150 bytes each. */
const madeBytesMax = 10_000

export class Downloads {
  readonly #tools: DownloadTools
  readonly #joined: JoinedParquet
  /** By tag. */
  readonly #madeBytes = new Map<string, number>()

  constructor(tools: DownloadTools) {
    this.#tools = tools
    this.#joined = new JoinedParquet(tools.files)
  }

  /** A dataset in some form. Several parts are joined as they are sent. */
  async of(receipt: Receipt, form: DownloadForm, signal: AbortSignal): Promise<Download> {
    switch (form.kind) {
      case 'original':
        return this.#file(receipt, originalOf(receipt))
      case 'corrections':
        return this.#file(receipt, correctionsOf(receipt))
      case 'part':
        return this.#file(receipt, receipt.parts[form.index] ?? null)
      case 'parquet':
        if (receipt.parts.length > 1) return await this.#joined.of(receipt, signal)
        return this.#file(receipt, receipt.parts[0] ?? null)
      case 'csv':
        if (!form.typed) return this.#asRead(receipt, form, false)
        return this.#typed(receipt, { csvDelimiter: form.delimiter }, form, typedHeader(receipt, form))
      case 'annotated':
        return this.#asRead(receipt, form, true)
      case 'ndjson':
        return this.#typed(receipt, { csvDelimiter: null }, form)
      case 'rejects':
        return this.#rejectsCsv(receipt, form)
    }
  }

  /** The accepted records as typed, without a header and with quoted texts, for a database to read. */
  databaseCsv(receipt: Receipt): Download {
    return this.#typed(receipt, { csvDelimiter: ',', quotesTexts: true }, { kind: 'database' })
  }

  /** The records as they are in the original: all with their verdicts, or the accepted ones. */
  #asRead(receipt: Receipt, form: CsvOptions, isAnnotated: boolean): Download {
    return this.#made(receipt, form, async (signal) => {
      // Only the table of rejects knows which readable records are rejected.
      const corrections = correctionsOf(receipt)
      const isWhole = excludedCount(receipt.rejects.reasons) === 0 && corrections === null && !isAnnotated
      await using opened = new AsyncDisposableStack()
      // From its beginning, since only the whole file shows whether it is intact.
      const source = opened.use(await this.#tools.files.read(receipt, textOf(receipt)))
      const rejectFiles = [isAnnotated ? textOf(receipt) : [], receipt.rejects.parts, corrections ?? []].flat()
      const shared = isWhole ? null : opened.use(await this.#tools.files.shareToRead(receipt, rejectFiles))
      const exclusions = shared && this.#exclusions(receipt, shared, signal)
      const correctionsPath = corrections && shared ? await shared.path(corrections) : null
      const stored = { source, exclusions, correctionsPath }
      const { createScanner, converter } = this.#tools
      const tools: CsvTools = { createScanner, writeText: (job) => converter.writeText(job, signal) }
      const read = isAnnotated && shared && opened.use(await shared.open(textOf(receipt))).read
      const text = read
        ? annotatedCsv(receipt, form, { ...stored, read }, tools)
        : csvText(receipt, form, stored, tools)
      const held = opened.move()
      return byteStream(gatherChunks(text, textBytesMin), () => held.disposeAsync())
    })
  }

  /** The accepted records as typed. */
  #typed(receipt: Receipt, target: Omit<LinesTarget, 'toPath'>, form: object, header: Buffer | null = null): Download {
    const share = () => this.#tools.files.share(receipt, receipt.parts)
    const lines = (shared: SharedFiles, signal: AbortSignal) => this.#lines(receipt, shared, target, signal)
    return this.#shared(receipt, form, share, async function* (shared, signal) {
      if (header !== null) yield header
      yield* chunksOfFiles(lines(shared, signal))
    })
  }

  #rejectsCsv(receipt: Receipt, form: object): Download {
    const share = () => this.#tools.files.shareToRead(receipt, [textOf(receipt), ...receipt.rejects.parts])
    return this.#shared(receipt, form, share, (shared, signal) => this.#rejectLines(receipt, shared, signal))
  }

  #file(receipt: Receipt, file: StoredFile | null): Download {
    if (file === null) throw new ServiceError('NOT_FOUND', {})
    const { files } = this.#tools
    return {
      receipt,
      bytes: file.bytes,
      sha256: file.sha256,
      tag: file.sha256,
      open: async (_signal, range) =>
        range === undefined
          ? { stream: await files.read(receipt, file), bytes: file.bytes }
          : { stream: await files.readRange(receipt, file, range), bytes: range.end - range.start },
    }
  }

  /** Text derived from files, which stay until the client has read it, even if the dataset is deleted. */
  #shared<Files extends ReadableFiles>(
    receipt: Receipt,
    form: object,
    share: () => Promise<Files>,
    make: (shared: Files, signal: AbortSignal) => AsyncGenerator<Uint8Array>,
  ): Download {
    return this.#made(receipt, form, async (signal) => {
      const shared = await share()
      return byteStream(make(shared, signal), () => shared[Symbol.asyncDispose]())
    })
  }

  /** Made while it is sent: the same text each time, since neither the dataset nor the form changes. */
  #made(receipt: Receipt, form: object, open: (signal: AbortSignal) => Promise<ByteStream>): Download {
    const tag = createHash('sha256')
      .update(JSON.stringify([receipt.id, form]))
      .digest('hex')
    const bytes = this.#madeBytes.get(tag) ?? null
    const measure = async (signal: AbortSignal) => {
      await using stream = await open(signal)
      let sum = 0
      for await (const chunk of stream) {
        signal.throwIfAborted()
        sum += chunk.length
        releaseChunk(chunk)
      }
      this.#madeBytes.set(tag, sum)
      const [oldest = ''] = this.#madeBytes.keys()
      if (this.#madeBytes.size > madeBytesMax) this.#madeBytes.delete(oldest)
      return sum
    }
    const openRange: Download['open'] = async (signal, range) => {
      const stream = await open(signal)
      if (range === undefined) return { stream, bytes }
      const part = byteStream(within(stream, range), () => stream[Symbol.asyncDispose]())
      return { stream: part, bytes: range.end - range.start }
    }
    return { receipt, bytes, sha256: null, tag, measure, open: openRange }
  }

  /** The rejected records that are readable, page by page. */
  async *#exclusions({ rejects }: Receipt, shared: ReadableFiles, signal: AbortSignal): Exclusions {
    for await (const rows of this.#rejectRows(rejects, [ordinalName, 'column', 'message'], shared, signal)) {
      yield rows.flatMap(([ordinal, column, message]) => {
        if (ordinal === null) return []
        return [{ ordinal: Number(ordinal), column: column === null ? null : Number(column), message: String(message) }]
      })
    }
  }

  /**
   * Files of lines, each in the place of the one before it. They are files so that neither memory nor a reader waits for
   * a slow client.
   */
  async *#lines(
    { columns, parts }: Receipt,
    shared: SharedFiles,
    form: Omit<LinesTarget, 'toPath'>,
    signal: AbortSignal,
  ): AsyncGenerator<FileHandle> {
    const names = columns.map(({ name }) => name)
    const nameBytes = names.reduce((sum, name) => sum + Buffer.byteLength(name) + 6, 0)
    const recordsMax = form.csvDelimiter === null ? Math.max(1, Math.floor(nameBytesAtOnce / nameBytes)) : Infinity
    const toPath = join(shared.dir, 'lines')
    for (const { some, window } of linesAtOnce(parts, recordsMax)) {
      const paths: string[] = []
      // Check each time: a client may take long between two of them.
      for (const part of some) paths.push(await shared.path(part))
      await this.#tools.reader.lines(paths, names, window, { toPath, ...form }, signal)
      yield await open(toPath).catch(throwStoreError)
    }
  }

  async *#rejectLines(receipt: Receipt, shared: ReadableFiles, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    if (receipt.rejects.count === 0) return yield Buffer.from(rejectCsvHeader)
    await using text = await shared.open(textOf(receipt))
    const pages = this.#rejectRows(receipt.rejects, rejectColumnNames, shared, signal)
    for await (const lines of rejectCsv(text.read, receipt.encoding.name, pages)) yield Buffer.from(lines)
  }

  async *#rejectRows(
    rejects: Receipt['rejects'],
    columns: readonly string[],
    shared: ReadableFiles,
    signal: AbortSignal,
  ): AsyncGenerator<readonly (readonly unknown[])[]> {
    for (let offset = 0; offset < rejects.count; offset += rejectsAtOnce) {
      const parts: { path: string; records: number }[] = []
      for (const part of rejects.parts) parts.push({ path: await shared.path(part), records: part.records })
      yield await this.#tools.reader.rows(parts, columns, offset, rejectsAtOnce, signal)
    }
  }
}

/** The bytes start … end-1 of a stream. */
async function* within(chunks: ByteStream, { start, end }: ByteRange): AsyncGenerator<Uint8Array> {
  let at = 0
  for await (const chunk of chunks) {
    const from = at
    at += chunk.length
    if (at > start) yield chunk.subarray(Math.max(0, start - from), end - from)
    else releaseChunk(chunk)
    if (at >= end) return
  }
}

/**
 * The parts in order: the first alone, so that its bytes come early, then more at once. If one has more records than
 * that, it is written in windows.
 */
function* linesAtOnce(parts: readonly Part[], recordsMax: number) {
  for (let start = 0, count = 1; start < parts.length; count = Math.min(2 * count, partsAtOnceMax)) {
    const some: Part[] = []
    let records = 0
    for (const part of parts.slice(start, start + count)) {
      if (some.length > 0 && records + part.records > recordsMax) break
      some.push(part)
      records += part.records
    }
    start += some.length
    if (records <= recordsMax) yield { some, window: null }
    else
      for (let offset = 0; offset < records; offset += recordsMax) yield { some, window: { offset, limit: recordsMax } }
  }
}
