// Row source: rows of a dataset, fetched by pages as they are looked at. Holds a bounded number of pages.
import { getRows } from '../api.ts'

const pageRows = 200
/** A page has some tens of kilobytes; more than these are fetched again when they are looked at. */
const pagesMax = 40

export class RowSource {
  readonly #id: string
  readonly #onChange: () => void
  readonly #pages = new Map<number, readonly (readonly unknown[])[] | 'loading'>()
  readonly #controller = new AbortController()
  error: unknown = null

  /** @param onChange Called when rows have arrived that were missing. */
  constructor(id: string, onChange: () => void) {
    this.#id = id
    this.#onChange = onChange
  }

  /** The row, or null while it is being fetched. */
  row(index: number): readonly unknown[] | null {
    const number = Math.floor(index / pageRows)
    const page = this.#pages.get(number)
    if (page === undefined) this.#fetch(number)
    if (page === undefined || page === 'loading') return null
    return page[index % pageRows] ?? null
  }

  close(): void {
    this.#controller.abort()
  }

  #fetch(number: number): void {
    this.#pages.set(number, 'loading')
    for (const old of this.#pages.keys()) {
      if (this.#pages.size <= pagesMax) break
      if (old !== number) this.#pages.delete(old)
    }
    getRows(this.#id, number * pageRows, pageRows, this.#controller.signal).then(
      ({ rows }) => {
        this.#pages.set(number, rows)
        this.#onChange()
      },
      (error: unknown) => {
        if (this.#controller.signal.aborted) return
        this.#pages.delete(number)
        this.error = error
        this.#onChange()
      },
    )
  }
}
