// Reject table: rejects as rows, so that they are stored, paged and exported like other records.
import type { SegmentLayout, TargetColumn } from '../../columns/converter.ts'
import type { Reject } from '../../core/receipt.ts'
import { isExcluded, type RejectReason, rejectTable } from '../../core/reject-reasons.ts'
import { RejectNumbers } from '../../reading/reject-numbers.ts'
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

/**
 * One line per reject, in the columns above, written directly as bytes: a file of broken records has one for every 80
 * bytes, and as strings they took longer than everything else done for it, mostly garbage collection.
 */
export class RejectLines {
  #bytes = Buffer.alloc(0)
  #length = 0
  readonly #numbers = new RejectNumbers()
  /** The texts of each reason: their number, and the details that they need. */
  readonly #words = new Map<RejectReason, { readonly number: number; readonly wanted: number }>()

  /** Valid until the next call. */
  of(rejects: readonly ScannedReject[]): Uint8Array {
    this.#length = 0
    if (this.#bytes.length > keptBytesMax) this.#bytes = Buffer.alloc(0)
    for (const reject of rejects) {
      const { record, line, byteOffset, byteLength, column, reason, detail, wanted } = reject
      // With the number 1, texts have the singular.
      if (isExcluded(reject) || detail === 1) this.#addText(reject)
      else {
        const words = this.#wordsOf(reason, wanted)
        this.#numbers.add(record, line, byteOffset, byteLength, column ?? 0, words, detail)
        if (this.#numbers.isFull) this.#addNumbers()
      }
    }
    this.#addNumbers()
    return this.#bytes.subarray(0, this.#length)
  }

  #addNumbers(): void {
    if (!this.#numbers.isEmpty) this.#numbers.write(this.#add)
  }

  readonly #add = (lines: Uint8Array): void => {
    this.#reserve(lines.length)
    this.#bytes.set(lines, this.#length)
    this.#length += lines.length
  }

  #addText(reject: ScannedReject): void {
    this.#addNumbers()
    const { record, line, byteOffset, byteLength, column, reason, message } = shownReject(reject)
    const ordinal = isExcluded(reject) ? reject.detail : ''
    const numbers = `${record},${line},${byteOffset},${byteLength},${column ?? ''}`
    const text = `${numbers},${reason},"${quotable(message)}",${ordinal}\n`
    this.#reserve(3 * text.length)
    this.#length += this.#bytes.write(text, this.#length)
  }

  #wordsOf(reason: RejectReason, wanted: number): number {
    const known = this.#words.get(reason)
    if (known?.wanted === wanted) return known.number
    this.#addNumbers()
    // No other number in a message is as large as this one.
    const stand = Number.MAX_SAFE_INTEGER
    const [before = '', after = ''] = quotable(rejectTable[reason].message(stand, wanted)).split(String(stand))
    const number = known?.number ?? this.#words.size
    this.#numbers.setWords(number, { before: Buffer.from(`${reason},"${before}`), after: Buffer.from(`${after}",\n`) })
    this.#words.set(reason, { number, wanted })
    return number
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
