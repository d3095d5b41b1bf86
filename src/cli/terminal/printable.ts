// Printable: makes text from servers and files safe for a terminal: it can neither move the cursor nor change the title.

/** C0 and C1 control characters, DEL, and characters that are invisible or change the direction of text. */
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu
const unsafeButLines = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu
const named: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** The text on one line, with unsafe characters as `\n`, `\x1b` or `\u{202e}`. */
export function printable(text: string): string {
  return text.replaceAll(unsafe, escaped)
}

/** The same, with line ends and tabs left as they are. */
export function printableLines(text: string): string {
  return text.replaceAll(unsafeButLines, escaped)
}

function escaped(letter: string): string {
  const code = letter.codePointAt(0)!
  return named[letter] ?? (code < 256 ? `\\x${hex(code, 2)}` : `\\u{${hex(code, 4)}}`)
}

/** A value as JSON on one line, with unsafe characters escaped; it parses to the same value. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replaceAll(unsafe, (letter) =>
    Array.from({ length: letter.length }, (_, i) => `\\u${hex(letter.charCodeAt(i), 4)}`).join(''),
  )
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0')
}

const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u

/** Approximate width of printable text in terminal columns: East Asian letters and emoji take two. */
export function textWidth(text: string): number {
  let width = 0
  for (const letter of text) width += /\p{Mn}/u.test(letter) ? 0 : wide.test(letter) ? 2 : 1
  return width
}

/** The text, cut with an ellipsis to fit the width. */
export function fitted(text: string, width: number): string {
  if (textWidth(text) <= width) return text
  let kept = ''
  let taken = 1
  for (const letter of text) {
    taken += textWidth(letter)
    if (taken > width) break
    kept += letter
  }
  return `${kept}…`
}
