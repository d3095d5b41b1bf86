// Row source: rows of a view of a dataset, fetched by pages on demand. Holds a bounded number of pages.
import { getRows, runQuery } from '../../../api.ts'
import { countSql, isInFileOrder, pageSql, type RowView } from './row-view.ts'

/** Values and bytes in a page, and its most rows. */
const pageCells = 20_000
const pageBytes = 1_048_576
const pageRowsMax = 200
/** Beyond this number, pages are fetched again when needed. */
const pagesMax = 40

export interface ShownRow {
  /** In the file, from 1. */
  readonly number: number
  readonly values: readonly unknown[]
}

interface RowSourceOptions {
  readonly id: string
  readonly columns: readonly string[]
  readonly view: RowView
  /** Rows of the whole file, and how long they are on average. */
  readonly total: number
  readonly rowBytes: number
  /** Called when rows, or their number, have arrived that were missing. */
  readonly onChange: () => void
}

export class RowSource {
  readonly #options: RowSourceOptions
  readonly #pageRows: number
  readonly #pages = new Map<number, readonly ShownRow[] | 'loading'>()
  readonly #controller = new AbortController()
  /** Rows of the view; null while they are being counted. */
  total: number | null
  error: unknown = null

  constructor(options: RowSourceOptions) {
    this.#options = options
    const rows = Math.min(pageCells / options.columns.length, pageBytes / options.rowBytes)
    this.#pageRows = Math.max(1, Math.min(pageRowsMax, Math.floor(rows)))
    this.total = isInFileOrder(options.view) ? options.total : null
    if (this.total === null) this.#count()
  }

  /** The row, or null while it is being fetched; null for the heads, which are above the first. */
  row(index: number): ShownRow | null {
    if (index < 0) return null
    const number = Math.floor(index / this.#pageRows)
    const page = this.#pages.get(number)
    if (page === undefined) this.#fetch(number)
    if (page === undefined || page === 'loading') return null
    return page[index % this.#pageRows] ?? null
  }

  /** Rows `from` to `to`, both included, fetched if they are missing. */
  async rows(from: number, to: number): Promise<readonly ShownRow[]> {
    const found: ShownRow[] = []
    for (let index = from; index <= to; ) {
      const number = Math.floor(index / this.#pageRows)
      const page = this.#pages.get(number)
      const rows = page === undefined || page === 'loading' ? await this.#load(number) : page
      const end = Math.min(to + 1, (number + 1) * this.#pageRows)
      found.push(...rows.slice(index % this.#pageRows, end - number * this.#pageRows))
      index = end
    }
    return found
  }

  close(): void {
    this.#controller.abort()
  }

  async #load(number: number): Promise<readonly ShownRow[]> {
    const { id, view, columns } = this.#options
    const { signal } = this.#controller
    const offset = number * this.#pageRows
    if (isInFileOrder(view)) {
      const { rows } = await getRows(id, offset, this.#pageRows, signal)
      return rows.map((values, index) => ({ number: offset + index + 1, values }))
    }
    const { rows } = await runQuery(id, pageSql(view, columns, offset, this.#pageRows), signal)
    return rows.map(([at, ...values]) => ({ number: Number(at), values }))
  }

  #count(): void {
    const { id, view } = this.#options
    this.#receive(runQuery(id, countSql(view), this.#controller.signal), ({ rows }) => {
      this.total = Number(rows[0]?.[0] ?? 0)
    })
  }

  #fetch(number: number): void {
    this.#pages.set(number, 'loading')
    for (const old of this.#pages.keys()) {
      if (this.#pages.size <= pagesMax) break
      if (old !== number) this.#pages.delete(old)
    }
    this.#receive(this.#load(number), (rows) => this.#pages.set(number, rows))
  }

  #receive<Value>(value: Promise<Value>, receive: (value: Value) => void): void {
    value.then(
      (received) => {
        receive(received)
        this.#options.onChange()
      },
      (error: unknown) => {
        if (this.#controller.signal.aborted) return
        this.error = error
        this.#options.onChange()
      },
    )
  }
}
