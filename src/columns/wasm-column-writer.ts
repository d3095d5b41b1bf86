// WASM column writer: feeds records to the module window by window, and writes its columns. Knows no files.
import { type ColumnKind, columnKind, type StoredType, storedType } from './column-kind.ts'
import {
  type ColumnWriter,
  type ColumnWriterOptions,
  MalformedRecordsError,
  type RecordLayout,
  type WrittenColumns,
} from './column-writer.ts'
import type { ColumnsMemory } from './columns-memory.ts'
import { FactsTally, wordCount, wordMask } from './facts-tally.ts'
import { PartFile } from './part-file.ts'

/** Statuses of `find`, see wasm/columns/places.ts. */
const status = { needsMore: 0, full: 1, wrongWidth: 2, wrongQuote: 3 } as const
/** Stands for a byte that the layout does not have. */
const none = 256

const windowBytesUsual = 8_388_608
/** Half of the 122,880 that are usual elsewhere: a row group is what is read at once to find a record. */
const recordsUsual = 61_440
/** Places of fields that are held at once, unless a record has more. */
const placesUsual = 2_097_152
/** Less room than this is not given while some can be made. */
const roomBytesMin = 65_536

interface Column {
  readonly kind: ColumnKind
  readonly stored: StoredType | null
  readonly nullWords: number
  readonly facts: FactsTally
  nulls: number
  misfit: number | null
}

export class WasmColumnWriter implements ColumnWriter {
  readonly #memory: ColumnsMemory
  readonly #release: () => void
  readonly #layout: RecordLayout
  readonly #columns: readonly Column[]
  readonly #file: PartFile | null
  readonly #recordsMax: number
  readonly #placesMax: number
  #windowBytes: number
  /** The records that are being found begin here; bytes are there up to `#end`. Addresses of the memory. */
  #start: number
  #end: number
  /** Found from `#start` on, and where the last of them ends. */
  #found = 0
  #foundEnd: number
  #records = 0
  #hasEnded = false

