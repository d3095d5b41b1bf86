// Escape formulas: keeps spreadsheet programs from reading a CSV cell as a formula. Knows only RFC 4180.
import { FieldWalker, quote } from './field-walker.ts'

/**
 * What makes spreadsheet programs read a cell as a formula: OWASP, CSV Injection. Full-width forms are matched in
 * UTF-8.
 */
const starts = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'].map((text) => Buffer.from(text))
const startBytes: ReadonlySet<number | undefined> = new Set(starts.map(([first]) => first))

/** A number is not a formula, and with an apostrophe in front it would no longer be a number. */
const numberPattern = /^[-+](?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/
/** For columns of numbers or dates: text that consists only of their characters, which at worst is a subtraction. */
const typedPattern = /^[-+][\d.,'/: TZ+\u00a0\u202f\u2019-]*$/
const cellBytesMax = 400

const openedByApostrophe = Buffer.from(`"'`)
const apostrophe = Buffer.from(`'`)
const closing = Buffer.from('"')

/** Yields whole records with cells that could be formulas escaped; slices of the records where nothing changed. */
export type EscapeFormulas = (records: Uint8Array) => readonly Uint8Array[]

/**
 * Escapes a cell with an apostrophe in front, and quotes it. Plain numbers, such as `-5` and `+3.2e7`, stay as they
 * are, as does everything else.
 *
 * @param isTyped By column: true for numbers, dates and times, whose values stay as they are in every format.
 */
export function createFormulaEscape(delimiter: string, isTyped: readonly boolean[] = []): EscapeFormulas {
  // A lone CR ends a line for spreadsheet programs, so a cell begins after it.
  const layout = { delimiter: Buffer.from(delimiter), quoteByte: quote, escapeByte: -1, lineEnd: 'any' } as const
  const walker = new FieldWalker(layout)
  return (records) => {
    const pieces: Uint8Array[] = []
    let done = 0
    walker.begin(records)
    while (walker.advance()) {
      const { start, end, isQuoted, column } = walker
      if (!isDangerous(records, start, end, isTyped[column] === true)) continue
      pieces.push(records.subarray(done, start), isQuoted ? apostrophe : openedByApostrophe)
      if (!isQuoted) pieces.push(records.subarray(start, end), closing)
      done = isQuoted ? start : end
    }
    pieces.push(records.subarray(done))
    return pieces
  }
}

function isDangerous(records: Uint8Array, start: number, end: number, isTyped: boolean): boolean {
  if (end === start || !startBytes.has(records[start])) return false
  const isStart = (text: Uint8Array) =>
    text.every((byte, i) => records[start + i] === byte) && start + text.length <= end
  if (!starts.some(isStart)) return false
  if (end - start > cellBytesMax) return true
  const cell = Buffer.from(records.subarray(start, end)).toString()
  return !numberPattern.test(cell) && !(isTyped && typedPattern.test(cell))
}
