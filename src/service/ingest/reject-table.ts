// Reject table: rejects as rows, so that they are stored, paged and exported like other records.
import type { SegmentLayout, TargetColumn } from '../../columns/converter.ts'
import type { Reject } from '../../core/receipt.ts'
import { isExcluded, type RejectReason, rejectTable } from '../../core/reject-reasons.ts'
import type { ScannedReject } from '../../reading/scanner/scanner.ts'
import { shownReject } from '../../reading/scanner/shown-reject.ts'

const shownNames = ['record', 'line', 'byteOffset', 'byteLength', 'column', 'reason', 'message'] as const
/**
 * The number of a rejected record that is readable, among all readable ones; null for others. Reading again needs it.
 */
export const ordinalName = 'ordinal'
const names = [...shownNames, ordinalName] as const

/** How to read the text of `RejectLines`. */
export const rejectLayout: SegmentLayout = {
  width: names.length,
  delimiter: ',',
  quote: '"',
  lineTerminator: '\n',
}

export const rejectColumns: readonly TargetColumn[] = names.map((name) => ({
  name,
  type: { kind: name === 'reason' || name === 'message' ? 'text' : 'integer' },
  nullWords: [],
}))

/** The columns of a reject as it is shown. */
export const rejectColumnNames: readonly string[] = shownNames

/** A larger buffer is not kept for the next lines. */
const keptBytesMax = 1_048_576
const [comma, zero] = [44, 48]
const maxInt32 = 2 ** 31 - 1

/** All that a line has besides words. */
const numbersBytesMax = 7 * 17

/**
 * One line per reject, in the columns above, written directly as bytes: a file of broken records has one for every 80
 * bytes, and as strings they took three times as long, mostly garbage collection.
 */
export class RejectLines {
  #bytes = Buffer.alloc(0)
  #length = 0
  /** The words around the number in the message of each reason. */
  readonly #words = new Map<
    RejectReason,
    { readonly wanted: number; readonly before: Buffer; readonly after: Buffer }
  >()

  /** Valid until the next call. */
  of(rejects: readonly ScannedReject[]): Uint8Array {
    this.#length = 0
    if (this.#bytes.length > keptBytesMax) this.#bytes = Buffer.alloc(0)
    for (const reject of rejects) {
      // With the number 1, texts have the singular.
      if (isExcluded(reject) || reject.detail === 1) this.#addText(reject)
      else this.#addNumbers(reject)
    }
    return this.#bytes.subarray(0, this.#length)
  }

  #addNumbers({ record, line, byteOffset, byteLength, column, reason, detail, wanted }: ScannedReject): void {
    const { before, after } = this.#wordsOf(reason, wanted)
    this.#reserve(numbersBytesMax + before.length + after.length)
    this.#addCell(record)
    this.#addCell(line)
    this.#addCell(byteOffset)
    this.#addCell(byteLength)
    this.#addCell(column)
    this.#bytes.set(before, this.#length)
    this.#length += before.length
    this.#addNumber(detail)
    this.#bytes.set(after, this.#length)
    this.#length += after.length
  }

  #addCell(number: number | null): void {
    if (number !== null) this.#addNumber(number)
    this.#bytes[this.#length++] = comma
  }

  /** Digits from the last to the first; those beyond 32 bits are slower. */
  #addNumber(number: number): void {
    const bytes = this.#bytes
    let width = 1
    for (let power = 10; number >= power; power *= 10) width++
    this.#length += width
    let at = this.#length
    let rest = number
    for (; rest > maxInt32; rest = Math.floor(rest / 10)) bytes[--at] = zero + (rest % 10)
    let short = rest | 0
    do {
      const tenth = (short / 10) | 0
      bytes[--at] = zero + short - tenth * 10
      short = tenth
    } while (short > 0)
  }

  #addText(reject: ScannedReject): void {
    const { record, line, byteOffset, byteLength, column, reason, message } = shownReject(reject)
    const ordinal = isExcluded(reject) ? reject.detail : ''
    const numbers = `${record},${line},${byteOffset},${byteLength},${column ?? ''}`
    const text = `${numbers},${reason},"${quotable(message)}",${ordinal}\n`
    this.#reserve(3 * text.length)
    this.#length += this.#bytes.write(text, this.#length)
  }

  #wordsOf(reason: RejectReason, wanted: number) {
    const known = this.#words.get(reason)
    if (known?.wanted === wanted) return known
    // No other number in a message is as large as this one.
    const stand = Number.MAX_SAFE_INTEGER
    const [before = '', after = ''] = quotable(rejectTable[reason].message(stand, wanted)).split(String(stand))
    const words = { wanted, before: Buffer.from(`${reason},"${before}`), after: Buffer.from(`${after}",\n`) }
    this.#words.set(reason, words)
    return words
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return
    const roomy = Buffer.allocUnsafeSlow(Math.max(2 * this.#bytes.length, this.#length + bytes))
    roomy.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = roomy
  }
}

function quotable(text: string): string {
  return text.replaceAll('"', '""')
}

/** A row of the kept table as a reject. Numbers may come as text, because they are 64 bits wide. */
export function rejectOfRow(row: readonly unknown[]): Reject {
  const [record, line, byteOffset, byteLength, column, reason, message] = row
  return {
    record: Number(record),
    line: Number(line),
    byteOffset: Number(byteOffset),
    byteLength: Number(byteLength),
    column: column === null ? null : Number(column),
    // Only rejectLines writes this table, from a Reject.
    reason: reason as RejectReason,
    message: String(message),
  }
}