  /** @param release Called when the memory may be used by others. */
  constructor(options: ColumnWriterOptions, memory: ColumnsMemory, release: () => void) {
    const { layout, columns, sink } = options
    if (columns.length !== layout.width) throw new RangeError(`${columns.length} columns, wanted ${layout.width}`)
    this.#memory = memory
    this.#release = release
    this.#layout = layout
    this.#windowBytes = options.windowBytes ?? windowBytesUsual
    this.#recordsMax = options.rowGroupRecords ?? recordsUsual
    this.#placesMax = Math.max(2 * layout.width, Math.min(placesUsual, this.#windowBytes))
    this.#columns = columns.map(({ type, nullWords }) => ({
      kind: columnKind(type),
      stored: type === null ? null : storedType(type),
      nullWords: wordMask(nullWords),
      facts: new FactsTally(),
      nulls: 0,
      misfit: null,
    }))
    const stored = columns.flatMap(({ name, type }) => (type === null ? [] : [{ name, ...storedType(type) }]))
    this.#configure()
    const { delimiter, quote, lineTerminator } = layout
    const lineEnd = lineTerminator === '\r' ? 13 : 10
    memory.exports.setDialect(
      layout.width,
      delimiter.charCodeAt(0),
      quote === null ? none : quote.charCodeAt(0),
      lineEnd,
    )
    this.#start = memory.windowAt
    this.#end = this.#start
    this.#foundEnd = this.#start
    memory.exports.begin(this.#start)
    this.#file = stored.length === columns.length ? new PartFile(memory, stored, sink) : null
  }

  room(bytesMax: number): Uint8Array {
    if (this.#free < Math.min(bytesMax, roomBytesMin)) this.#makeRoom()
    return this.#memory.bytes.subarray(this.#end, this.#end + Math.min(bytesMax, this.#free))
  }

  filled(count: number): void {
    if (count > this.#free) throw new RangeError(`${count} bytes filled, room was for ${this.#free}`)
    this.#end += count
    while (this.#find() === status.full) this.#writeRowGroup()
  }

  push(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length; ) {
      const room = this.room(bytes.length - from)
      room.set(bytes.subarray(from, from + room.length))
      this.filled(room.length)
      from += room.length
    }
  }

  end(): WrittenColumns {
    const lineEnd = this.#layout.lineTerminator === '\r' ? '\r' : '\n'
    if (this.#end > this.#start && this.#memory.bytes[this.#end - 1] !== lineEnd.charCodeAt(0)) {
      this.push(new TextEncoder().encode(lineEnd))
    }
    if (this.#found > 0) this.#writeRowGroup()
    if (this.#start < this.#end)
      throw new MalformedRecordsError(`Cannot read record ${this.#records + 1}: it has no end`)
    const isWritten = this.#isWriting
    this.#hasEnded = true
    return {
      records: this.#records,
      bytes: isWritten ? (this.#file?.end() ?? null) : null,
      misfits: this.#columns.map(({ misfit }) => misfit),
      facts: this.#columns.map(({ facts }) => facts.facts()),
      nulls: this.#columns.map(({ nulls }) => nulls),
      rowGroups: isWritten ? (this.#file?.rowGroups ?? []) : [],
    }
  }

  close(): void {
    // After an error the memory is as nobody knows: the next writer gets another.
    if (this.#hasEnded) this.#release()
  }

  get #free(): number {
    return this.#memory.windowAt + this.#windowBytes - this.#end
  }

  get #isWriting(): boolean {
    return this.#file !== null && this.#columns.every(({ misfit }) => misfit === null)
  }

  #configure(): void {
    this.#memory.configure(this.#windowBytes, this.#placesMax, this.#recordsMax)
  }

  /** Gives a status: `full` where there is a row group to be written. */
  #find(): number {
    const found = this.#memory.exports.find(this.#end, this.#recordsMax)
    const [records = 0, end = 0] = this.#memory.result
    this.#found = records
    this.#foundEnd = end
    if (found === status.wrongWidth || found === status.wrongQuote) {
      const what =
        found === status.wrongWidth ? `it has not ${this.#layout.width} fields` : 'a quote stands in a wrong place'
      throw new MalformedRecordsError(`Cannot read record ${this.#records + records + 1}: ${what}`)
    }
    return found
  }

  /** What was found already is worth moving while that is less than what was used up; else it becomes a row group. */
  #makeRoom(): void {
    if (this.#start - this.#memory.windowAt < this.#windowBytes / 2 && this.#found > 0) this.#writeRowGroup()
    if (this.#start > this.#memory.windowAt) this.#moveToFront()
    if (this.#free > 0) return
    this.#windowBytes *= 2
    try {
      this.#configure()
    } catch (error) {
      throw new MalformedRecordsError(`Cannot read record ${this.#records + 1}: it is too long`, { cause: error })
    }
  }

  #moveToFront(): void {
    const to = this.#memory.windowAt
    this.#memory.bytes.copyWithin(to, this.#start, this.#end)
    this.#end -= this.#start - to
    this.#begin(to)
    // There are fewer records than a row group has, or they would have been written.
    this.#find()
  }

  #begin(start: number): void {
    this.#start = start
    this.#found = 0
    this.#foundEnd = start
    this.#memory.exports.begin(start)
  }

  /** All columns of the records found. */
  #writeRowGroup(): void {
    const records = this.#found
    if (records === 0)
      throw new MalformedRecordsError(`Cannot read record ${this.#records + 1}: it has too many fields`)
    const chunks = this.#columns.map((column, i) => this.#writeColumn(column, i, records))
    const written = chunks.filter((chunk) => chunk !== null)
    if (this.#isWriting) this.#file?.rowGroups.push({ records, chunks: written })
    this.#records += records
    this.#begin(this.#foundEnd)
  }

  #writeColumn(column: Column, index: number, records: number) {
    const { exports } = this.#memory
    const isMisfit = column.misfit !== null
    const { kind, form } = isMisfit ? columnKind(null) : column.kind
    exports.setKind(...form)
    const misfit = exports.read(index, records, kind, column.nullWords)
    const [withoutValue = 0] = this.#memory.result
    const table = this.#memory.facts
    const areWordsNull = misfit === 0 && !isMisfit && column.stored !== null && column.nullWords !== 0
    column.facts.add(records, withoutValue - (areWordsNull ? wordCount(table) : 0), table)
    column.nulls += withoutValue
    if (misfit > 0) column.misfit = this.#records + misfit
    if (!this.#isWriting || column.stored === null || this.#file === null) return null
    exports.encode(records, kind, column.stored.valueBytes)
    return this.#file.writeChunk(records)
  }
}
