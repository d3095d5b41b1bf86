// Other escape: reads and writes records on one line whose quotes are escaped the other way: with backslashes in a file
// that doubles quotes, doubled in a file that escapes them. See "Other escape" in src/reading/scanner/record-rules.ts.
import { NONE, NOTHING, delimiter, escape, hasOtherEscape, isBlank, quote, skipInitialSpace, width } from './dialect'
import { afterSkipped } from './quoted-field'
import { copy, write } from './rewrite'

const BACKSLASH: u32 = 92

/** Whether start … end-1, without the line end, is such a record. */
export function readsOtherwise(start: usize, end: usize): bool {
  const isDoubled = escape == NONE
  const mark = isDoubled ? BACKSLASH : escape
  if (!hasOtherEscape || quote == NONE || escape == NOTHING || mark == quote || mark == delimiter) return false
  if (!holdsPair(isDoubled ? mark : quote, start, end)) return false
  let escapedCount: u32 = 0
  let fields: u32 = 1
  for (let at = start; ; at++) {
    if (skipInitialSpace) at = afterSkipped(at, end)
    if (at < end && load<u8>(at) == quote) {
      for (at++; ; at++) {
        if (at >= end) return false
        const byte = load<u8>(at) as u32
        if (isLineEnd(byte)) return false
        if (byte != quote && byte != mark) continue
        const isEscaped = (byte == mark) == isDoubled && at + 1 < end && load<u8>(at + 1) == quote
        if (!isEscaped && byte == mark) return false
        if (!isEscaped) break
        escapedCount++
        at++
      }
      at = pastBlanks(at + 1, end)
      if (at < end && load<u8>(at) != delimiter) return false
    } else {
      for (; at < end && load<u8>(at) != delimiter; at++) {
        const byte = load<u8>(at) as u32
        if (byte == quote || isLineEnd(byte)) return false
      }
    }
    if (at >= end) break
    fields++
    if (fields > width) return false
  }
  return fields == width && escapedCount > 0
}

/** A cheap test that rules out most records: whether `byte` occurs right before a quote. If not, nothing is escaped. */
function holdsPair(byte: u32, start: usize, end: usize): bool {
  const firsts = i8x16.splat(byte as i8)
  const quotes = i8x16.splat(quote as i8)
  for (let at = start; at + 1 < end; at += 16) {
    // Bytes read past the end may give false positives.
    const pairs = v128.and(i8x16.eq(v128.load(at), firsts), i8x16.eq(v128.load(at + 1), quotes))
    if (v128.any_true(pairs)) return true
  }
  return false
}

/** Writes such a record with its quotes escaped as in the file, then the line end contentEnd … end-1. Needs room. */
export function writeOtherwise(start: usize, contentEnd: usize, end: usize): void {
  const mark = escape == NONE ? BACKSLASH : quote
  for (let at = start; ; at++) {
    if (skipInitialSpace) at = afterSkipped(at, contentEnd)
    if (at < contentEnd && load<u8>(at) == quote) {
      write(quote)
      for (at++; ; at++) {
        const byte = load<u8>(at) as u32
        if (byte == mark && at + 1 < contentEnd && load<u8>(at + 1) == quote) {
          write(escape == NONE ? quote : escape)
          at++
        } else if (byte == quote) break
        write(load<u8>(at))
      }
      write(quote)
      at = pastBlanks(at + 1, contentEnd)
    } else {
      for (; at < contentEnd && load<u8>(at) != delimiter; at++) write(load<u8>(at))
    }
    if (at >= contentEnd) break
    write(delimiter)
  }
  copy(contentEnd, end)
}

@inline
function isLineEnd(byte: u32): bool {
  return byte == 10 || byte == 13
}

function pastBlanks(from: usize, end: usize): usize {
  let at = from
  while (at < end && isBlank(load<u8>(at))) at++
  return at
}
