// Catalog: looks at what is kept: rows, rejects and files of a dataset. Changes nothing.
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { PartReader } from '../convert/convert.ts'
import { ServiceError } from '../core/errors.ts'
import type { Part, Receipt } from '../core/receipt.ts'
import type { CreateScanner } from '../reading/scanner.ts'
import type { Store } from '../store/store.ts'
import { createCsvRewriter, csvLine } from './csv-rewriter.ts'
import { readTexts } from './record-text.ts'
import { rejectColumnNames, rejectOfRow } from './reject-table.ts'
import { scanOptions } from './scan-options.ts'
import type { Download, RejectPage, RowPage, RowsQuery } from './service.ts'

export interface CatalogTools {
  readonly store: Store
  readonly reader: PartReader
  readonly createScanner: CreateScanner
  readonly recordBytesMax: number
}

/** A reject on a page shows this much of its record; the whole is at its offset in the original. Bytes. */
const pageTextBytesMax = 65_536

export class Catalog {
  readonly #tools: CatalogTools

  constructor(tools: CatalogTools) {
    this.#tools = tools
  }

  async receipt(id: string): Promise<Receipt> {
    const receipt = await this.#tools.store.receipt(id)
    if (receipt === null) throw new ServiceError('DATASET_NOT_FOUND', { id })
    return receipt
  }

  async rows(id: string, { offset, limit, columns }: RowsQuery, signal: AbortSignal): Promise<RowPage> {
    const receipt = await this.receipt(id)
    const names = columns ?? receipt.columns.map((column) => column.name)
    const shown = names.map((name) => {
      const column = receipt.columns.find((one) => one.name === name)
      if (column !== undefined) return { name, type: column.type }
      const wanted = 'names of its columns, as the receipt lists them'
      throw new ServiceError('BAD_PARAMETER', { name: 'columns', seen: `the dataset has no column '${name}'`, wanted })
    })
    const rows = await this.#partRows(id, receipt.parts, names, offset, limit, signal)
    return { columns: shown, offset, total: receipt.records.accepted, rows }
  }

  async rejects(id: string, query: { offset: number; limit: number }, signal: AbortSignal): Promise<RejectPage> {
    const { rejects, encoding } = await this.receipt(id)
    const rows = await this.#partRows(id, rejects.parts, rejectColumnNames, query.offset, query.limit, signal)
    const page = rows.map(rejectOfRow)
    const shown = await this.#tools.store.withLocal(id, ['original'], ([path]) => {
      return readTexts(path ?? '', encoding.name, page, pageTextBytesMax)
    })
    return { total: rejects.count, offset: query.offset, rejects: shown }
  }

  async original(id: string): Promise<Download> {
    const receipt = await this.receipt(id)
    return this.#file(receipt, 'original', receipt.file.bytes)
  }

  /** The accepted records as they stand in the original, read again: text is never made from typed values. */
  async csv(id: string, { header }: { readonly header: boolean }): Promise<Download> {
    const receipt = await this.receipt(id)
    const { headerFields } = receipt.body
    const fields = headerFields ?? (header ? receipt.columns.map((column) => column.name) : null)
    return {
      receipt,
      bytes: null,
      open: async (signal) => {
        const start = receipt.body.byteOffset
        const source = await this.#tools.store.read(id, 'original', { start, end: receipt.file.bytes })
        const stream = Readable.from(this.#csvText(receipt, fields, source), { objectMode: false, signal })
        return { stream, bytes: null }
      },
    }
  }

  async parquet(id: string): Promise<Download> {
    const receipt = await this.receipt(id)
    const [only, ...others] = receipt.parts
    if (only !== undefined && others.length === 0) return this.#file(receipt, only.file, only.bytes)
    return { receipt, bytes: null, open: (signal) => this.#merged(receipt, signal) }
  }

  #file(receipt: Receipt, file: string, bytes: number): Download {
    return {
      receipt,
      bytes,
      open: async (_signal, range) => {
        const stream = await this.#tools.store.read(receipt.id, file, range)
        return { stream, bytes: range === undefined ? bytes : range.end - range.start }
      },
    }
  }

  async *#csvText(receipt: Receipt, fields: readonly string[] | null, source: Readable): AsyncGenerator<Uint8Array> {
    const { createScanner } = this.#tools
    // As it was read, whatever the limit is now.
    const recordBytesMax = receipt.body.recordBytesMax ?? this.#tools.recordBytesMax
    const layout = { ...receipt, width: receipt.columns.length, start: receipt.body }
    const scanner = createScanner(scanOptions(layout, recordBytesMax))
    const rewrite = createCsvRewriter(receipt.dialect)
    if (fields !== null) yield Buffer.from(csvLine(fields, receipt.dialect))
    for await (const chunk of source) {
      yield* rewrite(scanner.push(chunk).pieces)
    }
    yield* rewrite(scanner.end().pieces)
  }

  /** One file from many parts, made for this download and gone with it. */
  async #merged({ id, parts }: Receipt, signal: AbortSignal): Promise<{ stream: Readable; bytes: number }> {
    const draft = await this.#tools.store.draft()
    try {
      const path = join(draft.dir, 'merged.parquet')
      const files = parts.map((part) => part.file)
      await this.#tools.store.withLocal(id, files, (paths) => {
        const local = paths.map((one) => ({ path: one }))
        return this.#tools.reader.merge(local, path, signal)
      })
      const { size } = await stat(path)
      const stream = createReadStream(path, { highWaterMark: 262_144 })
      stream.once('close', () => void draft[Symbol.asyncDispose]())
      return { stream, bytes: size }
    } catch (error) {
      await draft[Symbol.asyncDispose]()
      throw error
    }
  }

  #partRows(
    id: string,
    parts: readonly Part[],
    columns: readonly string[],
    offset: number,
    limit: number,
    signal: AbortSignal,
  ): Promise<readonly (readonly unknown[])[]> {
    const files = parts.map((part) => part.file)
    return this.#tools.store.withLocal(id, files, (paths) => {
      const local = parts.map((part, i) => ({ path: paths[i] ?? part.file, records: part.records }))
      return this.#tools.reader.rows(local, columns, offset, limit, signal)
    })
  }
}
