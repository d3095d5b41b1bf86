// Multipart parser: splits a body that arrives in chunks into its parts (RFC 2046). Knows neither HTTP nor which part matters.
import { type BorrowedBytes, viewOf } from '../core/borrowed-bytes.ts'
import { ServiceError } from '../core/errors.ts'
import type { MultipartLimits, PartSink } from './multipart.ts'
import { readPartHead } from './part-head.ts'

const carriageReturn = 0x0d
const lineFeed = 0x0a
const hyphen = 0x2d
const lineEnd = Buffer.from('\r\n')
const nothing = Buffer.alloc(0)

/** RFC 2046 allows unlimited blanks after a delimiter, but bytes held back until the line ends need a limit. */
const paddingBytesMax = 256

/**
 * Number of delimiter bytes to search for; the rest is compared where they are found. V8's search keeps tables for 250
 * bytes only: with a boundary of 1000 times the letter a, a hostile 64 KiB chunk was searched at 3 MB/s with the whole
 * delimiter and at 2650 MB/s with its first 250 bytes (Node 24.21, x64, 2026-11-20).
 */
const needleBytesMax = 250

/** What is at a place where a delimiter could begin. `end` is the index after it. */
type DelimiterMatch =
  | { readonly kind: 'content' }
  | { readonly kind: 'undecided' }
  | { readonly kind: 'delimiter'; readonly end: number }
  | { readonly kind: 'closing delimiter'; readonly end: number }
  | { readonly kind: 'broken'; readonly problem: string }

/**
 * Reads each byte once, copies no content and keeps at most one part head or one delimiter line.
 *
 * A delimiter is a line that consists of `--boundary` and blanks, or begins with `--boundary--`; a line that merely
 * begins with `--boundary` is content. Lines end with CRLF.
 */
export class MultipartParser {
  readonly #limits: MultipartLimits
  readonly #sink: PartSink
  /** The line end before a delimiter belongs to it (RFC 2046 section 5.1.1), so it begins with one here. */
  readonly #delimiter: Buffer
  readonly #needle: Buffer
  #state: 'preamble' | 'head' | 'content' | 'closed' | 'failed' = 'preamble'
  #partCount = 0
  /** The last bytes pushed, while they may be the beginning of a delimiter or of a part head. */
  #held: Buffer = lineEnd
  /** Bytes at the start of `#held` that are not content: the line end before the body's or the content's first line. */
  #lentByteCount = lineEnd.length

  /** @param boundary As from `readMultipartType`: one character per byte, without line ends. */
  constructor(boundary: string, limits: MultipartLimits, sink: PartSink) {
    this.#limits = limits
    this.#sink = sink
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1')
    this.#needle = this.#delimiter.subarray(0, needleBytesMax)
  }

  /**
   * Calls the sink for everything that the chunk completes. Anything after the closing delimiter, or after an error, is
   * ignored.
   *
   * @throws {ServiceError} BAD_MULTIPART if the bytes break the format; the parser is then finished. Errors of the sink
   * are passed on, and also end the parser.
   */
  push(chunk: BorrowedBytes): void {
    const { buffer, byteOffset, byteLength } = viewOf(chunk)
    const bytes = Buffer.from(buffer, byteOffset, byteLength)
    let at = 0
    try {
      while (at < bytes.length && this.#state !== 'closed' && this.#state !== 'failed') {
        at = this.#state === 'head' ? this.#takeHead(bytes, at) : this.#takeContent(bytes, at)
      }
    } catch (error) {
      this.#state = 'failed'
      throw error
    }
  }

