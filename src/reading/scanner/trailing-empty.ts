// Trailing empty records: holds back records that have no value in any field, for at the end of a file they are none.
// Spreadsheets write such lines for rows that were once touched. Knows nothing of what the scanner inside reads.
import type { BorrowedBytes } from '../../core/borrowed-bytes.ts'
import { joined } from './header-gap.ts'
import type { CreateScanner, FileScanOptions, Scanned, Scanner } from './scanner.ts'

/** A longer run of them is data: it is passed on. */
export const emptyRecordsMax = 100_000

/** Held records are given out in pieces of about this size. Bytes. */
const pieceBytes = 65_536

const [lf, cr] = [10, 13]

/** Has scanners count the empty records at the end of a file as blank, if their delimiter is one byte. */
export function withTrailingEmpty(create: CreateScanner): CreateScanner {
  return (options) => {
    const hasByteDelimiter = options.width > 1 && options.delimiter < 0x80
    if (!hasByteDelimiter) return create(options)
    const Held = options.marksRejects === true ? MarkedTrailingEmptyScanner : TrailingEmptyScanner
    return new Held(create(options), options)
  }
}

/** Counts the empty records that no other accepted record follows as blank, `emptyRecordsMax` at most. */
class TrailingEmptyScanner implements Scanner {
  readonly #scanner: Scanner
  readonly #delimiter: number
  /** Bytes of an empty record, its line end included; of all that are held alike. */
  #line: Uint8Array = new Uint8Array(0)
  #heldCount = 0
  /** True in a run that is too long to be held, up to the next other record. */
  #isPassing = false

  constructor(scanner: Scanner, { delimiter }: Pick<FileScanOptions, 'delimiter'>) {
    this.#scanner = scanner
    this.#delimiter = delimiter
  }

  exclude(ordinals: readonly number[]): void {
    this.#scanner.exclude(ordinals)
  }

  push(chunk: BorrowedBytes): Scanned {
    return this.#hold(this.#scanner.push(chunk))
  }

  end(): Scanned {
    const last = this.#hold(this.#scanner.end())
    const emptyAtEnd = this.#heldCount
    this.#heldCount = 0
    return emptyAtEnd === 0 ? last : { ...last, blank: last.blank + emptyAtEnd, emptyAtEnd }
  }

