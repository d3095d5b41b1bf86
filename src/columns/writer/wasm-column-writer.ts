// WASM column writer: passes records to the module window by window, and writes its columns. Knows no files.
import {
  type RecordPlace,
  type RepeatedKey,
  ruleCode,
  type Violation,
  violationTextMax,
} from '../../core/declared-values.ts'
import type { ColumnType } from '../../core/receipt.ts'
import type { SegmentLayout } from '../converter.ts'
import type { ColumnsMemory } from '../memory/columns-memory.ts'
import { type ColumnKind, columnKind, storedType } from '../parquet/column-kind.ts'
import type { ColumnChunk, RowGroup } from '../parquet/parquet-format.ts'
import { brokenRule, DeclaredRules, patternsOf } from '../rules/declared-rules.ts'
import { alignment, RuleTables } from '../rules/rule-tables.ts'
import {
  type ColumnWriterOptions,
  MalformedRecordsError,
  type OlderPart,
  type WriterColumn,
  type WriterKeys,
  type WrittenColumns,
} from './column-writer.ts'
import { FactsTally, wordCount, wordMask } from './facts-tally.ts'
import { readRowGroups } from './older-part.ts'
import { firstOffset, type PartColumn, PartFile } from './part-file.ts'

/** Statuses of `find`, see wasm/columns/fields/find-fields.ts. */
const status = { needsMore: 0, full: 1, wrongWidth: 2, wrongQuote: 3 } as const
/** Stands for a byte that the layout does not have. */
const none = 256

/** Half of the 122,880 that are usual elsewhere: to find a record, a whole row group is read. */
const recordsUsual = 61_440
/**
 * A row group, which is read once for each column, stays in a core's cache: 20 columns of numbers take 30 % less time
 * than in row groups of 8 MB (2 × Intel Xeon with 2 MB per core, 2026-11-22). DuckDB reads either in the same time.
 */
const rowGroupBytesUsual = 1_572_864
/** A few whole row groups, so that hardly more than a record is left over, to be moved and scanned again. */
const windowBytesUsual = 3 * rowGroupBytesUsual
/** A smaller buffer is not returned while room can be made. */
const roomBytesMin = 65_536
/** Longer texts of odd values are cut off. */
const textBytesMax = 48
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
/** A violation shows as many values of a key. */
const keyValuesMax = 5

type BrokenRule = Omit<Violation, 'record' | 'place'>

interface Column {
  readonly kind: ColumnKind
  /** Null if it is not declared. */
  readonly rules: DeclaredRules | null
  /** Its values are read in the same way as they are checked. */
  readonly isReadAsChecked: boolean
  readonly stored: PartColumn | null
  /** Its position in the older part. */
  readonly kept: number | null
  readonly nullWords: number
  readonly fastCompression: boolean
  facts: FactsTally
  nulls: number
  typeMismatch: number | null
  /** How it was written last, as in wasm/columns/encode-column.ts. */
  form: number
  /** One per row group, while all its values fit. */
  readonly chunks: ColumnChunk[]
}

function columnOf(
  { name, type, nullWords, declared, kept, fastCompression }: WriterColumn,
  tables: RuleTables,
): Column {
  const rules = declared === undefined ? null : new DeclaredRules(declared, tables)
  const form = rules?.form
  // Only numbers have such a form.
  const kind = columnKind(type !== null && form !== undefined ? ({ ...type, form } as ColumnType) : type)
  return {
    kind,
    rules,
    isReadAsChecked: rules?.isReadAsChecked(kind) ?? false,
    stored: type === null ? null : { name, ...storedType(type) },
    kept: kept ?? null,
    nullWords: wordMask(nullWords),
    fastCompression: fastCompression ?? false,
    facts: new FactsTally(),
    nulls: 0,
    typeMismatch: null,
    form: 0,
    chunks: [],
  }
}

const isWritten = ({ stored, typeMismatch }: Column): boolean => stored !== null && typeMismatch === null

