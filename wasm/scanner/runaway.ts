// Runaway: counts the lines of a value that read as records of the table, see "Runaway quotes" in
// src/reading/scanner/record-rules.ts. Expects a record that the reader found readable.
import {
  NOTHING,
  delimiter,
  escape,
  figureColumn,
  lineEnd,
  otherFigureColumn,
  quote,
  runawayLinesMin,
  skipInitialSpace,
  width,
} from './dialect'
import { afterSkipped, closingBareQuote, closingQuote } from './quoted-field'
import { nextSpecial } from './special-bytes'

/** State of the current line, and of those before it. */
let column: u32 = 1
let isLike: bool = true
let lines: u32 = 0
let likeLines: u32 = 0
let isFirstLike: bool = false

/** Whether a closer look at a record is worthwhile: a cheap condition that every runaway meets. */
export function mayBeRunaway(start: usize, end: usize): bool {
  if (runawayLinesMin == 0) return false
  const wanted = i8x16.splat(delimiter as i8)
  const countMin: u32 = 2 * (width - 1)
  let count: u32 = 0
  for (let at = start; at < end; at += 16) {
    let found = i8x16.bitmask(i8x16.eq(v128.load(at), wanted)) as u32
    if (end - at < 16) found &= (1 << ((end - at) as u32)) - 1
    count += popcnt(found)
    if (count >= countMin) return true
  }
  return false
}

/** How many lines after the first read as records, if nearly all lines do; else 0. */
export function linesLikeRecords(start: usize, contentEnd: usize, innerLines: u32): u32 {
  lines = 0
  likeLines = 0
  isFirstLike = false
  let lineStart = start
  let at = beginLine(start, contentEnd)
  /** The last quote that closes a field, and where its line begins, or its field on the same line. */
  let closing: usize = 0
  let lastLine: usize = 0
  let isFieldStart = true
  while (at < contentEnd) {
    if (isFieldStart && load<u8>(at) == quote) {
      const isInside = at <= closing
      if (!isInside) {
        closing = escape == NOTHING ? closingBareQuote(at, contentEnd) : closingQuote(at, contentEnd)
        lastLine = closing
        while (lastLine > at && load<u8>(lastLine - 1) != lineEnd) lastLine--
      }
      if (isInside ? escape == NOTHING && at >= lastLine : at == lastLine) at = closing
      at++
      isFieldStart = false
      continue
    }
    isFieldStart = false
    at = nextSpecial(at, contentEnd)
    if (at >= contentEnd) break
    const byte = load<u8>(at) as u32
    if (byte == delimiter) {
      column++
      at = beginField(at + 1, contentEnd)
      isFieldStart = true
    } else if (byte == lineEnd && at < closing) {
      endLine(lineStart, at)
      // With fewer than ten lines, all must read as records.
      if (innerLines < 9 && likeLines < lines) return 0
      lineStart = at + 1
      at = beginLine(lineStart, contentEnd)
      isFieldStart = true
    } else {
      at++
    }
  }
  endLine(lineStart, contentEnd)
  const after = isFirstLike ? likeLines - 1 : likeLines
  return (lines - likeLines) * 10 > lines ? 0 : after
}

function beginLine(start: usize, end: usize): usize {
  column = 1
  isLike = true
  return beginField(start, end)
}

/** Start of the field: after blanks that are not part of it. */
function beginField(start: usize, end: usize): usize {
  if (column == figureColumn || column == otherFigureColumn) isLike = isLike && beginsWithFigure(start, end)
  return skipInitialSpace ? afterSkipped(start, end) : start
}

/** Whether a field is empty or begins like a number or a date; blanks and quotes before it are ignored. */
function beginsWithFigure(start: usize, end: usize): bool {
  let at = start
  while (at < end && (load<u8>(at) == 32 || load<u8>(at) == quote)) at++
  if (at >= end) return true
  const byte = load<u8>(at) as u32
  return (
    (byte >= 48 && byte <= 57) ||
    byte == 45 ||
    byte == 43 ||
    byte == 46 ||
    byte == delimiter ||
    byte == 10 ||
    byte == 13
  )
}

function endLine(start: usize, end: usize): void {
  if (end == start || (end == start + 1 && load<u8>(start) == 13)) return
  if (isLike && column == width) {
    if (lines == 0) isFirstLike = true
    likeLines++
  }
  lines++
}
