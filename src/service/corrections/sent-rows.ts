// Sent rows: stores submitted corrections on disk and returns them in file order. Memory: 24 bytes a row.
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { ServiceError } from '../../core/errors.ts'
import { throwStoreError } from '../../core/storage-error.ts'
import { BufferedWriter } from '../../io/buffered-writer.ts'
import { readAhead, readsOf } from '../../io/read-bytes.ts'

/** A record, and the text to read instead. */
export interface SentRow {
  readonly record: number
  /** Null if there is none: the record stays as it is. */
  readonly text: string | null
  /** True if the text is known to be only the beginning of what was meant. */
  readonly isCut: boolean
  /** Where the record is, if that was sent. */
  readonly byteOffset?: number
}

/** More rejects than anyone edits; a script can send them in several requests. */
export const rowsMax = 1_000_000

const windowBytes = 262_144

/** Takes rows in any order, and returns them in file order. */
export class SentRows {
  readonly #writer: BufferedWriter
  readonly #records: number[] = []
  readonly #offsets: number[] = []
  #isAscending = true

  private constructor(writer: BufferedWriter) {
    this.#writer = writer
  }

  /** @param dir For a file of its own. @throws {ServiceError} DISK_FULL, STORE_FAILED */
  static async create(dir: string): Promise<SentRows> {
    return new SentRows(await BufferedWriter.create(join(dir, 'rows'), { syncEveryBytes: null }))
  }

  get count(): number {
    return this.#records.length
  }

  /** @throws {ServiceError} BAD_CORRECTIONS for too many rows */
  async add(row: SentRow): Promise<void> {
    if (this.count === rowsMax) {
      throw badCorrections(`there are more than ${rowsMax} records; send them in several requests`)
    }
    if (row.record <= (this.#records.at(-1) ?? 0)) this.#isAscending = false
    this.#records.push(row.record)
    this.#offsets.push(this.#writer.bytes)
    await this.#writer.write([Buffer.from(JSON.stringify(row))])
  }

  /** All rows; call once, after the last. @throws {ServiceError} BAD_CORRECTIONS if a record occurs twice */
  async *inOrder(): AsyncGenerator<SentRow> {
    await this.#writer.close()
    const order = this.#isAscending ? null : this.#sorted()
    await using file = await open(this.#writer.path, 'r').catch(throwStoreError)
    const read = readAhead(readsOf(file), windowBytes)
    for (let at = 0; at < this.count; at++) {
      const index = order?.[at] ?? at
      const from = this.#offsets[index] ?? 0
      const to = this.#offsets[index + 1] ?? this.#writer.bytes
      // Only add() writes these lines.
      yield JSON.parse(Buffer.from(await read(from, to - from)).toString()) as SentRow
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writer[Symbol.asyncDispose]()
  }

  #sorted(): Uint32Array {
    const records = this.#records
    const order = Uint32Array.from(records, (_, i) => i).sort((a, b) => (records[a] ?? 0) - (records[b] ?? 0))
    for (let i = 1; i < order.length; i++) {
      const record = records[order[i] ?? 0]
      if (record !== records[order[i - 1] ?? 0]) continue
      throw badCorrections(`record ${record} is given twice; send each record once`)
    }
    return order
  }
}

export function badCorrections(problem: string): ServiceError {
  return new ServiceError('BAD_CORRECTIONS', { problem: `Cannot read corrections: ${problem}` })
}