/** Takes records as bytes, split anywhere, and writes a part. After an error, it must not be used again. */
export class WasmColumnWriter {
  readonly #memory: ColumnsMemory
  readonly #release: () => void
  readonly #layout: SegmentLayout
  readonly #columns: readonly Column[]
  readonly #tables: RuleTables
  readonly #onViolation: (violation: Violation) => void
  readonly #keys: WriterKeys | null
  /** Some columns have rules that a record may break. */
  readonly #hasChecks: boolean
  /** No record has broken one so far, and none is to be left out for its key. */
  #isUnbroken: boolean
  readonly #file: PartFile | null
  readonly #older: { readonly part: OlderPart; readonly rowGroups: readonly RowGroup[] } | null
  /** Records of the row groups written so far. */
  readonly #groupRecords: number[] = []
  readonly #recordsMax: number
  readonly #placesMax: number
  readonly #rowGroupBytes: number
  #windowBytes: number
  /** The records being found begin here, and their bytes end at `#end`. Addresses in the memory. */
  #start: number
  #end: number
  /** Number found from `#start` on, and the end of the last one. */
  #found = 0
  #foundEnd: number
  /** Bytes that were in the window before those that are in it now. */
  #passed = 0
  /** Records read, and those of them that break no rule. */
  #read = 0
  #records = 0
  #hasEnded = false