  #hold(scanned: Scanned): Scanned {
    const run = runAtEnd(scanned.pieces, this.#delimiter)
    const isAll = run.count === scanned.accepted
    if (!isAll) this.#isPassing = false
    if (run.count === 0 && (scanned.accepted === 0 || this.#heldCount === 0)) return scanned
    if (this.#isPassing) return scanned
    const before = isAll ? [] : this.#held()
    const beforeCount = isAll ? 0 : this.#heldCount
    this.#heldCount = run.count + (isAll ? this.#heldCount : 0)
    if (run.line.length > 0) this.#line = run.line
    const pieces = [...before, ...withoutEnd(scanned.pieces, run.bytes)]
    const accepted = scanned.accepted - run.count + beforeCount
    const passed = { ...scanned, pieces, accepted, isVerbatim: false }
    if (this.#heldCount <= emptyRecordsMax) return passed
    this.#isPassing = true
    const all = { ...passed, pieces: [...pieces, ...this.#held()], accepted: accepted + this.#heldCount }
    this.#heldCount = 0
    return all
  }

  /** What is held, as pieces. */
  #held(): Uint8Array[] {
    if (this.#heldCount === 0) return []
    const perPiece = Math.min(this.#heldCount, Math.ceil(pieceBytes / this.#line.length))
    const piece = Buffer.alloc(perPiece * this.#line.length, this.#line)
    const whole = Array.from({ length: Math.floor(this.#heldCount / perPiece) }, () => piece)
    return [...whole, piece.subarray(0, (this.#heldCount % perPiece) * this.#line.length)].filter(
      ({ length }) => length > 0,
    )
  }
}

/** Rejects that are held between empty records, at most: more of them end a run. */
const heldRejectsMax = 100_000

/**
 * The same where rejects are marked: those among empty records are held with them, so that each mark stays where it is among
 * the records. What is counted as blank does not depend on whether rejects are marked.
 */
class MarkedTrailingEmptyScanner implements Scanner {
  readonly #scanner: Scanner
  readonly #delimiter: number
  /** Empty records and the rejects among them; only these are counted in it. */
  #held: Scanned | null = null
  #isPassing = false

  constructor(scanner: Scanner, { delimiter }: Pick<FileScanOptions, 'delimiter'>) {
    this.#scanner = scanner
    this.#delimiter = delimiter
  }

  exclude(ordinals: readonly number[]): void {
    this.#scanner.exclude(ordinals)
  }

  push(chunk: BorrowedBytes): Scanned {
    return this.#hold(this.#scanner.push(chunk))
  }

  end(): Scanned {
    const last = this.#hold(this.#scanner.end())
    const held = this.#held
    if (held === null) return last
    const marks = (held.marks ?? []).map((mark) => ({ ...mark, pieces: 0 }))
    const ended = { ...held, pieces: [], marks, accepted: 0, blank: held.accepted }
    return { ...joined([last, ended]), emptyAtEnd: held.accepted }
  }

  #hold(scanned: Scanned): Scanned {
    const all = this.#held === null ? scanned : joined([this.#held, scanned])
    const run = runAtEnd(all.pieces, this.#delimiter)
    if (run.count < all.accepted) this.#isPassing = false
    const { passed, held } = splitAt(all, run)
    const isTooLong = run.count > emptyRecordsMax || held.rejects.length > heldRejectsMax
    if (run.count === 0 || this.#isPassing || isTooLong) {
      this.#isPassing ||= isTooLong
      this.#held = null
      return all
    }
    // Its bytes are valid until the next call only.
    this.#held = { ...held, pieces: held.pieces.map((piece) => Uint8Array.from(piece)) }
    return passed
  }
}

/** What is before a run of empty records at the end, and that run. */
function splitAt(all: Scanned, run: { readonly count: number; readonly bytes: number }) {
  const before = withoutEnd(all.pieces, run.bytes)
  const last = before.at(-1)
  const isCut = last !== undefined && last.length < (all.pieces[before.length - 1]?.length ?? 0)
  const firstHeld = isCut ? before.length - 1 : before.length
  const pieces = all.pieces.slice(firstHeld).map((piece, i) => (isCut && i === 0 ? piece.subarray(last.length) : piece))
  const marks = all.marks ?? []
  const passedCount = marks.filter((mark) => mark.pieces <= firstHeld).length
  const nothing = { blank: 0, skipped: 0, skippedLines: [], repairedLines: [], otherEscapeLines: [], runaways: [] }
  const passed: Scanned = {
    ...all,
    pieces: before,
    accepted: all.accepted - run.count,
    rejects: all.rejects.slice(0, passedCount),
    marks: marks.slice(0, passedCount),
    isVerbatim: false,
  }
  const held: Scanned = {
    ...nothing,
    pieces,
    accepted: run.count,
    rejects: all.rejects.slice(passedCount),
    marks: marks.slice(passedCount).map((mark) => ({ ...mark, pieces: mark.pieces - firstHeld })),
    isVerbatim: false,
    consumedTo: all.consumedTo,
    lines: all.lines,
  }
  return { passed, held }
}

/** The empty records at the end of `pieces`, which end with a record. */
function runAtEnd(
  pieces: readonly Uint8Array[],
  delimiter: number,
): {
  readonly count: number
  readonly bytes: number
  readonly line: Uint8Array
} {
  let [count, bytes, sinceEnd] = [0, 0, 0]
  let line: number[] = []
  let runLine: number[] = []
  const endRecord = () => {
    if (line.length === 0) return
    count++
    bytes += sinceEnd
    runLine = line
  }
  for (let index = pieces.length - 1; index >= 0; index--) {
    const piece = pieces[index] ?? new Uint8Array(0)
    for (let at = piece.length - 1; at >= 0; at--) {
      const byte = piece[at] ?? 0
      const isEnd = byte === lf || (byte === cr && line[0] !== lf)
      if (isEnd) {
        endRecord()
        line = []
        sinceEnd = 0
      } else if (byte !== delimiter && byte !== cr) return { count, bytes, line: Uint8Array.from(runLine) }
      line.unshift(byte)
      sinceEnd++
    }
  }
  endRecord()
  return { count, bytes, line: Uint8Array.from(runLine) }
}

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
