// Escape formulas: keeps spreadsheet programs from reading a CSV cell as a formula. Knows only RFC 4180.
import { carriageReturn, lineFeed, quote } from './field-walker.ts'

/**
 * What makes spreadsheet programs read a cell as a formula: OWASP, CSV Injection. Full-width forms are matched in
 * UTF-8.
 */
const starts = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'].map((text) => Buffer.from(text))
/** By byte. */
const isStartByte = Uint8Array.from({ length: 256 }, (_, byte) => Number(starts.some(([first]) => first === byte)))

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
  const delimiterByte = delimiter.charCodeAt(0)
  // A lone CR ends a line for spreadsheet programs, so a cell begins after it.
  const endsCell = Uint8Array.from({ length: 256 }, (_, byte) =>
    Number([delimiterByte, carriageReturn, lineFeed].includes(byte)),
  )
  // Not with a FieldWalker, which takes three times as long: 0.30 instead of 0.11 s for 87 MB (2026-11-28).
  return (records) => {
    const pieces: Uint8Array[] = []
    let done = 0
    let column = 0
    for (let at = 0; at < records.length; ) {
      const isQuoted = records[at] === quote
      const start = isQuoted ? at + 1 : at
      let end = start
      if (isQuoted) end = quotedEnd(records, start)
      else while (end < records.length && endsCell[records[end] as number] === 0) end++
      const isSuspect = isStartByte[records[start] as number] === 1
      if (isSuspect && isDangerous(records, start, end, isTyped[column] === true)) {
        pieces.push(records.subarray(done, start), isQuoted ? apostrophe : openedByApostrophe)
        if (!isQuoted) pieces.push(records.subarray(start, end), closing)
        done = isQuoted ? start : end
      }
      at = isQuoted ? end + 1 : end
      const isLast = records[at] !== delimiterByte
      column = isLast ? 0 : column + 1
      if (!isLast || records[at] === carriageReturn) at++
      if (isLast && records[at] === lineFeed) at++
    }
    pieces.push(records.subarray(done))
    return pieces
  }
}

function quotedEnd(records: Uint8Array, start: number): number {
  for (let i = start; i < records.length; i++) {
    if (records[i] !== quote) continue
    if (records[i + 1] !== quote) return i
    i++
  }
  return records.length
}

function isDangerous(records: Uint8Array, start: number, end: number, isTyped: boolean): boolean {
  const isStart = (text: Uint8Array) =>
    text.every((byte, i) => records[start + i] === byte) && start + text.length <= end
  if (!starts.some(isStart)) return false
  if (end - start > cellBytesMax) return true
  const cell = Buffer.from(records.subarray(start, end)).toString()
  return !numberPattern.test(cell) && !(isTyped && typedPattern.test(cell))
}
