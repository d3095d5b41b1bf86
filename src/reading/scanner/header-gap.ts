// Header gap: scans a file with records above its header. These are scanned too, and the header is skipped.
import type { BorrowedBytes } from '../../core/borrowed-bytes.ts'
import type { HeaderGap } from '../../core/receipt.ts'
import { isExcluded } from '../../core/reject-reasons.ts'
import { type CreateScanner, type FileScanOptions, ignoredCount, type Scanner, type ScanResult } from './scanner.ts'

/** Scans the records above the header as a file of their own, then those below. */
export class GapScanner implements Scanner {
  readonly #create: CreateScanner
  readonly #options: FileScanOptions
  readonly #gap: HeaderGap
  readonly #above: Scanner
  #below: Scanner | null = null
  /** Offset in the original of the next byte pushed. */
  #at: number
  #records: number
  /** Readable records above the header. */
  #readable = 0
  /** Ordinals received so far that may refer to records below. */
  #exclusions: readonly number[] = []

  constructor(create: CreateScanner, { gap: _, ...options }: FileScanOptions, gap: HeaderGap) {
    this.#create = create
    this.#options = options
    this.#gap = gap
    this.#above = create(options)
    this.#at = options.start.byteOffset
    this.#records = options.start.records
  }

  exclude(ordinals: readonly number[]): void {
    if (this.#below !== null) {
      this.#below.exclude(ordinals.map((ordinal) => ordinal - this.#readable))
      return
    }
    this.#above.exclude(ordinals)
    this.#exclusions = [...this.#exclusions, ...ordinals]
  }

  push(chunk: BorrowedBytes): ScanResult {
    const from = this.#at
    this.#at += chunk.length
    if (this.#below !== null) return this.#raised(this.#below.push(chunk))
    const { byteOffset, byteLength } = this.#gap
    const scanned = [this.#take(this.#above.push(part(chunk, 0, byteOffset - from)))]
    if (this.#at < byteOffset + byteLength) return joined(scanned)
    const last = this.#take(this.#above.end())
    this.#below = this.#create({ ...this.#options, start: this.#startBelow(last) })
    this.#below.exclude(
      this.#exclusions.filter((ordinal) => ordinal > this.#readable).map((ordinal) => ordinal - this.#readable),
    )
    const rest = this.#raised(this.#below.push(part(chunk, byteOffset + byteLength - from, chunk.length)))
    return joined([...scanned, last, rest])
  }

  end(): ScanResult {
    return this.#below === null ? this.#take(this.#above.end()) : this.#raised(this.#below.end())
  }

  #startBelow({ lines }: ScanResult): FileScanOptions['start'] {
    const { byteOffset, byteLength, records, lines: gapLines } = this.#gap
    return { byteOffset: byteOffset + byteLength, records: this.#records + records, lines: lines + gapLines }
  }

  /** Counts records above the header; their bytes are copied, because they are valid only until the next call. */
  #take(scanned: ScanResult): ScanResult {
    const excluded = scanned.rejects.filter(isExcluded).length
    this.#readable += scanned.accepted + excluded
    this.#records += scanned.accepted + ignoredCount(scanned) + scanned.rejects.length
    return { ...scanned, pieces: scanned.pieces.map((piece) => Uint8Array.from(piece)) }
  }

  /** Excluded records are numbered over the whole file. */
  #raised(scanned: ScanResult): ScanResult {
    const raise = <Place extends { readonly readable: number }>(one: Place) => {
      return { ...one, readable: one.readable + this.#readable }
    }
    const rejects = scanned.rejects.map(({ mark, ...reject }) => ({
      ...reject,
      ...(isExcluded(reject) && { detail: reject.detail + this.#readable }),
      ...(mark && { mark: raise(mark) }),
    }))
    return { ...scanned, rejects, ignored: scanned.ignored.map(raise) }
  }
}

function part(chunk: BorrowedBytes, from: number, to: number): BorrowedBytes {
  const at = (place: number) => Math.max(0, Math.min(chunk.length, place))
  return chunk.subarray(at(from), at(to))
}

/** Joins the results of several calls. */
export function joined(parts: readonly ScanResult[]): ScanResult {
  const last = parts.at(-1)
  let before = 0
  return {
    pieces: parts.flatMap(({ pieces }) => pieces),
    isVerbatim: parts.length === 1 && last?.isVerbatim === true,
    accepted: parts.reduce((sum, { accepted }) => sum + accepted, 0),
    repairedLines: parts.flatMap(({ repairedLines }) => repairedLines),
    otherEscapeLines: parts.flatMap(({ otherEscapeLines }) => otherEscapeLines),
    runaways: parts.flatMap(({ runaways }) => runaways),
    ignored: parts.flatMap(({ ignored }) => ignored),
    ...(last?.addedBytes !== undefined && { addedBytes: last.addedBytes }),
    rejects: parts.flatMap(({ pieces, rejects }) => {
      const from = before
      before += pieces.length
      return rejects.map(({ mark, ...reject }) => {
        return { ...reject, ...(mark && { mark: { ...mark, pieces: from + mark.pieces } }) }
      })
    }),
    consumedTo: last?.consumedTo ?? 0,
    lines: last?.lines ?? 0,
  }
}
