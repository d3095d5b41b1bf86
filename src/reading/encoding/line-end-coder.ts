// Line-end coder: replaces CR CR LF or LF CR by the CR LF that the scanner accepts. Knows nothing of records.
import type { Dialect } from '../../core/receipt.ts'
import { type Block, Coder, LastPlace } from './coder.ts'

/** Line ends that are read as CR LF. */
export type UnusualLineEnd = Extract<Dialect['lineTerminator'], '\r\r\n' | '\n\r'>

const LF = 0x0a
const CR = 0x0d

/** Share of the line ends in the head that have to be of one kind for the file to have that kind. */
const shareMin = 0.9

/**
 * CR CR LF if a program wrote CR LF to a file in text mode, which turns each LF into CR LF, perhaps twice; LF CR if lines end that way from
 * the first on. Null for all other texts.
 */
export function unusualLineEnd(text: string): UnusualLineEnd | null {
  if (!text.includes('\r')) return null
  const first = /[\r\n]+/.exec(text)?.[0] ?? ''
  if (/^\r{1,3}\n/.test(first)) return doubledReturns(text) ? '\r\r\n' : null
  if (!first.startsWith('\n\r')) return null
  // The last one may be cut off, by the end of the head or of the file.
  const ends = text.split('\n')
  const swapped = ends.slice(1, -1).filter((line) => line.startsWith('\r')).length
  return swapped >= 1 && swapped >= (ends.length - 2) * shareMin ? '\n\r' : null
}

/** True if records end with CR CR LF, or CR CR CR LF: line ends inside quotes have one CR less, since they were written as LF alone. */
function doubledReturns(text: string): boolean {
  if (!text.includes('\r\r\n')) return false
  let count = 0
  let all = 0
  let outside = 0
  let isQuoted = false
  for (const [mark] of text.matchAll(/"|\r*\n/g)) {
    if (mark === '"') isQuoted = !isQuoted
    else {
      const isDoubled = mark.length === 3 || mark.length === 4
      all += 1
      if (isDoubled) count += 1
      if (!isQuoted) outside += 1
    }
  }
  return count > 0 && count >= Math.min(all, outside) * shareMin
}

/** The text with CR LF for each such line end. */
export function withUsualLineEnds(text: string, lineEnd: UnusualLineEnd): string {
  return text.replaceAll(lineEnd === '\n\r' ? lineEnd : /\r{2,3}\n/g, '\r\n')
}

/** Replaces each such line end by CR LF, anywhere. */
export class LineEndCoder extends Coder {
  readonly #isDoubled: boolean
  readonly #last = new LastPlace()

  constructor(lineEnd: UnusualLineEnd) {
    super()
    this.#isDoubled = lineEnd === '\r\r\n'
  }

  /** Before a line end that may continue in the next piece. */
  protected cut(bytes: Uint8Array): number {
    let end = bytes.length
    if (!this.#isDoubled) return bytes[end - 1] === LF ? end - 1 : end
    while (bytes.length - end < 3 && bytes[end - 1] === CR) end -= 1
    return end
  }

  originalOffset(block: Block, utf8Offset: number): number {
    const last = this.#last
    last.from(block, utf8Offset)
    while (last.utf8 < utf8Offset) {
      const length = this.#lineEndLength(block.original, last.original)
      last.original += length || 1
      last.utf8 += length > 0 ? 2 : 1
    }
    if (last.utf8 === utf8Offset) return last.original
    // The LF of a line end maps to its last byte.
    last.forget()
    return last.original - 1
  }

  protected toUtf8(original: Uint8Array): Uint8Array {
    const utf8 = new Uint8Array(original.length)
    let length = 0
    for (let at = 0; at < original.length; ) {
      const lineEndLength = this.#lineEndLength(original, at)
      if (lineEndLength > 0) {
        utf8[length++] = CR
        utf8[length++] = LF
        at += lineEndLength
      } else {
        utf8[length++] = original[at] as number
        at += 1
      }
    }
    return utf8.subarray(0, length)
  }

  /** Length of the line end of that kind that begins at `at`: with two CRs or, written twice so, three; 0 for none. */
  #lineEndLength(bytes: Uint8Array, at: number): number {
    if (!this.#isDoubled) return bytes[at] === LF && bytes[at + 1] === CR ? 2 : 0
    if (bytes[at] !== CR || bytes[at + 1] !== CR) return 0
    if (bytes[at + 2] === LF) return 3
    return bytes[at + 2] === CR && bytes[at + 3] === LF ? 4 : 0
  }
}
