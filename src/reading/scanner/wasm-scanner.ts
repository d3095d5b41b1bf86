// WASM scanner: the face of wasm/scanner/*.ts. It feeds the module, and turns what that tells into pieces and rejects; record-rules.ts
// defines what is told.
import { type BorrowedBytes, viewOf } from '../../core/borrowed-bytes.ts'
import type { RejectReason } from '../../core/receipt.ts'
import { ExcludedRecords } from './excluded-records.ts'
import { createLongLine, type LongLine } from './long-line.ts'
import { type LookAhead, lookAhead, rejectMessage } from './record-rules.ts'
import type { RunawayValue, Scanned, ScannedReject, Scanner, ScanOptions } from './scanner.ts'
import { ScratchBuffer } from './scratch-buffer.ts'
import { SliceList } from './slice-list.ts'
import { WasmInstance } from './wasm-instance.ts'

// The layout of wasm/scanner/memory.ts.
const windowStart = 73_728
const windowPadBytes = 64
const resultIndex = 1024 / 4
const eventsIndex = 2048 / 4
const eventLength = 32 / 4
const exclusionsIndex = 65_536 / 4
/** One more than a call of scan() can tell of, and the mark of the end. */
const exclusionTableLength = 1984 + 1 + 1

// Why scan() returns, see wasm/scanner/scanner.ts and wasm/scanner/lenient-record-rules.ts.
const status = { tableFull: 0, needsMore: 1, longReject: 2, longSkip: 3, needsRoom: 4 } as const

// Kinds of event, see wasm/scanner/scan-result.ts: those from 3 on are rejects.
const kind = { blank: 0, skipped: 1, lenient: 2, excluded: 12, runaway: 13 } as const
const reasons: readonly RejectReason[] = [
  'too_few_fields',
  'too_many_fields',
  'text_after_quote',
  'quote_in_field',
  'unclosed_quote',
  'invalid_bytes',
  'nul_byte',
  'record_too_long',
  'line_end_in_field',
  'constraint',
]

/** Stands for a byte that the dialect does not have. */
const none = 256
/** As the escape: quotes are neither doubled nor escaped. */
const nothing = 257
/** A larger chunk is taken in steps, so that what is scanned is still in the processor's cache after it was copied. */
const stepBytes = 131_072
/** The widest record this scanner reads; 32-bit offsets bear no more. */
const recordBytesLimit = 1 << 30

/**
 * Bytes of a record whose end has not come. So many are carried by the scanner itself and others use its memory meanwhile:
 * a thousand clients that are waited for take one memory, not a thousand. Of a longer record the memory is kept.
 */
const carriedBytesMax = 16_384

/** Makes the scanner of one file. Needs build/scanner.wasm. Only tests look less far ahead. */
export function createScanner(options: ScanOptions, ahead: LookAhead = lookAhead): Scanner {
  return new WasmScanner(options, ahead)
}

class WasmScanner implements Scanner {
  readonly #options: ScanOptions
  readonly #lineEnd: number
  readonly #dialect: readonly number[]
  /** Held during a call, and between calls while a long record is in it. */
  #memory: WasmInstance | null = null
  /** Between calls, what is not consumed, unless the memory is held. */
  #carried = new Uint8Array(0)

  // The window: bytes #start … #end-1 of the memory are not consumed. #fileOffset is where #start stands in the original.
  #start = windowStart
  #end = windowStart
  #fileOffset: number
  #records: number
  #lines: number
  /** Settled records that were accepted or dropped, and the numbers of those among them that are to be dropped. */
  #readable = 0
  readonly #drops = new ExcludedRecords()
  /** No use to scan before the window holds so many bytes: keeps the work on a long record linear. */
  #wantedBytes = 1
  /** Set while a line goes by that is too long to be held. */
  #longLine: LongLine | null = null

  /** The chunk being pushed lies in the window from here on: its first byte here, were it all there. */
  #chunk: Uint8Array = new Uint8Array(0)
  #chunkStart = 0
  #scanned = emptyScanned()
  readonly #pieces = new SliceList()
  /** Pieces that are no slices of the chunk. */
  readonly #copies = new ScratchBuffer()

