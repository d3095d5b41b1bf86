// Escape formulas: keeps spreadsheet programs from taking a cell of a CSV for a formula. Knows only RFC 4180 with commas.

const quote = 0x22
const comma = 0x2c
const lineFeed = 0x0a
const carriageReturn = 0x0d

/** What makes spreadsheet programs read a cell as a formula: OWASP, CSV Injection. Full-width forms come in UTF-8. */
const starts = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'].map((text) => Buffer.from(text))
const startBytes: ReadonlySet<number | undefined> = new Set(starts.map(([first]) => first))

/** A number is no formula, and would be none any more with an apostrophe before it. */
const numberPattern = /^[-+](?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/
const numberBytesMax = 400

const openedByApostrophe = Buffer.from(`"'`)
const apostrophe = Buffer.from(`'`)
const closing = Buffer.from('"')

/**
 * Whole records with an apostrophe before every cell that could be taken for a formula, which is quoted then. Cells that
 * are plain numbers, such as `-5` and `+3.2e7`, stay as they are, and so does everything else. The pieces are slices of
 * the records where nothing changed.
 */
export function escapeFormulas(records: Uint8Array): readonly Uint8Array[] {
  const pieces: Uint8Array[] = []
  let done = 0
  for (let from = 0; from < records.length; ) {
    const isQuoted = records[from] === quote
    const start = isQuoted ? from + 1 : from
    const end = isQuoted ? quotedEnd(records, start) : plainEnd(records, start)
    if (isDangerous(records, start, end)) {
      pieces.push(records.subarray(done, start), isQuoted ? apostrophe : openedByApostrophe)
      if (!isQuoted) pieces.push(records.subarray(start, end), closing)
      done = isQuoted ? start : end
    }
    from = isQuoted ? end + 1 : end
    // What follows a field is a comma or the end of its record.
    if (records[from] === carriageReturn && records[from + 1] === lineFeed) from += 2
    else from += 1
  }
  pieces.push(records.subarray(done))
  return pieces
}

function isDangerous(records: Uint8Array, start: number, end: number): boolean {
  if (end === start || !startBytes.has(records[start])) return false
  const isStart = (text: Uint8Array) =>
    text.every((byte, i) => records[start + i] === byte) && start + text.length <= end
  if (!starts.some(isStart)) return false
  if (end - start > numberBytesMax) return true
  return !numberPattern.test(Buffer.from(records.subarray(start, end)).toString('latin1'))
}

function quotedEnd(records: Uint8Array, from: number): number {
  let at = records.indexOf(quote, from)
  while (at >= 0 && records[at + 1] === quote) at = records.indexOf(quote, at + 2)
  return at < 0 ? records.length : at
}

function plainEnd(records: Uint8Array, from: number): number {
  for (let at = from; at < records.length; at++) {
    const byte = records[at]
    if (byte === comma || byte === lineFeed || byte === carriageReturn) return at
  }
  return records.length
}