  /** @param release Called when others may use the memory. */
  constructor(options: ColumnWriterOptions, memory: ColumnsMemory, release: () => void) {
    const { layout, columns, sink } = options
    if (columns.length !== layout.width) throw new RangeError(`${columns.length} columns, expected ${layout.width}`)
    this.#memory = memory
    this.#release = release
    this.#layout = layout
    this.#windowBytes = options.windowBytes ?? windowBytesUsual
    this.#recordsMax = options.rowGroupRecords ?? recordsUsual
    this.#rowGroupBytes = options.rowGroupBytes ?? rowGroupBytesUsual
    // Each byte of a row group may be a separator, and one more shows that there is room. A longer record is a row
    // group of its own.
    this.#placesMax = Math.max(this.#rowGroupBytes, layout.width) + 1
    this.#tables = new RuleTables(columns.reduce((sum, { declared }) => sum + patternsOf(declared), 0))
    this.#columns = columns.map((column) => columnOf(column, this.#tables))
    this.#keys = options.keys ?? null
    // Marks have room only if there are tables.
    if (this.#keys !== null) this.#tables.reserve(alignment)
    this.#hasChecks = this.#keys !== null || this.#columns.some(({ rules }) => rules?.hasChecks)
    this.#isUnbroken = this.#hasChecks && !this.#keys?.repeated && options.older === undefined
    this.#onViolation = options.onViolation ?? (() => {})
    const { older } = options
    this.#older = older === undefined ? null : { part: older, rowGroups: readRowGroups(older) }
    this.#configure()
    this.#tables.writeTo(memory)
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
    this.#file = this.#columns.some(isWritten) ? new PartFile(memory, sink) : null
  }

  /**
   * A buffer of at most `bytesMax` bytes, to be read into without a copy; valid until the next call.
   * @throws {MalformedRecordsError}
   */
  room(bytesMax: number): Uint8Array {
    if (this.#free < Math.min(bytesMax, roomBytesMin)) this.#makeRoom()
    return this.#memory.bytes.subarray(this.#end, this.#end + Math.min(bytesMax, this.#free))
  }

  /** The first `count` bytes of the last buffer hold what follows. @throws {MalformedRecordsError} */
  filled(count: number): void {
    if (count > this.#free) throw new RangeError(`${count} bytes filled, room was for ${this.#free}`)
    this.#end += count
    while (this.#find() === status.full) this.#writeRowGroup()
  }

  /** Copies bytes in. @throws {MalformedRecordsError} */
  push(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length; ) {
      const room = this.room(bytes.length - from)
      room.set(bytes.subarray(from, from + room.length))
      this.filled(room.length)
      from += room.length
    }
  }

  /**
   * The same for bytes in another encoding, with one byte per character.
   * @param utf8OfBytes For each byte value its UTF-8: the bytes, the first one lowest, and in the highest eight bits
   * their number, at most three.
   */
  pushEncoded(bytes: Uint8Array, utf8OfBytes: Uint32Array): void {
    this.#memory.toUtf8(bytes, utf8OfBytes, (utf8) => this.push(utf8))
  }

  /** Writes the rest, and the footer. A last record without a line end counts as one with it. */
  end(): WrittenColumns {
    const lineEnd = this.#layout.lineTerminator === '\r' ? '\r' : '\n'
    if (this.#end > this.#start && this.#memory.bytes[this.#end - 1] !== lineEnd.charCodeAt(0)) {
      this.push(new TextEncoder().encode(lineEnd))
    }
    if (this.#found > 0) this.#writeRowGroup()
    if (this.#start < this.#end) throw new MalformedRecordsError(`Cannot read record ${this.#read + 1}: it has no end`)
    if (this.#older !== null && this.#older.rowGroups.length !== this.#groupRecords.length) this.#failOlder()
    const written = this.#columns.filter(isWritten)
    const rowGroups = this.#groupRecords.map((records, group) => {
      // A written column has a chunk in every row group.
      return { records, chunks: written.map(({ chunks }) => chunks[group] as ColumnChunk) }
    })
    const stored = written.map((column) => column.stored as PartColumn)
    const hasPart = this.#file !== null && written.length > 0
    this.#hasEnded = true
    return {
      records: this.#read,
      violations: this.#read - this.#records,
      bytes: hasPart ? (this.#file?.end(stored, rowGroups) ?? null) : null,
      typeMismatches: this.#columns.map(({ typeMismatch }) => typeMismatch),
      isWritten: this.#columns.map(isWritten),
      facts: this.#columns.map(({ facts }) => facts.facts()),
      nulls: this.#columns.map(({ nulls }) => nulls),
      rowGroups: hasPart ? rowGroups : [],
    }
  }

  /** Releases the memory for others; call it at the end in any case. */
  close(): void {
    // After an error, the state of the memory is unknown: the next writer gets another.
    if (this.#hasEnded) this.#release()
  }

  get #free(): number {
    return this.#memory.windowAt + this.#windowBytes - this.#end
  }

  #failOlder(): never {
    throw new Error('Cannot keep columns: the older part has other records')
  }

  #configure(): void {
    const hasKeys = this.#keys?.repeated === null
    this.#memory.configure(this.#windowBytes, this.#placesMax, this.#recordsMax, this.#tables.bytes.length, hasKeys)
  }

  /** Returns a status: `full` if a row group is ready to be written. */
  #find(): number {
    const groupEnd = this.#start + this.#rowGroupBytes
    const found = this.#findUpTo(Math.min(groupEnd, this.#end), this.#recordsMax)
    if (found !== status.needsMore || groupEnd >= this.#end) return found
    return this.#found > 0 ? status.full : this.#findUpTo(this.#end, 1)
  }

  #findUpTo(limit: number, recordsMax: number): number {
    const { exports } = this.#memory
    const found = exports.find(limit, recordsMax)
    const records = exports.records.value
    // Else where the row group ends would depend on the room for positions.
    const isCut = found === status.full && records < recordsMax
    if (isCut) throw new Error(`Cannot find a row group: no room for the positions in ${limit - this.#start} bytes`)
    this.#found = records
    this.#foundEnd = exports.recordsEnd.value
    if (found === status.wrongWidth || found === status.wrongQuote) {
      const what =
        found === status.wrongWidth ? `it does not have ${this.#layout.width} fields` : 'a quote is misplaced'
      throw new MalformedRecordsError(`Cannot read record ${this.#read + records + 1}: ${what}`)
    }
    return found
  }

  /** A row group is never ended here: its end must not depend on how its bytes arrive. */
  #makeRoom(): void {
    if (this.#start > this.#memory.windowAt) this.#moveToFront()
    if (this.#free > 0) return
    this.#windowBytes *= 2
    try {
      this.#configure()
    } catch (error) {
      throw new MalformedRecordsError(`Cannot read record ${this.#read + 1}: it is too long`, { cause: error })
    }
  }

  #moveToFront(): void {
    const to = this.#memory.windowAt
    this.#passed += this.#start - to
    this.#memory.bytes.copyWithin(to, this.#start, this.#end)
    this.#end -= this.#start - to
    this.#begin(to)
    // There are fewer records than in a row group, or they would have been written.
    this.#find()
  }

  #begin(start: number): void {
    this.#start = start
    this.#found = 0
    this.#foundEnd = start
    this.#memory.exports.begin(start)
  }

  /** All columns of the records found that break no rule. */
  #writeRowGroup(): void {
    if (this.#found === 0)
      throw new MalformedRecordsError(`Cannot read record ${this.#read + 1}: it has too many fields`)
    const end = this.#foundEnd
    const read = this.#found
    const checked = this.#isUnbroken ? this.#writeUnbroken(read) : 0
    this.#isUnbroken &&= checked === Infinity
    if (this.#hasChecks && !this.#isUnbroken) this.#dropBroken(checked)
    const records = this.#found
    if (records > 0 && !this.#isUnbroken)
      for (const [i, column] of this.#columns.entries()) this.#writeColumn(column, i, records)
    if (records > 0 && this.#keys?.repeated === null) this.#hashKeys(this.#keys, records, read)
    if (records > 0) this.#groupRecords.push(records)
    this.#records += records
    this.#read += read
    this.#begin(end)
  }

  /**
   * Checks and writes one column after another: most need not be read twice then. Returns how many columns have been
   * checked if a record breaks a rule: then nothing is written, and the next row groups, which are probably like this
   * one, are checked first. Infinity if none does.
   */
  #writeUnbroken(records: number): number {
    const { exports } = this.#memory
    exports.clearMarks(records)
    this.#file?.hold()
    const before = this.#columns.map((column) => ({ ...column, facts: column.facts.copy() }))
    const broken = this.#columns.findIndex((column, i) => {
      if (column.rules?.hasChecks) column.rules.check(this.#memory, { column: i, records })
      if (column.rules?.hasChecks && exports.endChecks() > 0) return true
      this.#writeColumn(column, i, records)
      return false
    })
    this.#file?.release(broken < 0)
    if (broken < 0) return Infinity
    for (const [i, column] of this.#columns.entries()) {
      column.chunks.length = this.#groupRecords.length
      Object.assign(column, before[i])
    }
    return broken + 1
  }

  /** Of the records that break no rule; the marks are those of all `read`. */
  #hashKeys({ columns, secret, onEntries }: WriterKeys, records: number, read: number): void {
    const { exports } = this.#memory
    columns.forEach((indexes, key) => {
      exports.beginKey(records, key, ...secret)
      for (const column of indexes) this.#columns[column]?.rules?.addToKey(this.#memory, { column, records })
      exports.endKey(read, this.#read + 1, key)
      onEntries(this.#memory.keyChunk(read))
    })
    exports.endChecks()
  }

  /** Reports the records found that break a rule, and removes them from the window. @param checked Columns. */
  #dropBroken(checked: number): void {
    const { exports } = this.#memory
    const records = this.#found
    if (checked === 0) exports.clearMarks(records)
    this.#columns.forEach(({ rules }, column) => {
      if (column >= checked && rules?.hasChecks) rules.check(this.#memory, { column, records })
    })
    const repeated = this.#keys?.repeated ?? null
    if (exports.endChecks() === 0 && repeated === null) return
    let broken = 0
    const marks = this.#memory.marks(records)
    // A plain loop: few of many records are marked.
    for (let i = 0; i < records; i++) {
      const record = this.#read + i + 1
      const key = marks[i] === 0 && repeated !== null ? repeated(record) : null
      if (key !== null) marks[i] = 1
      if (marks[i] === 0) continue
      broken++
      this.#onViolation({
        record,
        place: this.#placeOf(i + 1),
        ...(key === null ? this.#brokenRule(marks[i]!, i + 1) : this.#repeatedKey(key, i + 1)),
      })
    }
    exports.dropMarked(records)
    this.#found -= broken
  }

  /** Of one of the records found; its line end does not belong to it. */
  #placeOf(record: number): RecordPlace {
    const [[start], [, end]] = [this.#boundsOf(0, record), this.#boundsOf(this.#layout.width - 1, record)]
    const returns = Number(this.#layout.lineTerminator !== '\r' && end > start && this.#memory.bytes[end - 1] === 13)
    const byteOffset = this.#passed + start - this.#memory.windowAt
    return { byteOffset, byteLength: end - start - returns, lineEndBytes: returns + 1 }
  }

  #brokenRule(mark: number, record: number): BrokenRule {
    const { column, rule } = brokenRule(mark)
    return { column, rule, value: this.#valueOf(column, record) }
  }

  #repeatedKey(repeated: RepeatedKey, record: number): BrokenRule {
    const columns = this.#keys?.columns[repeated.key] ?? []
    const values = columns.slice(0, keyValuesMax).map((column) => JSON.stringify(this.#valueOf(column, record)))
    return { column: columns[0] ?? 0, rule: ruleCode.repeated, value: values.join(', '), repeated }
  }

  /** Addresses of a field of the records found, from 1. */
  #boundsOf(column: number, record: number): readonly [start: number, end: number] {
    const { exports } = this.#memory
    exports.findField(column, record)
    return [exports.fieldStart.value, exports.fieldEnd.value]
  }

  /** The text of a field of the records found, without quotes; only the beginning of a long one. */
  #valueOf(column: number, record: number): string {
    const [start, end] = this.#boundsOf(column, record)
    // A character has at most four bytes, and a quote may stand for half of it.
    const raw = utf8.decode(this.#memory.bytes.subarray(start, Math.min(end, start + 8 * violationTextMax)))
    const { quote, lineTerminator, width } = this.#layout
    const text = column === width - 1 && lineTerminator !== '\r' ? raw.replace(/\r$/, '') : raw
    const isQuoted = quote !== null && text.startsWith(quote)
    const inner = isQuoted
      ? text.slice(1).replaceAll(`${quote}${quote}`, '\0').split(quote, 1)[0]?.replaceAll('\0', quote)
      : text
    if (inner === undefined || inner.length <= violationTextMax) return inner ?? ''
    return Array.from(inner).slice(0, violationTextMax).join('')
  }

  /** The beginning of a field of the records found, as it is written in the file. */
  #textOf(column: number, record: number): string {
    const [start, end] = this.#boundsOf(column, record)
    const beginning = this.#memory.bytes.subarray(start, Math.min(end, start + textBytesMax))
    // A character that is cut off is left out.
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(beginning, { stream: true }).replace(/[ \r]+$/, '')
  }

  #copyColumn(column: Column, records: number): void {
    const group = this.#older?.rowGroups[this.#groupRecords.length]
    const chunk = group?.chunks[column.kept ?? 0]
    if (this.#older === null || this.#file === null || chunk === undefined || group?.records !== records) {
      this.#failOlder()
    }
    column.nulls += chunk.nulls
    column.chunks.push(this.#file.copyChunk(chunk, this.#older.part.read(firstOffset(chunk), chunk.bytes)))
  }

  /** Without a chunk if the column is not written, or no longer. */
  #writeColumn(column: Column, index: number, records: number): void {
    if (column.kept !== null) {
      this.#copyColumn(column, records)
      return
    }
    const { exports } = this.#memory
    const isMismatch = column.typeMismatch !== null
    const { kind, form } = isMismatch ? columnKind(null) : column.kind
    if (column.rules === null) exports.setRules(0, 0, 0, 0, 0, 0)
    else column.rules.use(this.#memory)
    exports.setKind(...form)
    const isChecked = !isMismatch && this.#isUnbroken && column.isReadAsChecked
    const typeMismatch = exports.read(index, records, kind, column.nullWords, column.form, Number(isChecked))
    const withoutValue = exports.nullCount.value
    const table = this.#memory.facts
    const areWordsNull = typeMismatch === 0 && !isMismatch && column.stored !== null && column.nullWords !== 0
    column.facts.add(records, withoutValue - (areWordsNull ? wordCount(table) : 0), table, (record) =>
      this.#textOf(index, record),
    )
    column.nulls += withoutValue
    if (typeMismatch > 0) column.typeMismatch = this.#records + typeMismatch
    if (column.typeMismatch !== null || column.stored === null || this.#file === null) return
    exports.setTextEnds(column.fastCompression ? 1 : 0)
    exports.encode(records, kind, column.stored.valueBytes, column.form)
    column.form = exports.columnForm.value
    column.chunks.push(this.#file.writeChunk(records))
  }
}
