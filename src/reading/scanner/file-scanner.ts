// File scanner: scans a file in its own encoding and with any delimiter. It passes the scanner UTF-8 with a one-byte delimiter,
// and maps the places that the scanner reports back to the original.
import type { BorrowedBytes } from '../../core/borrowed-bytes.ts'
import { releaseChunk } from '../../core/byte-stream.ts'
import { rejectTable } from '../../core/reject-reasons.ts'
import type { Block, Coder } from '../encoding/coder.ts'
import { DelimiterCoder, standInBeside } from '../encoding/delimiter-coder.ts'
import { LineEndCoder, type UnusualLineEnd } from '../encoding/line-end-coder.ts'
import { Transcoder } from '../encoding/transcoder.ts'
import { GapScanner, joined } from './header-gap.ts'
import { lookAhead } from './record-rules.ts'
import type { CreateScanner, ScannedReject, Scanner, ScanOptions, ScanResult } from './scanner.ts'

type CreateUtf8Scanner = (options: ScanOptions) => Scanner

/**
 * Turns a scanner for UTF-8 and one-byte delimiters into one for any encoding and delimiter. Files that need neither go
 * straight to the inner scanner.
 */
export function createFileScanner(createUtf8Scanner: CreateUtf8Scanner): CreateScanner {
  const create: CreateScanner = (options) => {
    if (options.gap !== undefined) return new GapScanner(create, options, options.gap)
    const createPlain = swapping(swapping(createUtf8Scanner, options, 'delimiter'), options, 'comment')
    const lineEnd = options.unusualLineEnd
    const createInner = lineEnd === undefined ? createPlain : withLineEnds(createPlain, lineEnd)
    if (options.encoding === 'utf-8') return createInner(options)
    return new CodedScanner(createInner(fromZero(options)), options, new Transcoder(options.encoding))
  }
  return create
}

/** A delimiter or comment character beyond ASCII is replaced by a control byte inside. */
function swapping(create: CreateUtf8Scanner, of: ScanOptions, member: 'delimiter' | 'comment'): CreateUtf8Scanner {
  const code = of[member]
  if (code === null || code < 0x80) return create
  return (options) => {
    const standIn = standInBeside([options.quote, options.escape, options.comment, options.delimiter])
    const scanner = create({ ...fromZero(options), [member]: standIn })
    return new CodedScanner(scanner, options, new DelimiterCoder(code, standIn))
  }
}

function withLineEnds(createUtf8Scanner: CreateUtf8Scanner, lineEnd: UnusualLineEnd): CreateUtf8Scanner {
  return (options) => {
    return new CodedScanner(createUtf8Scanner(fromZero(options)), options, new LineEndCoder(lineEnd))
  }
}

/** Inside, places are counted in UTF-8 from the first byte pushed. */
function fromZero<Options extends ScanOptions>(options: Options): Options {
  return { ...options, start: { ...options.start, byteOffset: 0 } }
}

/** A block and its start, in both countings. `block` is null if only its lengths are kept. */
interface PlacedBlock {
  readonly block: Block | null
  readonly utf8Start: number
  readonly originalStart: number
}

class CodedScanner implements Scanner {
  readonly #scanner: Scanner
  readonly #coder: Coder
  /** Blocks with bytes not yet consumed, in file order; each ends where the next begins, the last at #utf8End, #originalEnd. */
  #blocks: PlacedBlock[] = []
  #utf8End = 0
  #originalEnd: number
  #heldBytes = 0
  /** The scanner holds at most this much, except of a line that is too long; in UTF-32 it is four times as much. */
  readonly #heldBytesMax: number

  constructor(scanner: Scanner, options: ScanOptions, coder: Coder) {
    this.#scanner = scanner
    this.#coder = coder
    this.#originalEnd = options.start.byteOffset
    this.#heldBytesMax = 4 * (options.recordBytesMax + 2 * lookAhead.bytes)
  }

  exclude(ordinals: readonly number[]): void {
    this.#scanner.exclude(ordinals)
  }

