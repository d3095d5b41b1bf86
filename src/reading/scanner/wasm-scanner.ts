// WASM scanner: the host side of wasm/scanner/*.ts. It feeds the module, and turns its results into pieces and rejects;
// record-rules.ts defines these.
import { type BorrowedBytes, viewOf } from '../../core/borrowed-bytes.ts'
import { rejectReasons, rejectTable } from '../../core/reject-reasons.ts'
import { type DialectGlobals, WasmInstance } from '../wasm/wasm-instance.ts'
import { createLongLine, type LongLine } from './long-line.ts'
import { hasLoneFeed, type LookAhead, lookAhead, mayRunAway } from './record-rules.ts'
import {
  emptyScanned,
  type IgnoredRange,
  type ScannedReject,
  type Scanner,
  type ScanOptions,
  type ScanResult,
  type ScanState,
} from './scanner.ts'
import { ScratchBuffer } from './scratch-buffer.ts'
import { wantedOf } from './shown-reject.ts'

// The layout of wasm/scanner/memory.ts.
const windowStart = 73_728
const windowPadBytes = 64
const resultIndex = 1024 / 4
const eventsIndex = 2048 / 4
const eventLength = 32 / 4
const exclusionsIndex = 65_536 / 4
/** One more than a call of scan() can report, and the end marker. */
const exclusionTableLength = 1984 + 1 + 1

// Why scan() returns, see wasm/scanner/scanner.ts.
const status = { tableFull: 0, needsMore: 1, longReject: 2, longSkip: 3, needsRoom: 4 } as const

// Kinds of result, see wasm/scanner/scan-result.ts: those from 5 on are rejects, in the order of `rejectReasons`.
const kind = { blank: 0, skipped: 1, lenient: 2, excluded: 3, runaway: 4, unreadable: 5 } as const
/** How a rewritten record was read, see wasm/scanner/scan-result.ts; values other than these and 0 are repairs. */
const otherEscape = 3

/** Stands for a byte that the dialect does not use. */
const none = 256
/** As the escape: quotes are neither doubled nor escaped. */
const nothing = 257
/** A larger chunk is scanned in steps, so that it is still in the processor's cache after it was copied. */
const stepBytes = 131_072
/** The longest record this scanner reads: offsets have 32 bits. */
const recordBytesLimit = 1 << 30

/**
 * Unfinished records up to this size are kept by the scanner itself, so that others can use the instance meanwhile: a
 * thousand idle clients then share one instance instead of taking a thousand. For a longer record, the instance is kept.
 */
const carriedBytesMax = 16_384

/** Makes the scanner of one file. Needs build/scanner.wasm. Only tests use a shorter look-ahead. */
export function createScanner(options: ScanOptions, ahead: LookAhead = lookAhead): Scanner {
  return new WasmScanner(options, ahead)
}

class WasmScanner implements Scanner {
  readonly #options: ScanOptions
  readonly #lineEnd: number
  readonly #dialect: DialectGlobals
  /** Held during a call, and between calls while a long record is in it. */
  #memory: WasmInstance | null = null
  /** Between calls, the bytes not consumed, unless the instance is held. */
  #carried = new Uint8Array(0)

  // The window: bytes #start … #end-1 of the memory are not consumed. #fileOffset is the offset of #start in the original.
  #start = windowStart
  #end = windowStart
  #fileOffset: number
  /** Length of the original, once it is known. */
  #fileEnd = Number.POSITIVE_INFINITY
  #records: number
  #lines: number
  /** Consumed records that were accepted or excluded, and the numbers of those among them that are to be excluded. */
  #readable = 0
  readonly #drops = new ExcludedRecords()
  /** Scanning is useless before the window holds this many bytes: keeps the work on a long record linear. */
  #wantedBytes = 1
  /** Set while skipping a line that is too long to be held. */
  #longLine: LongLine | null = null

  /** The chunk being pushed, and where in the window its first byte is, or would be if all of it were there. */
  #chunk: Uint8Array = new Uint8Array(0)
  #chunkStart = 0
  #scanned: ScanState
  readonly #pieces = new SliceList()
  /** Pieces that are not slices of the chunk. */
  readonly #copies = new ScratchBuffer()

