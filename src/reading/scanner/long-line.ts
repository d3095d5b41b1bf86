// Long line: skips a line that is too long to be held, and measures it. Looks at one byte at a time.

const CR = 13
const LF = 10

export interface LongLine {
  readonly kind: 'rejected' | 'skipped'
  readonly isEnded: boolean
  /** Consumes bytes of the line and returns their number: fewer than given if the line ended. */
  pass(bytes: Uint8Array): number
  /** Bytes of the line as in the file, and without its line end. */
  end(): { readonly byteLength: number; readonly contentLength: number }
}

/** Starts a line, none of whose bytes have been passed yet. */
export function createLongLine(kind: LongLine['kind'], lineEnd: number): LongLine {
  let byteLength = 0
  let isEnded = false
  let endsWithCr = false
  return {
    kind,
    get isEnded() {
      return isEnded
    },
    pass(bytes) {
      const found = bytes.indexOf(lineEnd)
      isEnded = found >= 0
      const contentCount = isEnded ? found : bytes.length
      if (contentCount > 0) endsWithCr = bytes[contentCount - 1] === CR
      byteLength += contentCount + (isEnded ? 1 : 0)
      return contentCount + (isEnded ? 1 : 0)
    },
    end() {
      // If the file ends within the line, a CR there is the beginning of a line end.
      const lineEndLength = (isEnded ? 1 : 0) + (lineEnd === LF && endsWithCr ? 1 : 0)
      return { byteLength, contentLength: byteLength - lineEndLength }
    },
  }
}
