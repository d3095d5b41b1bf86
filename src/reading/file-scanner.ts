// File scanner: scans a file in its own encoding. It turns the bytes into UTF-8 for the scanner and the places told back.
import { rejectMessage } from './records.ts'
import type { CreateScanner, FileScanOptions, Scanned, ScannedReject, Scanner, ScanOptions } from './scanner.ts'
import { type Block, Transcoder } from './transcoder.ts'

/** Makes scanners for files of any encoding of one for UTF-8, which it hands files in UTF-8 to directly. */
export function createFileScanner(createUtf8Scanner: (options: ScanOptions) => Scanner): CreateScanner {
  return (options) => {
    if (options.encoding === 'utf-8') return createUtf8Scanner(options)
    // Inside, places are counted in UTF-8 from the first byte pushed.
    const start = { ...options.start, byteOffset: 0 }
    return new TranscodingScanner(createUtf8Scanner({ ...options, start }), options)
  }
}

/** A block and where it begins, in both countings. `block` is null where only its lengths are kept. */
interface PlacedBlock {
  readonly block: Block | null
  readonly utf8Start: number
  readonly originalStart: number
}

/** Reasons whose message names a place. */
const placedReasons: ReadonlySet<string> = new Set([
  'text_after_quote',
  'quote_in_field',
  'unclosed_quote',
  'invalid_bytes',
  'nul_byte',
  'line_end_in_field',
])

class TranscodingScanner implements Scanner {
  readonly #scanner: Scanner
  readonly #options: FileScanOptions
  readonly #transcoder: Transcoder
  /** Those that hold bytes not settled yet, in file order; the ends are those of the next one, or #utf8End, #originalEnd. */
  #blocks: PlacedBlock[] = []
  #utf8End = 0
  #originalEnd: number
  #heldBytes = 0

  constructor(scanner: Scanner, options: FileScanOptions) {
    this.#scanner = scanner
    this.#options = options
    this.#transcoder = new Transcoder(options.encoding)
    this.#originalEnd = options.start.byteOffset
  }

  push(chunk: Uint8Array): Scanned {
    const { utf8 } = this.#keep(this.#transcoder.push(chunk))
    return this.#translate(this.#scanner.push(utf8))
  }

  end(): Scanned {
    const { utf8 } = this.#keep(this.#transcoder.end())
    const last = this.#translate(this.#scanner.push(utf8))
    const rest = this.#translate(this.#scanner.end())
    return {
      pieces: [...last.pieces, ...rest.pieces],
      accepted: last.accepted + rest.accepted,
      mendedLines: [...last.mendedLines, ...rest.mendedLines],
      blank: last.blank + rest.blank,
      skipped: last.skipped + rest.skipped,
      rejects: [...last.rejects, ...rest.rejects],
      settledTo: this.#originalEnd,
      lines: rest.lines,
    }
  }

  #keep(block: Block): Block {
    this.#blocks.push({ block, utf8Start: this.#utf8End, originalStart: this.#originalEnd })
    this.#utf8End += block.utf8.length
    this.#originalEnd += block.original.length
    this.#heldBytes += block.original.length
    if (this.#heldBytes > 4 * this.#options.recordBytesMax) this.#thin()
    return block
  }

  /** In a line that is too long to be a record only its beginning and its end are asked for. */
  #thin(): void {
    const [first, ...others] = this.#blocks
    if (first === undefined) return
    this.#blocks = [first, ...others.slice(0, -2).map((one) => ({ ...one, block: null })), ...others.slice(-2)]
    this.#heldBytes = 0
  }

  #translate(scanned: Scanned): Scanned {
    const rejects = scanned.rejects.map((reject) => this.#translateReject(reject))
    const settledTo = this.#place(scanned.settledTo)
    this.#drop(scanned.settledTo)
    return { ...scanned, rejects, settledTo }
  }

  #translateReject(reject: ScannedReject): ScannedReject {
    const byteOffset = this.#place(reject.byteOffset)
    const byteLength = this.#place(reject.byteOffset + reject.byteLength) - byteOffset
    const isLength = reject.reason === 'record_too_long'
    const detail = placedReasons.has(reject.reason) ? this.#place(reject.detail) : isLength ? byteLength : reject.detail
    const message = rejectMessage(reject.reason, detail, this.#options)
    return { ...reject, byteOffset, byteLength, detail, message }
  }

  /** An offset in the UTF-8 as one in the original. */
  #place(utf8Offset: number): number {
    const found = this.#blocks.findLast(({ utf8Start }) => utf8Start <= utf8Offset)
    if (found === undefined) return this.#originalEnd
    const { block, utf8Start, originalStart } = found
    if (block === null) return originalStart
    return originalStart + this.#transcoder.originalOffset(block, utf8Offset - utf8Start)
  }

  #drop(utf8SettledTo: number): void {
    const firstKept = this.#blocks.findLastIndex(({ utf8Start }) => utf8Start <= utf8SettledTo)
    for (const { block } of this.#blocks.splice(0, Math.max(0, firstKept))) {
      this.#heldBytes -= block?.original.length ?? 0
    }
  }
}