  push(chunk: BorrowedBytes): ScanResult {
    // Copied, because what has not been consumed stays here.
    const { utf8 } = this.#keep(this.#coder.push(Uint8Array.from(chunk)))
    return this.#translate(this.#scanner.push(utf8))
  }

  end(): ScanResult {
    const { utf8 } = this.#keep(this.#coder.end())
    const last = this.#translate(this.#scanner.push(utf8))
    const pieces = last.pieces.map((piece) => Uint8Array.from(piece))
    const rest = this.#translate(this.#scanner.end())
    return { ...joined([{ ...last, pieces }, rest]), consumedTo: this.#originalEnd }
  }

  #keep(block: Block): Block {
    if (this.#heldBytes > this.#heldBytesMax) this.#thin()
    if (block.original.length === 0) return block
    this.#blocks.push({ block, utf8Start: this.#utf8End, originalStart: this.#originalEnd })
    this.#utf8End += block.utf8.length
    this.#originalEnd += block.original.length
    this.#heldBytes += block.original.length
    return block
  }

  /** In a line too long to be a record, only positions near its beginning and end are ever looked up. */
  #thin(): void {
    const [first, ...others] = this.#blocks
    if (first === undefined) return
    this.#blocks = [first, ...others.slice(0, -2).map((one) => ({ ...one, block: null })), ...others.slice(-2)]
    this.#heldBytes = 0
  }

  #translate(scanned: ScanResult): ScanResult {
    const { pieces, rejects } = this.#restored(scanned)
    const ignored = scanned.ignored.map((one) => {
      return { ...one, byteOffset: this.#place(one.byteOffset), endOffset: this.#place(one.endOffset) }
    })
    const consumedTo = this.#place(scanned.consumedTo)
    this.#drop(scanned.consumedTo)
    const isVerbatim = scanned.isVerbatim && this.#coder.isBytewise
    return { ...scanned, pieces, isVerbatim, rejects, ignored, consumedTo }
  }

  /** The pieces as they are passed on, separately between marks, so that the marks still hold. */
  #restored({ pieces, rejects }: ScanResult): Pick<ScanResult, 'pieces' | 'rejects'> {
    const restored: Uint8Array[] = []
    let from = 0
    const restore = (to: number): number => {
      restored.push(...this.#coder.restored(pieces.slice(from, to)))
      from = to
      return restored.length
    }
    const placed = rejects.map((reject) => {
      const { mark, ...translated } = this.#translateReject(reject)
      return mark === undefined ? translated : { ...translated, mark: { ...mark, pieces: restore(mark.pieces) } }
    })
    restore(pieces.length)
    return { pieces: restored, rejects: placed }
  }

  #translateReject(reject: ScannedReject): ScannedReject {
    // In file order, in which places are found fastest.
    const byteOffset = this.#place(reject.byteOffset)
    const kind = rejectTable[reject.reason].detail
    const place = kind === 'offset' ? this.#place(reject.detail) : reject.detail
    const byteLength = this.#place(reject.byteOffset + reject.byteLength) - byteOffset
    const endOffset = this.#place(reject.endOffset)
    const detail = kind === 'bytes' ? byteLength : place
    return { ...reject, byteOffset, byteLength, detail, endOffset }
  }

  /** Maps an offset in the UTF-8 to one in the original. */
  #place(utf8Offset: number): number {
    const found = this.#blocks.findLast(({ utf8Start }) => utf8Start <= utf8Offset)
    if (found === undefined) return this.#originalEnd
    const { block, utf8Start, originalStart } = found
    if (block === null) return originalStart
    return originalStart + this.#coder.originalOffset(block, utf8Offset - utf8Start)
  }

  #drop(utf8ConsumedTo: number): void {
    const firstKept = this.#blocks.findLastIndex(({ utf8Start }) => utf8Start <= utf8ConsumedTo)
    for (const { block } of this.#blocks.splice(0, Math.max(0, firstKept))) {
      if (block === null) continue
      this.#heldBytes -= block.original.length
      // Pieces are slices of the last block only, which is always kept: the scanner copies what it holds of others.
      releaseChunk(block.utf8)
      releaseChunk(block.original)
    }
  }
}
