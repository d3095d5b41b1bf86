// Trailing empty records: holds back records without a value in any field, which do not count at the end of a file.
// Spreadsheets write such lines for rows that were once touched. Knows nothing of what the inner scanner reads.
import type { BorrowedBytes } from '../../core/borrowed-bytes.ts'
import { isExcluded } from '../../core/reject-reasons.ts'
import { codeUnitBytes } from '../encoding/detect-encoding.ts'
import { joined } from './header-gap.ts'
import {
  type CreateScanner,
  type FileScanOptions,
  nothingScanned,
  type ScannedReject,
  type Scanner,
  type ScanResult,
} from './scanner.ts'

/** A longer run of them is data, and passed on. */
export const emptyRecordsMax = 100_000

/** Maximum number of rejects held between empty records: more of them end a run. */
const heldRejectsMax = 100_000

/** Held records are returned in pieces of about this size. Bytes. */
const pieceBytes = 65_536

const [lf, cr] = [10, 13]

/** Makes scanners count the empty records at the end of a file as blank, if their delimiter is one byte. */
export function withTrailingEmpty(create: CreateScanner): CreateScanner {
  return (options) => {
    const hasByteDelimiter = options.width > 1 && options.delimiter < 0x80
    return hasByteDelimiter ? new TrailingEmptyScanner(create(options), options) : create(options)
  }
}

/** A reject among held records. */
interface HeldReject {
  readonly reject: ScannedReject
  /** Number of held records before it. */
  readonly before: number
}

/**
 * Counts empty records followed by no other readable record as blank, at most `emptyRecordsMax`. If rejects are marked,
 * those among empty records are held with them, so that each mark keeps its position among the records. Neither marking
 * nor excluding affects what counts as blank; records are only excluded where rejects are marked. Of held records, only
 * their number is stored.
 */
class TrailingEmptyScanner implements Scanner {
  readonly #scanner: Scanner
  readonly #options: RunOptions
  /** Bytes of an empty record, including its line end; all held ones are identical. */
  #line: Uint8Array = new Uint8Array(0)
  #heldCount = 0
  /** Bytes of the held records, in UTF-8. */
  #heldBytes = 0
  #heldRejects: HeldReject[] = []
  /** True in a run that is too long to be held, until the next other record. */
  #isPassing = false

  constructor(scanner: Scanner, options: RunOptions) {
    this.#scanner = scanner
    this.#options = options
  }

  exclude(ordinals: readonly number[]): void {
    this.#scanner.exclude(ordinals)
  }

  push(chunk: BorrowedBytes): ScanResult {
    const passed = this.#hold(this.#scanner.push(chunk))
    return this.#heldCount === 0 ? passed : { ...passed, held: this.#heldCount }
  }

  end(): ScanResult {
    const last = this.#hold(this.#scanner.end())
    if (this.#heldCount === 0) return last
    const emptyAtEndBytes = this.#originalBytes(last)
    const { rejects, accepted: emptyAtEnd } = this.#release(last)
    const here = rejects.map((reject) => markedAt(reject, last.pieces.length))
    return { ...last, emptyAtEnd, emptyAtEndBytes, rejects: [...last.rejects, ...here] }
  }

  /** Bytes of the held records in the original: delimiters and line ends, which are one code unit each. */
  #originalBytes({ addedBytes = 0 }: ScanResult): number {
    const { encoding, unusualLineEnd } = this.#options
    const ends = this.#heldCount - (addedBytes > 0 ? 1 : 0)
    const units = this.#heldBytes - addedBytes + (unusualLineEnd === '\r\r\n' ? ends : 0)
    return units * codeUnitBytes(encoding)
  }