  constructor(options: ScanOptions, ahead: LookAhead) {
    if (!(options.recordBytesMax >= 1 && options.recordBytesMax <= recordBytesLimit)) {
      throw new RangeError(`recordBytesMax: ${options.recordBytesMax}, expected 1 to ${recordBytesLimit}`)
    }
    // A quote that escapes quotes is a doubled quote; without quotes there is nothing to escape.
    const isDoubled = (options.quote === null && !options.isEscapeDeclared) || options.escape === options.quote
    this.#options = isDoubled ? { ...options, escape: null } : options
    this.#scanned = emptyScanned(options)
    this.#lineEnd = options.lineEnd === 'cr' ? 13 : 10
    this.#fileOffset = options.start.byteOffset
    this.#records = options.start.records
    this.#lines = options.start.lines
    const mark = this.#options.escape
    this.#dialect = {
      delimiter: options.delimiter,
      quote: options.quote ?? none,
      escape: mark === 'nothing' ? nothing : (mark ?? none),
      comment: options.comment ?? none,
      skipInitialSpace: options.skipInitialSpace ? 1 : 0,
      lineEnd: this.#lineEnd,
      otherEnd: this.#lineEnd === 10 ? 13 : 10,
      isCrLf: options.lineEnd === 'crlf' ? 1 : 0,
      escapesAll: options.isEscapeDeclared && typeof mark === 'number' ? 1 : 0,
      doublesToo: options.doublesToo ? 1 : 0,
      hasOtherEscape: options.isEscapeDeclared ? 0 : 1,
      width: options.width,
      padsShort: options.padsShort ? 1 : 0,
      keepsWideComments: options.keepsWideComments ? 1 : 0,
      recordBytesMax: options.recordBytesMax,
      lookAheadLines: ahead.lines,
      lookAheadBytes: ahead.bytes,
      figureColumn: options.runaway?.figureColumns[0] ?? 0,
      otherFigureColumn: options.runaway?.figureColumns[1] ?? 0,
      runawayLinesMin: mayRunAway(options) ? (options.runaway?.linesMin ?? 0) : 0,
    }
  }

  exclude(ordinals: readonly number[]): void {
    this.#drops.add(ordinals, this.#readable)
  }

  push(chunk: BorrowedBytes): ScanResult {
    this.#takeMemory()
    this.#copies.reset()
    this.#chunk = viewOf(chunk)
    this.#chunkStart = this.#end
    for (let taken = 0; taken < chunk.length; ) {
      taken += this.#longLine === null ? this.#take(taken) : this.#passLongLine(this.#longLine, taken)
    }
    return this.#handOver()
  }

  end(): ScanResult {
    this.#takeMemory()
    this.#copies.reset()
    this.#chunk = new Uint8Array(0)
    const longLine = this.#longLine
    if (longLine !== null) {
      this.#consumeLongLine(longLine, longLine.end())
    } else if (this.#end > this.#start) {
      const isLone = hasLoneFeed(this.#held.bytes.subarray(this.#start, this.#end))
      const added = this.#completeLine()
      this.#chunkStart = this.#end
      // The added line end is not part of the original.
      this.#fileEnd = this.#fileOffset + this.#end - this.#start - added
      this.#scan(true)
      this.#fileOffset -= added
      const { rejects, ignored } = this.#scanned
      const isAccepted = [rejects, ignored].every((some) => some.at(-1)?.endOffset !== this.#fileEnd)
      if (added > 0 && isAccepted) this.#scanned.addedBytes = added
      if (added > 0 && this.#lineEnd === 10) this.#scanned.hasLoneFeed = isLone
    }
    return this.#handOver()
  }

  /** Ends the last line if it has no line end. @returns The number of bytes added. */
  #completeLine(): number {
    const end = this.#end
    this.#reserve(2)
    const { bytes } = this.#held
    const isWhole = () => bytes[this.#end - 1] === this.#lineEnd
    const moved = this.#end - end
    if (this.#options.lineEnd === 'crlf') {
      this.#scanned.isVerbatim = isWhole() && bytes[this.#end - 2] === 13 && this.#scanned.isVerbatim
      if (isWhole()) this.#end--
      if (this.#end === this.#start || bytes[this.#end - 1] !== 13) bytes[this.#end++] = 13
      bytes[this.#end++] = 10
    } else if (!isWhole()) bytes[this.#end++] = this.#lineEnd
    return this.#end - moved - end
  }

  #handOver(): ScanResult {
    const scanned = this.#scanned
    this.#scanned = emptyScanned(this.#options)
    this.#chunk = new Uint8Array(0)
    this.#releaseMemory()
    return { ...scanned, pieces: this.#pieces.release(), consumedTo: this.#fileOffset, lines: this.#lines }
  }

  /** The offset of the window, and what is scanned. */
  get #held(): WasmInstance {
    if (this.#memory === null) throw new Error('scanner: used outside of a call')
    return this.#memory
  }

  #takeMemory(): void {
    if (this.#memory !== null) return
    this.#memory = WasmInstance.take()
    this.#memory.configure(this.#dialect)
    this.#memory.bytes.set(this.#carried.subarray(0, this.#end - this.#start), windowStart)
    this.#end += windowStart - this.#start
    this.#start = windowStart
  }

  #releaseMemory(): void {
    const heldBytes = this.#end - this.#start
    if (this.#memory === null || heldBytes > carriedBytesMax) return
    if (heldBytes > this.#carried.length) this.#carried = new Uint8Array(Math.min(2 * heldBytes, carriedBytesMax))
    this.#carried.set(this.#memory.bytes.subarray(this.#start, this.#end))
    this.#memory.give()
    this.#memory = null
  }

  /** Takes the next step of the chunk; returns its number of bytes. */
  #take(from: number): number {
    const count = Math.min(this.#chunk.length - from, stepBytes)
    this.#reserve(count)
    this.#held.bytes.set(
      count === this.#chunk.length ? this.#chunk : this.#chunk.subarray(from, from + count),
      this.#end,
    )
    this.#end += count
    if (this.#end - this.#start >= this.#wantedBytes) this.#scan(false)
    return count
  }

  /** Makes room for `count` bytes after the window. */
  #reserve(count: number): void {
    const heldBytes = this.#end - this.#start
    // Never moving more bytes than were consumed before them keeps the total linear.
    if (heldBytes <= this.#start - windowStart) {
      this.#held.bytes.copyWithin(windowStart, this.#start, this.#end)
      this.#chunkStart -= this.#start - windowStart
      this.#start = windowStart
      this.#end = windowStart + heldBytes
    }
    this.#held.growTo(this.#end + count + windowPadBytes)
  }

  #scan(isLast: boolean): void {
    const memory = this.#held
    let why: number = status.tableFull
    while (why === status.tableFull || why === status.needsRoom) {
      // Normalized records are written within a block of 64 bytes after the pad.
      if (why === status.needsRoom) memory.growTo(this.#end + windowPadBytes + 64 + memory.words[resultIndex + 7]!)
      this.#drops.fill(memory.words.subarray(exclusionsIndex, exclusionsIndex + exclusionTableLength), this.#readable)
      why = memory.exports.scan(this.#start, this.#end, isLast ? 1 : 0)
      this.#collect()
    }
    const heldBytes = this.#end - this.#start
    if (why === status.needsMore) {
      // Enough bytes to decide every record: its own, and those of a following record within the look-ahead.
      const enoughBytes = this.#options.recordBytesMax + 2 * lookAhead.bytes + windowPadBytes
      if (heldBytes >= enoughBytes || (isLast && heldBytes > 0)) throw new Error('scanner: cannot consume a record')
      this.#wantedBytes = Math.min(2 * heldBytes, enoughBytes)
      return
    }
    const longLine = createLongLine(why === status.longSkip ? 'skipped' : 'rejected', this.#options)
    longLine.pass(memory.bytes.subarray(this.#start, this.#end))
    this.#longLine = longLine
    this.#start = this.#end
  }

  /** Takes over the results of scan(), and moves the start of the window to the first byte not consumed. */
  #collect(): void {
    const { words } = this.#held
    const position = words[resultIndex]!
    const eventCount = words[resultIndex + 1]!
    if (eventCount > 0) this.#scanned.isVerbatim = false
    if (words[resultIndex + 8] !== 0) this.#scanned.hasReturn = true
    if (words[resultIndex + 9] !== 0) this.#scanned.hasLoneFeed = true
    let consumedTo = this.#start
    let writtenFrom = words[resultIndex + 5]!
    /** Records of this call that are not readable. */
    let others = 0
    for (let event = 0; event < eventCount; event++) {
      const row = eventsIndex + event * eventLength
      const from = words[row + 1]!
      const end = words[row + 2]!
      if (from > consumedTo) this.#takeAsIs(consumedTo, from)
      consumedTo = end
      const what = words[row]!
      if (what === kind.blank || what === kind.skipped) {
        const count = what === kind.blank ? words[row + 7]! : 1
        const before = { lines: words[row + 5]!, readable: words[row + 4]! - others }
        this.#ignore(what === kind.blank ? 'blank' : 'skipped', from - this.#start, end - from, before, count)
        others += count
      } else if (what === kind.lenient) {
        const line = this.#lines + words[row + 5]! + 1
        if (words[row + 6] === otherEscape) this.#scanned.otherEscapeLines.push(line)
        else if (words[row + 6] !== 0) this.#scanned.repairedLines.push(line)
        this.#takeCopy(writtenFrom, words[row + 3]!)
        writtenFrom = words[row + 3]!
      } else if (what === kind.runaway) {
        const line = this.#lines + words[row + 5]! + 1
        this.#scanned.runaways.push({ line, lineCount: words[row + 7]!, isSplit: words[row + 6] !== 0 })
      } else {
        const mark = this.#mark(this.#readable + words[row + 4]! - others)
        if (what === kind.excluded) this.#scanned.accepted--
        else others++
        this.#scanned.rejects.push({ ...this.#rejectOf(words, row), ...mark })
      }
    }
    this.#takeAsIs(consumedTo, position)
    this.#fileOffset += position - this.#start
    this.#start = position
    this.#records += words[resultIndex + 2]!
    this.#lines += words[resultIndex + 3]!
    this.#readable += words[resultIndex + 4]!
    this.#scanned.accepted += words[resultIndex + 4]!
  }

  /** The position of the next reject, if requested. */
  #mark(readable: number): Pick<ScannedReject, 'mark'> | undefined {
    return this.#options.marksRejects ? { mark: { pieces: this.#pieces.count(), readable } } : undefined
  }

  /** @param at From the start of the window. @param before Lines and readable records from there to it. */
  #ignore(
    kind: IgnoredRange['kind'],
    at: number,
    bytes: number,
    before: { lines: number; readable: number },
    count = 1,
  ): void {
    const byteOffset = this.#fileOffset + at
    const endOffset = Math.min(byteOffset + bytes, this.#fileEnd)
    const line = this.#lines + before.lines + 1
    const readable = this.#readable + before.readable
    this.#scanned.ignored.push({ kind, byteOffset, endOffset, count, line, readable })
  }

  #rejectOf(words: Uint32Array, row: number): ScannedReject {
    const from = words[row + 1]!
    const byteLength = words[row + 3]! - from
    const what = words[row]!
    const reason = what === kind.excluded ? 'constraint' : rejectReasons[what - kind.unreadable]!
    const reportedDetail = words[row + 7]!
    const windowOffset = this.#fileOffset - this.#start
    let detail = reportedDetail
    const { detail: kindOfDetail } = rejectTable[reason]
    if (kindOfDetail === 'bytes') detail = byteLength
    else if (kindOfDetail === 'offset') detail += windowOffset
    else if (kindOfDetail === 'ordinal') detail = this.#drops.use()
    return {
      record: this.#records + words[row + 4]! + 1,
      line: this.#lines + words[row + 5]! + 1,
      byteOffset: windowOffset + from,
      byteLength,
      column: words[row + 6]! || null,
      reason,
      detail,
      wanted: wantedOf(reason, this.#options),
      endOffset: Math.min(windowOffset + words[row + 2]!, this.#fileEnd),
    }
  }

  /** Accepted bytes of the window: the few from earlier chunks are copied; the rest is a slice of the chunk. */
  #takeAsIs(from: number, to: number): void {
    const carriedTo = Math.min(to, this.#chunkStart)
    if (from < carriedTo) this.#takeCopy(from, carriedTo)
    const chunkFrom = Math.max(from, this.#chunkStart)
    if (chunkFrom < to) this.#pieces.add(this.#chunk, chunkFrom - this.#chunkStart, to - this.#chunkStart)
  }

  #takeCopy(from: number, to: number): void {
    const start = this.#copies.copy(this.#held.bytes.subarray(from, to))
    this.#pieces.add(this.#copies.block, start, start + to - from)
  }

  /** Skips the chunk from `from` on, up to the end of the long line; returns the number of bytes skipped. */
  #passLongLine(longLine: LongLine, from: number): number {
    const rest = this.#chunk.subarray(from)
    const count = longLine.pass(rest)
    if (longLine.isEnded) {
      this.#consumeLongLine(longLine, longLine.end())
      // The window is empty: after the line, the chunk continues in it.
      this.#chunkStart = this.#end - (from + count)
    }
    return count
  }

  #consumeLongLine(longLine: LongLine, { byteLength, contentLength, lines }: ReturnType<LongLine['end']>): void {
    this.#longLine = null
    this.#scanned.isVerbatim = false
    this.#wantedBytes = 1
    this.#records++
    if (longLine.kind === 'skipped') {
      this.#ignore('skipped', 0, byteLength, { lines: 0, readable: 0 })
    } else {
      this.#scanned.rejects.push({
        ...this.#mark(this.#readable),
        record: this.#records,
        line: this.#lines + 1,
        byteOffset: this.#fileOffset,
        byteLength: contentLength,
        column: null,
        reason: 'record_too_long',
        detail: contentLength,
        wanted: this.#options.recordBytesMax,
        endOffset: this.#fileOffset + byteLength,
      })
    }
    this.#lines += lines
    this.#fileOffset += byteLength
  }
}

/** Collects slices of byte arrays, in order. What was added must not be changed afterwards. */
class SliceList {
  #pieces: Uint8Array[] = []
  #source: Uint8Array | null = null
  #from = 0
  #to = 0

  /** Adds bytes from … to-1 of `source`. */
  add(source: Uint8Array, from: number, to: number): void {
    if (source === this.#source && from === this.#to) {
      this.#to = to
      return
    }
    this.#flush()
    this.#source = source
    this.#from = from
    this.#to = to
  }

  /** Number of pieces so far; what is added from now on starts a new piece. */
  count(): number {
    this.#flush()
    return this.#pieces.length
  }

  /** Returns what was collected, and starts a new list. */
  release(): readonly Uint8Array[] {
    this.#flush()
    const pieces = this.#pieces
    this.#pieces = []
    return pieces
  }

  #flush(): void {
    if (this.#source !== null) this.#pieces.push(this.#source.subarray(this.#from, this.#to))
    this.#source = null
  }
}

/** Marks the end of a table. */
const noExclusion = 0xffff_ffff

class ExcludedRecords {
  #ordinals: readonly number[] = []
  /** How many of them have been consumed. */
  #used = 0
  #last = 0

  /**
   * Adds numbers from 1.
   *
   * @param consumed Number of readable records already consumed: too late to exclude these.
   * @throws {RangeError} If a number is not above all earlier ones, or too late; none is added then.
   */
  add(ordinals: readonly number[], consumed: number): void {
    let last = Math.max(this.#last, consumed)
    for (const ordinal of ordinals) {
      if (!(ordinal > last)) throw new RangeError(`Cannot drop record ${ordinal}: expected one after ${last}`)
      last = ordinal
    }
    this.#last = last
    this.#ordinals = this.#ordinals.slice(this.#used).concat(ordinals)
    this.#used = 0
  }

  /** Writes the next ones into `table`, each as the count of readable records before it from now on. */
  fill(table: Uint32Array, consumed: number): void {
    const count = Math.min(this.#ordinals.length - this.#used, table.length - 1)
    for (let i = 0; i < count; i++) table[i] = Math.min(this.#ordinals[this.#used + i]! - consumed - 1, noExclusion)
    table[count] = noExclusion
  }

  /** Removes the first one. */
  use(): number {
    return this.#ordinals[this.#used++]!
  }
}