  constructor(options: ScanOptions, ahead: LookAhead) {
    if (!(options.recordBytesMax >= 1 && options.recordBytesMax <= recordBytesLimit)) {
      throw new RangeError(`recordBytesMax: ${options.recordBytesMax}, wanted 1 to ${recordBytesLimit}`)
    }
    // A quote that escapes quotes is a quote that is doubled; without quotes there is nothing to escape.
    const isDoubled = options.quote === null || options.escape === options.quote
    this.#options = isDoubled ? { ...options, escape: null } : options
    this.#lineEnd = options.lineEnd === 'lf' ? 10 : 13
    this.#fileOffset = options.start.byteOffset
    this.#records = options.start.records
    this.#lines = options.start.lines
    this.#dialect = [
      options.delimiter,
      options.quote ?? none,
      this.#options.escape === 'nothing' ? nothing : (this.#options.escape ?? none),
      options.comment ?? none,
      options.skipInitialSpace ? 1 : 0,
      this.#lineEnd,
      options.width,
      options.padsShort ? 1 : 0,
      options.recordBytesMax,
      ahead.lines,
      ahead.bytes,
      options.runaway?.figureColumns[0] ?? 0,
      options.runaway?.figureColumns[1] ?? 0,
      options.runaway?.linesMin ?? 0,
      options.keepsWideComments ? 1 : 0,
    ]
  }

  exclude(ordinals: readonly number[]): void {
    this.#drops.add(ordinals, this.#readable)
  }

  push(chunk: BorrowedBytes): Scanned {
    this.#takeMemory()
    this.#copies.reset()
    this.#chunk = viewOf(chunk)
    this.#chunkStart = this.#end
    for (let taken = 0; taken < chunk.length; ) {
      taken += this.#longLine === null ? this.#take(taken) : this.#passLongLine(this.#longLine, taken)
    }
    return this.#handOver()
  }

  end(): Scanned {
    this.#takeMemory()
    this.#copies.reset()
    this.#chunk = new Uint8Array(0)
    const longLine = this.#longLine
    if (longLine !== null) {
      this.#consumeLongLine(longLine, longLine.end())
    } else if (this.#end > this.#start) {
      const isComplete = this.#held.bytes[this.#end - 1] === this.#lineEnd
      if (!isComplete) {
        this.#reserve(1)
        this.#held.bytes[this.#end++] = this.#lineEnd
      }
      this.#chunkStart = this.#end
      this.#scan(true)
      // The line end that was added is none of the original's bytes.
      if (!isComplete) this.#fileOffset--
    }
    return this.#handOver()
  }

  #handOver(): Scanned {
    const scanned = this.#scanned
    this.#scanned = emptyScanned()
    this.#chunk = new Uint8Array(0)
    this.#giveMemory()
    return { ...scanned, pieces: this.#pieces.release(), consumedTo: this.#fileOffset, lines: this.#lines }
  }

  /** Where the window is, and what is scanned. */
  get #held(): WasmInstance {
    if (this.#memory === null) throw new Error('scanner: used outside of a call')
    return this.#memory
  }

  #takeMemory(): void {
    if (this.#memory !== null) return
    this.#memory = WasmInstance.take()
    this.#memory.exports.configure(...this.#dialect)
    this.#memory.bytes.set(this.#carried.subarray(0, this.#end - this.#start), windowStart)
    this.#end += windowStart - this.#start
    this.#start = windowStart
  }

  #giveMemory(): void {
    const heldBytes = this.#end - this.#start
    if (this.#memory === null || heldBytes > carriedBytesMax) return
    if (heldBytes > this.#carried.length) this.#carried = new Uint8Array(Math.min(2 * heldBytes, carriedBytesMax))
    this.#carried.set(this.#memory.bytes.subarray(this.#start, this.#end))
    this.#memory.give()
    this.#memory = null
  }

  /** Takes the next step of the chunk; gives how many bytes that were. */
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
    // Moving no more bytes than were consumed before them keeps the moving linear.
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
      // What is written clean begins within a block of 64 bytes behind the pad.
      if (why === status.needsRoom) memory.growTo(this.#end + windowPadBytes + 64 + memory.words[resultIndex + 7]!)
      this.#drops.fill(memory.words.subarray(exclusionsIndex, exclusionsIndex + exclusionTableLength), this.#readable)
      why = memory.exports.scan(this.#start, this.#end, isLast ? 1 : 0)
      this.#collect()
    }
    const heldBytes = this.#end - this.#start
    if (why === status.needsMore) {
      // So many bytes decide every record: those that may be read of it, and of one that follows within the look-ahead.
      const enoughBytes = this.#options.recordBytesMax + 2 * lookAhead.bytes + windowPadBytes
      if (heldBytes >= enoughBytes || (isLast && heldBytes > 0)) throw new Error('scanner: cannot consume a record')
      this.#wantedBytes = Math.min(2 * heldBytes, enoughBytes)
      return
    }
    const longLine = createLongLine(why === status.longSkip ? 'skipped' : 'rejected', this.#lineEnd)
    longLine.pass(memory.bytes.subarray(this.#start, this.#end))
    this.#longLine = longLine
    this.#start = this.#end
  }

  /** Takes over what scan() has told of, and moves the start of the window to the first byte not consumed. */
  #collect(): void {
    const { words } = this.#held
    const position = words[resultIndex]!
    const eventCount = words[resultIndex + 1]!
    if (eventCount > 0) this.#scanned.isVerbatim = false
    let consumedTo = this.#start
    let writtenFrom = words[resultIndex + 5]!
    for (let event = 0; event < eventCount; event++) {
      const row = eventsIndex + event * eventLength
      const from = words[row + 1]!
      const end = words[row + 2]!
      this.#takeAsIs(consumedTo, from)
      consumedTo = end
      const what = words[row]!
      if (what === kind.blank) this.#scanned.blank += words[row + 7]!
      else if (what === kind.skipped) this.#skip(this.#lines + words[row + 5]! + 1)
      else if (what === kind.lenient) {
        if (words[row + 6] !== 0) this.#scanned.repairedLines.push(this.#lines + words[row + 5]! + 1)
        this.#takeCopy(writtenFrom, words[row + 3]!)
        writtenFrom = words[row + 3]!
      } else if (what === kind.runaway) {
        const line = this.#lines + words[row + 5]! + 1
        this.#scanned.runaways.push({ line, lineCount: words[row + 7]!, isSplit: words[row + 6] !== 0 })
      } else {
        if (what === kind.excluded) this.#scanned.accepted--
        this.#scanned.rejects.push(this.#rejectOf(row))
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

  #skip(line: number): void {
    this.#scanned.skipped++
    this.#scanned.skippedLines.push(line)
  }

  #rejectOf(row: number): ScannedReject {
    const { words } = this.#held
    const from = words[row + 1]!
    const byteLength = words[row + 3]! - from
    const reason = reasons[words[row]! - 3]!
    const reportedDetail = words[row + 7]!
    let detail = this.#fileOffset + reportedDetail - this.#start
    if (reason === 'too_few_fields' || reason === 'too_many_fields') detail = reportedDetail
    else if (reason === 'record_too_long') detail = byteLength
    else if (reason === 'constraint') detail = this.#drops.use()
    return {
      record: this.#records + words[row + 4]! + 1,
      line: this.#lines + words[row + 5]! + 1,
      byteOffset: this.#fileOffset + from - this.#start,
      byteLength,
      column: words[row + 6]! || null,
      reason,
      message: rejectMessage(reason, detail, this.#options),
      detail,
    }
  }

  /** Accepted bytes of the window: those of earlier chunks are copied, they are few; the rest is a slice of the chunk. */
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

  /** Lets the chunk go by from `from` on, up to the end of the long line; gives how many bytes that were. */
  #passLongLine(longLine: LongLine, from: number): number {
    const rest = this.#chunk.subarray(from)
    const count = longLine.pass(rest)
    if (longLine.isEnded) {
      this.#consumeLongLine(longLine, longLine.end())
      // The window is empty: the chunk goes on in it after the line.
      this.#chunkStart = this.#end - (from + count)
    }
    return count
  }

  #consumeLongLine(longLine: LongLine, { byteLength, contentLength }: ReturnType<LongLine['end']>): void {
    this.#longLine = null
    this.#scanned.isVerbatim = false
    this.#wantedBytes = 1
    this.#records++
    this.#lines++
    if (longLine.kind === 'skipped') this.#skip(this.#lines)
    else {
      this.#scanned.rejects.push({
        record: this.#records,
        line: this.#lines,
        byteOffset: this.#fileOffset,
        byteLength: contentLength,
        column: null,
        reason: 'record_too_long',
        message: rejectMessage('record_too_long', contentLength, this.#options),
        detail: contentLength,
      })
    }
    this.#fileOffset += byteLength
  }
}

interface Collected {
  isVerbatim: boolean
  accepted: number
  readonly repairedLines: number[]
  readonly runaways: RunawayValue[]
  blank: number
  skipped: number
  readonly skippedLines: number[]
  readonly rejects: ScannedReject[]
}

function emptyScanned(): Collected {
  return {
    isVerbatim: true,
    accepted: 0,
    repairedLines: [],
    runaways: [],
    blank: 0,
    skipped: 0,
    skippedLines: [],
    rejects: [],
  }
}
