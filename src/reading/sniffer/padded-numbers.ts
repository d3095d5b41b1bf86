// Padded numbers: recognizes blanks after a delimiter that align numbers to the right. Knows a text and one delimiter.
import { kindOf } from './value-kind.ts'

/**
 * True if blanks follow the delimiter on most lines below the first and precede only numbers there, or stand for one that
 * is missing. A blank before a text, even a single one, may belong to it, and a number with one after it, too, is rather
 * a value with blanks. Lines that end with CR do not count.
 */
export function padsNumbers(text: string, delimiter: string): boolean {
  const padded = `${delimiter} `
  let linesPadded = 0
  let lines = 0
  let at = text.indexOf(padded, lineEndAt(text, 0))
  for (let start = lineEndAt(text, 0) + 1; start < text.length; ) {
    const end = lineEndAt(text, start)
    let isPadded = false
    for (; at >= 0 && at < end; at = text.indexOf(padded, at + 1)) {
      const next = text.indexOf(delimiter, at + 1)
      const valueEnd = next < 0 ? end : Math.min(next, end)
      // The last value may be cut off.
      if (valueEnd === text.length) break
      const value = text.slice(at + 1, valueEnd)
      const kind = kindOf(value)
      if (kind === 'number' && !value.endsWith(' ')) isPadded = true
      else if (kind !== 'empty' && kind !== 'null') return false
    }
    lines += 1
    if (isPadded) linesPadded += 1
    start = end + 1
  }
  return linesPadded * 2 > lines
}

function lineEndAt(text: string, from: number): number {
  const found = text.indexOf('\n', from)
  return found < 0 ? text.length : found
}
