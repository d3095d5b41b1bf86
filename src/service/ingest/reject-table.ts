// Reject table: rejects as rows, so that they are kept, paged and exported like any other records.
import type { SegmentLayout, TargetColumn } from '../../convert/convert.ts'
import type { Reject, RejectReason } from '../../core/receipt.ts'
import type { ScannedReject } from '../../reading/scanner/scanner.ts'
import { rejectMessage, shownReject } from '../../reading/scanner/shown-reject.ts'

const shownNames = ['record', 'line', 'byteOffset', 'byteLength', 'column', 'reason', 'message'] as const
/** The number of a readable record that is rejected, among all readable ones: null for others. Reading again needs it. */
export const ordinalName = 'ordinal'
const names = [...shownNames, ordinalName] as const

/** How the text of `RejectLines` is to be read. */
export const rejectLayout: SegmentLayout = {
  width: names.length,
  delimiter: ',',
  quote: '"',
  escape: null,
  lineTerminator: '\n',
}

export const rejectColumns: readonly TargetColumn[] = names.map((name) => ({
  name,
  type: { kind: name === 'reason' || name === 'message' ? 'text' : 'integer' },
  nullWords: [],
}))

/** Those of a reject as it is shown. */
export const rejectColumnNames: readonly string[] = shownNames

/** What a line has around the number in its message, which is alike for all rejects of a reason. */
interface LineWords {
  readonly wanted: number
  readonly before: Uint8Array
  readonly after: Uint8Array
}

/** Of numbers and words of a line without its message, which has no more than three bytes a character. */
const lineBytesMax = 256
/** Larger memory is not kept for the next lines. */
const keptBytesMax = 1_048_576
const [comma, zero, lineFeed] = [0x2c, 0x30, 0x0a]

/**
 * One line a reject, in the columns above, as bytes at once: a file of broken records has one for each 80 bytes, and as
 * strings they took longer than everything else done for it, most of it collecting garbage.
 */
export class RejectLines {
  #bytes = Buffer.alloc(0)
  #length = 0
  readonly #words = new Map<RejectReason, LineWords>()

  /** Valid until the next call. */
  of(rejects: readonly ScannedReject[]): Uint8Array {
    this.#length = 0
    if (this.#bytes.length > keptBytesMax) this.#bytes = Buffer.alloc(0)
    for (const reject of rejects) this.#add(reject)
    return this.#bytes.subarray(0, this.#length)
  }

  #add(reject: ScannedReject): void {
    this.#reserve(lineBytesMax)
    this.#number(reject.record)
    this.#byte(comma)
    this.#number(reject.line)
    this.#byte(comma)
    this.#number(reject.byteOffset)
    this.#byte(comma)
    this.#number(reject.byteLength)
    this.#byte(comma)
    if (reject.column !== null) this.#number(reject.column)
    this.#byte(comma)
    // One is the number that words agree with.
    if (reject.reason === 'constraint' || reject.detail === 1) this.#addText(reject)
    else this.#addWords(reject)
    this.#byte(lineFeed)
  }

  #addWords({ reason, detail, wanted }: ScannedReject): void {
    const { before, after } = this.#wordsOf(reason, wanted)
    this.#bytes.set(before, this.#length)
    this.#length += before.length
    this.#number(detail)
    this.#bytes.set(after, this.#length)
    this.#length += after.length
  }

  #addText(reject: ScannedReject): void {
    const { reason, message } = shownReject(reject)
    const ordinal = reason === 'constraint' ? reject.detail : ''
    const text = `${reason},"${quotable(message)}",${ordinal}`
    this.#reserve(lineBytesMax + 3 * text.length)
    this.#length += this.#bytes.write(text, this.#length)
  }

  #wordsOf(reason: RejectReason, wanted: number): LineWords {
    const known = this.#words.get(reason)
    if (known?.wanted === wanted) return known
    // No other number of a message is as large as this one.
    const stand = Number.MAX_SAFE_INTEGER
    const [before = '', after = ''] = quotable(rejectMessage(reason, stand, wanted)).split(String(stand))
    const words = { wanted, before: Buffer.from(`${reason},"${before}`), after: Buffer.from(`${after}",`) }
    this.#words.set(reason, words)
    return words
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return
    const roomy = Buffer.allocUnsafeSlow(Math.max(2 * this.#bytes.length, this.#length + bytes))
    roomy.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = roomy
  }

  #byte(byte: number): void {
    this.#bytes[this.#length++] = byte
  }

  /** Decimal digits of a whole number, at least 0. */
  #number(value: number): void {
    if (value > 0x7fff_ffff) {
      this.#length += this.#bytes.write(String(value), this.#length, 'latin1')
      return
    }
    const bytes = this.#bytes
    let end = this.#length + 1
    for (let bound = 10; bound <= value; bound *= 10) end++
    this.#length = end
    let rest = value | 0
    do {
      const tenth = (rest / 10) | 0
      bytes[--end] = zero + rest - 10 * tenth
      rest = tenth
    } while (rest > 0)
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