  /**
   * Call it when the body has ended. A body in which no delimiter began simply has no part.
   *
   * @throws {ServiceError} BAD_MULTIPART if the closing delimiter is missing, or `push` has thrown before.
   */
  end(): void {
    if (this.#state === 'closed') return
    const hasNoPart = this.#state === 'preamble' && this.#held.length < this.#delimiter.length
    this.#state = hasNoPart ? 'closed' : 'failed'
    if (!hasNoPart) throw bad('it ends before the closing delimiter')
  }

  /** Takes as much as possible of the part head at `at`, and returns the index after it. */
  #takeHead(bytes: Buffer, at: number): number {
    const { partHeadBytesMax } = this.#limits
    const heldByteCount = this.#held.length
    const arrived = bytes.subarray(at, at + partHeadBytesMax - heldByteCount)
    const head = heldByteCount === 0 ? arrived : Buffer.concat([this.#held, arrived])
    const headByteCount = findHeadEnd(head)
    if (headByteCount === -1) {
      if (head.length >= partHeadBytesMax) throw bad(`a part head is longer than ${partHeadBytesMax} bytes`)
      this.#hold(Buffer.from(head))
      return bytes.length
    }
    this.#sink.head(readPartHead(head.subarray(0, headByteCount)))
    this.#state = 'content'
    // The empty line after a head is also the line end of a delimiter that follows directly: such a part has no content.
    this.#held = lineEnd
    this.#lentByteCount = lineEnd.length
    return at + headByteCount - heldByteCount
  }

  /** Takes content or preamble from `at` up to a delimiter or the end of the bytes, and returns the index after it. */
  #takeContent(bytes: Buffer, at: number): number {
    if (this.#held.length === 0) return this.#search(bytes, at)
    const held = this.#held
    const candidate = Buffer.concat([held, bytes.subarray(at, at + this.#delimiter.length + paddingBytesMax + 2)])
    const found = this.#inspect(candidate, 0)
    if (found.kind === 'undecided') {
      this.#held = candidate
      return bytes.length
    }
    const content = held.subarray(this.#lentByteCount)
    this.#hold(nothing)
    if (found.kind !== 'content') return at + this.#cross(found) - held.length
    // No other delimiter can begin within these bytes: a CR is their first byte, or their last one before no LF.
    this.#give(content)
    return this.#search(bytes, at)
  }

  #search(bytes: Buffer, at: number): number {
    for (let from = at; ; ) {
      const start = this.#findCandidate(bytes, from)
      if (start === -1) {
        this.#give(bytes.subarray(at))
        return bytes.length
      }
      const found = this.#inspect(bytes, start)
      if (found.kind === 'content') {
        from = start + 1
        continue
      }
      this.#give(bytes.subarray(at, start))
      if (found.kind !== 'undecided') return this.#cross(found)
      this.#hold(Buffer.from(bytes.subarray(start)))
      return bytes.length
    }
  }

  /** Index of the next place from `from` on where a delimiter could begin, even if later bytes must complete it. */
  #findCandidate(bytes: Buffer, from: number): number {
    const start = bytes.indexOf(this.#needle, from)
    if (start !== -1) return start
    // A delimiter has one CR before its own line end, so only the last CR can begin one that is cut off here.
    const tail = Math.max(from, bytes.length - this.#delimiter.length)
    const last = bytes.subarray(tail).lastIndexOf(carriageReturn)
    return last === -1 ? -1 : tail + last
  }

  #inspect(bytes: Buffer, start: number): DelimiterMatch {
    const delimiterEnd = start + this.#delimiter.length
    const stop = Math.min(delimiterEnd, bytes.length)
    // Byte by byte: for bytes as few as these, `compare` takes longer.
    for (let at = start; at < stop; at += 1) {
      if (bytes[at] !== this.#delimiter[at - start]) return { kind: 'content' }
    }
    if (bytes[delimiterEnd] === hyphen && bytes[delimiterEnd + 1] === hyphen) {
      return { kind: 'closing delimiter', end: delimiterEnd + 2 }
    }
    let at = delimiterEnd
    while (bytes[at] === 0x20 || bytes[at] === 0x09) at += 1
    if (at - delimiterEnd > paddingBytesMax) {
      return { kind: 'broken', problem: `a delimiter is followed by more than ${paddingBytesMax} blanks` }
    }
    if (at >= bytes.length) return { kind: 'undecided' }
    if (bytes[at] === carriageReturn && bytes[at + 1] === lineFeed) return { kind: 'delimiter', end: at + 2 }
    const isLast = at + 1 === bytes.length
    // Hyphens close only directly after the boundary; after blanks they are content.
    const mayClose = bytes[at] === hyphen && at === delimiterEnd
    if (isLast && (bytes[at] === carriageReturn || mayClose)) return { kind: 'undecided' }
    // Within content, this is an ordinary line. Before the first part, it shows a client that ends all its lines this
    // way.
    if (this.#state === 'preamble' && bytes[at] === lineFeed) {
      return { kind: 'broken', problem: 'its lines end with LF, expected CRLF' }
    }
    return { kind: 'content' }
  }

  /** Skips a delimiter and returns the index after it. */
  #cross(found: Exclude<DelimiterMatch, { kind: 'content' | 'undecided' }>): number {
    if (found.kind === 'broken') throw bad(found.problem)
    if (this.#state === 'content') this.#sink.end()
    this.#state = found.kind === 'delimiter' ? 'head' : 'closed'
    if (found.kind === 'delimiter') this.#partCount += 1
    if (this.#partCount > this.#limits.partsMax) throw bad(`it has more than ${this.#limits.partsMax} parts`)
    return found.end
  }

  #give(content: Buffer): void {
    if (this.#state === 'content' && content.length > 0) this.#sink.data(content)
  }

  #hold(bytes: Buffer): void {
    this.#held = bytes
    this.#lentByteCount = 0
  }
}

/** Length of the part head with its empty line; -1 if it does not end within the bytes. */
function findHeadEnd(bytes: Buffer): number {
  if (bytes[0] === carriageReturn && bytes[1] === lineFeed) return lineEnd.length
  const emptyLine = bytes.indexOf('\r\n\r\n')
  return emptyLine === -1 ? -1 : emptyLine + 4
}

function bad(problem: string): ServiceError {
  return new ServiceError('BAD_MULTIPART', { problem })
}
