// Catalog: reads what is stored: receipts, and pages of rows and rejects. Changes nothing.

import { isServiceError, ServiceError } from '../../core/errors.ts'
import type { Part, Receipt } from '../../core/receipt.ts'
import { textOf } from '../../core/stored-files.ts'
import type { PartReader } from '../../engine/part-reader.ts'
import type { Store } from '../../store/store.ts'
import { rejectColumnNames, rejectOfRow } from '../ingest/reject-table.ts'
import type { Download, RejectPage, RejectsQuery, RowPage, RowsQuery } from '../service.ts'
import { readTexts } from './record-text.ts'
import type { VerifiedFiles } from './verified-files.ts'

export interface CatalogTools {
  readonly store: Store
  readonly files: VerifiedFiles
  readonly reader: PartReader
  /** The owner to whom alone datasets are shown. */
  readonly owner: string
}

/** A page shows this many bytes of a rejected record; the whole record is at its offset in the original. */
const pageTextBytesMax = 65_536

export class Catalog {
  readonly #tools: CatalogTools

  constructor(tools: CatalogTools) {
    this.#tools = tools
  }

  async receipt(id: string): Promise<Receipt> {
    const { owner, store } = this.#tools
    if ((await store.ownerOf(id)) !== owner) throw new ServiceError('DATASET_NOT_FOUND', { id })
    const receipt = await store.receipt(id)
    if (receipt === null) throw new ServiceError('DATASET_NOT_FOUND', { id })
    return receipt
  }

  /** What `read` finds in a dataset; if another publish takes its place meanwhile, what it finds in that. */
  async reading<Result>(id: string, read: (receipt: Receipt) => Promise<Result>): Promise<Result> {
    const receipt = await this.receipt(id)
    return await read(receipt).catch(async (error: unknown) => {
      if (!isServiceError(error, 'DATASET_NOT_FOUND')) throw error
      if ((await this.receipt(id)).publish === receipt.publish) throw error
      return await this.reading(id, read)
    })
  }

  /** A download; until it is open, another publish with the same file may take the place of the one that was read. */
  async download(id: string, make: (receipt: Receipt) => Download | Promise<Download>): Promise<Download> {
    const first = await this.reading(id, async (receipt) => make(receipt))
    const open: Download['open'] = (signal, range) =>
      this.reading(id, async (receipt) => {
        if (receipt.publish === first.receipt.publish) return await first.open(signal, range)
        const { sha256, open } = await make(receipt)
        if (sha256 !== first.sha256) throw new ServiceError('DATASET_NOT_FOUND', { id })
        return await open(signal, range)
      })
    return { ...first, open }
  }

  rows(id: string, query: RowsQuery, signal: AbortSignal): Promise<RowPage> {
    return this.reading(id, (receipt) => this.#rows(receipt, query, signal))
  }

  rejects(id: string, query: RejectsQuery, signal: AbortSignal): Promise<RejectPage> {
    return this.reading(id, (receipt) => this.#rejects(receipt, query, signal))
  }

  async #rows(receipt: Receipt, query: RowsQuery, signal: AbortSignal): Promise<RowPage> {
    const names = query.columns ?? receipt.columns.map((column) => column.name)
    const shown = names.map((name) => {
      const column = receipt.columns.find((one) => one.name === name)
      if (column !== undefined) return { name, type: column.type }
      const expected = 'names of its columns, as the receipt lists them'
      throw new ServiceError('BAD_PARAMETER', {
        name: 'columns',
        seen: `the dataset has no column '${name}'`,
        expected,
      })
    })
    const rows = await this.#partRows(receipt, receipt.parts, names, query, signal)
    return { columns: shown, offset: query.offset, total: receipt.records.accepted, rows }
  }

  async #rejects(receipt: Receipt, query: RejectsQuery, signal: AbortSignal): Promise<RejectPage> {
    const { offset, reason } = query
    const { count, reasons } = receipt.rejects
    const total = reason === null ? count : (reasons[reason] ?? 0)
    const rows = await this.#rejectRows(receipt, query, total, signal)
    const page = rows.map(rejectOfRow)
    // A page without rejects needs no text.
    if (page.length === 0) return { total, offset, rejects: [] }
    const rejects = await this.#tools.files.withReads(receipt, textOf(receipt), (read) =>
      readTexts(read, receipt.encoding.name, page, pageTextBytesMax),
    )
    return { total, offset, rejects }
  }

  async #rejectRows(receipt: Receipt, { reason, ...window }: RejectsQuery, total: number, signal: AbortSignal) {
    const { count, parts } = receipt.rejects
    // Either all rejects have the reason, or none.
    if (reason === null || total === count) return this.#partRows(receipt, parts, rejectColumnNames, window, signal)
    if (window.offset >= total) return []
    return this.#tools.files.withLocal(receipt, parts, (paths) => {
      const local = paths.map((path) => ({ path }))
      const match = { column: 'reason', value: reason }
      return this.#tools.reader.matchingRows(local, rejectColumnNames, match, window, signal)
    })
  }

  #partRows(
    receipt: Receipt,
    parts: readonly Part[],
    columns: readonly string[],
    window: Window,
    signal: AbortSignal,
  ): Promise<readonly (readonly unknown[])[]> {
    const touched = partsOf(parts, window)
    return this.#tools.files.withLocal(receipt, touched.parts, (paths) => {
      const local = touched.parts.map(({ file, records }, i) => ({ path: paths[i] ?? file, records }))
      return this.#tools.reader.rows(local, columns, touched.offset, window.limit, signal)
    })
  }
}

type Window = Pick<RowsQuery, 'offset' | 'limit'>

/** The parts that a window touches, so that no others are read, and the offset of the window in them. */
function partsOf(parts: readonly Part[], { offset, limit }: Window): { parts: readonly Part[]; offset: number } {
  let start = 0
  let before = 0
  const touched = parts.filter(({ records }) => {
    const [from, to] = [start, start + records]
    start = to
    if (to <= offset) before = to
    return to > offset && from < offset + limit
  })
  return { parts: touched, offset: offset - before }
}
