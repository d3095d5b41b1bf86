// Long line: skips a line that is too long to be held, and measures it. Looks at one byte at a time.
import type { ScanOptions } from './scanner.ts'

const CR = 13
const LF = 10

export interface LongLine {
  readonly kind: 'rejected' | 'skipped'
  readonly isEnded: boolean
  /** Consumes bytes of the line and returns their number: fewer than given if the line ended. */
  pass(bytes: Uint8Array): number
  /** Bytes of the line as in the file, and without its line end; and its line ends, those that are text included. */
  end(): { readonly byteLength: number; readonly contentLength: number; readonly lines: number }
}

/** Starts a line, none of whose bytes have been passed yet. */
export function createLongLine(
  kind: LongLine['kind'],
  { lineEnd, escape: mark, isEscapeDeclared }: Pick<ScanOptions, 'lineEnd' | 'escape' | 'isEscapeDeclared'>,
): LongLine {
  const endByte = lineEnd === 'cr' ? CR : LF
  const escapeByte = isEscapeDeclared && typeof mark === 'number' ? mark : null
  let byteLength = 0
  let isEnded = false
  let endsWithCr = false
  /** Line ends that are text, and whether the last byte is one, or an escape before it is not escaped itself. */
  let textEnds = 0
  let endsWithText = false
  let textHasCr = false
  let isEscaped = false
  /** Where the line ends in `bytes`, if line-end bytes may be text; -1 if it does not. */
  const endIn = (bytes: Uint8Array): number => {
    for (const [at, byte] of bytes.entries()) {
      const isEnd = byte === endByte
      if (isEnd && !isEscaped && (lineEnd !== 'crlf' || endsWithCr)) return at
      if (isEnd) {
        textEnds++
        textHasCr = endsWithCr
      }
      endsWithText = isEnd
      // An escaped CR escapes nothing but an LF.
      if (byte === escapeByte) isEscaped = endsWithCr || !isEscaped
      // A CR LF is escaped as one.
      else isEscaped = isEscaped && byte === CR && endByte === LF && !endsWithCr
      endsWithCr = byte === CR && !isEnd
    }
    return -1
  }
  return {
    kind,
    get isEnded() {
      return isEnded
    },
    pass(bytes) {
      const isPlain = lineEnd !== 'crlf' && escapeByte === null
      const found = isPlain ? bytes.indexOf(endByte) : endIn(bytes)
      isEnded = found >= 0
      const contentCount = isEnded ? found : bytes.length
      if (isPlain && contentCount > 0) endsWithCr = bytes[contentCount - 1] === CR
      byteLength += contentCount + (isEnded ? 1 : 0)
      return contentCount + (isEnded ? 1 : 0)
    },
    end() {
      // If the file ends within the line, a CR there is the beginning of a line end, and a line end there is no text.
      const isTextLast = !isEnded && endsWithText
      const hasCr = endByte === LF && (isTextLast ? textHasCr : endsWithCr)
      const contentLength = byteLength - (isEnded || isTextLast ? 1 : 0) - (hasCr ? 1 : 0)
      return { byteLength, contentLength, lines: textEnds + (isTextLast ? 0 : 1) }
    },
  }
}