  #hold(scanned: ScanResult): ScanResult {
    const excluded = scanned.rejects.findLastIndex(isExcluded)
    const afterExcluded = scanned.rejects[excluded]?.mark?.pieces ?? 0
    const run = runAtEnd(scanned.pieces.slice(afterExcluded), this.#options)
    // An excluded record ends a run as an accepted one does.
    const isAll = run.count === scanned.accepted && excluded < 0
    if (!isAll) this.#isPassing = false
    // A scanner that started after these would hold what follows.
    if (this.#isPassing) return { ...scanned, isVerbatim: false }
    if (run.count === 0 && this.#heldCount === 0) return scanned
    const before = isAll ? null : this.#release(scanned)
    const passed = this.#keep(scanned, run)
    const isTooLong = this.#heldCount > emptyRecordsMax || this.#heldRejects.length > heldRejectsMax
    if (!isTooLong) return before === null ? passed : joined([before, passed])
    this.#isPassing = true
    const all = this.#release(scanned)
    return joined(before === null ? [passed, all] : [before, passed, all])
  }

  /** Holds the run at the end of `scanned`, and the rejects that follow held records. @returns The rest. */
  #keep(scanned: ScanResult, run: Run): ScanResult {
    if (run.line.length > 0) this.#line = run.line
    const pieces = withoutEnd(scanned.pieces, run.bytes)
    // If the run begins within a piece, part of the piece is passed on.
    const wholeCount =
      pieces.at(-1)?.length === scanned.pieces[pieces.length - 1]?.length ? pieces.length : pieces.length - 1
    const isKept = ({ mark }: ScannedReject) => !mark || (this.#heldCount === 0 && mark.pieces <= wholeCount)
    const rejects = scanned.rejects.filter(isKept)
    const heldBefore = this.#heldCount
    let counted = wholeCount
    for (const reject of scanned.rejects.slice(rejects.length)) {
      const to = reject.mark?.pieces ?? 0
      this.#heldCount += runAtEnd(scanned.pieces.slice(counted, to), this.#options).count
      counted = Math.max(counted, to)
      this.#heldRejects.push({ reject, before: this.#heldCount })
    }
    this.#heldCount = heldBefore + run.count
    this.#heldBytes += run.bytes
    const accepted = scanned.accepted - run.count
    return { ...scanned, pieces, accepted, rejects, isVerbatim: false }
  }

  /** Returns everything held; nothing is held afterwards. @param at Where it is inserted. */
  #release(at: ScanResult): ScanResult {
    const pieces: Uint8Array[] = []
    let given = 0
    const rejects = this.#heldRejects.map(({ before, reject }) => {
      pieces.push(...this.#empty(before - given))
      given = before
      return markedAt(reject, pieces.length)
    })
    pieces.push(...this.#empty(this.#heldCount - given))
    const accepted = this.#heldCount
    this.#heldCount = 0
    this.#heldBytes = 0
    this.#heldRejects = []
    return { ...nothingScanned(at), pieces, accepted, rejects }
  }

  /** This many empty records. */
  #empty(count: number): Uint8Array[] {
    if (count === 0) return []
    const perPiece = Math.min(count, Math.ceil(pieceBytes / this.#line.length))
    const piece = Buffer.alloc(perPiece * this.#line.length, this.#line)
    const whole = Array.from({ length: Math.floor(count / perPiece) }, () => piece)
    const rest = piece.subarray(0, (count % perPiece) * this.#line.length)
    return rest.length === 0 ? whole : [...whole, rest]
  }
}

function markedAt({ mark, ...reject }: ScannedReject, pieces: number): ScannedReject {
  return mark === undefined ? reject : { ...reject, mark: { ...mark, pieces } }
}

/** Empty records at the end of pieces. */
interface Run {
  readonly count: number
  readonly bytes: number
  /** The first of them, with its line end; empty if there is none. */
  readonly line: Uint8Array
}

const noRun: Run = { count: 0, bytes: 0, line: new Uint8Array(0) }

type RunOptions = Pick<
  FileScanOptions,
  'delimiter' | 'lineEnd' | 'escape' | 'isEscapeDeclared' | 'encoding' | 'unusualLineEnd'
>

/** The run at the end of `pieces`, which end with a record. An escaped line end ends none. */
function runAtEnd(pieces: readonly Uint8Array[], options: RunOptions): Run {
  const { delimiter, lineEnd } = options
  const end = lineEnd === 'cr' ? cr : lf
  const escapeByte = options.isEscapeDeclared ? options.escape : null
  if (endsWithValue(pieces.at(-1), delimiter, end)) return noRun
  let [count, bytes] = [0, 0]
  /** Counts for the record being read, from its end. */
  let [recordBytes, delimiters] = [0, 0]
  let [lineBytes, lineDelimiters] = [0, 0]
  let escapes = 0
  /** The run without the record found last, whose beginning is text if the line end above it is escaped. */
  let shorter = noRun
  const endRecord = () => {
    if (recordBytes === 0) return
    shorter = run()
    count++
    bytes += recordBytes
    lineBytes = recordBytes
    lineDelimiters = delimiters
    recordBytes = 0
    delimiters = 0
  }
  const run = (): Run => {
    const line = Buffer.alloc(lineBytes, delimiter)
    if (lineBytes > 0) line[lineBytes - 1] = end
    if (lineBytes > lineDelimiters + 1) line[lineBytes - 2] = cr
    return { count, bytes, line }
  }
  for (const piece of pieces.toReversed()) {
    for (let at = piece.length - 1; at >= 0; at--) {
      const byte = piece[at]
      if (byte === escapeByte && delimiters === 0) {
        escapes++
        continue
      }
      if (escapes > 0) return escapes % 2 > 0 ? shorter : run()
      if (byte === delimiter) delimiters++
      else if (byte === end) endRecord()
      // The CR of a CR LF; a lone one is text.
      else if (byte !== cr || recordBytes !== 1) return run()
      recordBytes++
    }
  }
  if (escapes % 2 > 0) return shorter
  if (escapes === 0) endRecord()
  return run()
}

/** True for the usual end of a record: one byte of a value, and the line end. */
function endsWithValue(piece: Uint8Array | undefined, delimiter: number, end: number): boolean {
  if (piece === undefined || piece.length < 2 || piece[piece.length - 1] !== end) return false
  const before = piece[piece.length - 2]
  return before !== delimiter && before !== end && before !== cr
}

/** `pieces` without this many bytes at their end. */
function withoutEnd(pieces: readonly Uint8Array[], bytes: number): readonly Uint8Array[] {
  const kept = [...pieces]
  for (let left = bytes; left > 0; ) {
    const piece = kept.pop()
    if (piece === undefined) break
    if (piece.length > left) kept.push(piece.subarray(0, piece.length - left))
    left -= piece.length
  }
  return kept
}
