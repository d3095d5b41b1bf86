// Rewrite: writes lenient records strictly, in their own dialect, after the window. Expects records that the reader
// found readable; see "Writing" in src/reading/scanner/record-rules.ts.
import {
  NONE,
  NOTHING,
  afterEscape,
  delimiter,
  escape,
  escapesAll,
  isSkipped,
  lineEnd,
  otherEnd,
  quote,
  skipInitialSpace,
  width,
} from './dialect'
import { WINDOW_PAD_BYTES } from './memory'
import { afterBlanks, afterSkipped, closingBareQuote, closingQuote } from './quoted-field'
import * as reader from './record-reader'
import { REPAIRED_AS_TEXT, REPAIRED_BARE } from './scan-result'
import { afterDelimiter, delimitersPassed, nextSpecial, nextSpecialInQuotes, nextStop } from './special-bytes'

/** Where the records that this call of scan() has written, in their order, begin and end. */
export let writtenStart: usize = 0
export let writtenEnd: usize = 0
/** Bytes of additional room needed after the window for a record that did not fit. */
export let wantedBytes: usize = 0

/** The least room to make, because each call copies what it has written. */
const roomBytesMin: usize = 65536
/** Bytes are copied 16 at a time, and the last copy may overshoot. */
const overrunBytes: usize = 16

/** Call when the window has changed. */
export function beginWriting(windowEnd: usize): void {
  // The blocks searched for special bytes end before the written records.
  writtenStart = (windowEnd + WINDOW_PAD_BYTES + 63) & ~63
  writtenEnd = writtenStart
}

/** Whether a record of this many bytes can be written; sets `wantedBytes` if not. */
export function hasRoomToWrite(bytes: usize): bool {
  // In the worst case each byte is doubled, each field is quoted, and every field is missing.
  const bytesMax = 2 * bytes + 3 * (width as usize) + overrunBytes
  if (writtenEnd + bytesMax <= (memory.size() as usize) << 16) return true
  wantedBytes = max(bytesMax, roomBytesMin)
  return false
}

/** Writes the record start … contentEnd-1, then its line end. `repair` and `repairAt` are those of the event. Needs room. */
export function writeClean(start: usize, contentEnd: usize, end: usize, repair: u32, repairAt: usize): void {
  let fieldStart = skipInitialSpace ? afterSkipped(start, contentEnd) : start
  let copied = fieldStart
  let fields: u32 = 1
  // Plain fields are passed in blocks, as the reader does.
  for (let at = nextStop(copied, contentEnd); ; at = nextStop(at, contentEnd)) {
    if (delimitersPassed > 0) {
      fields += delimitersPassed
      fieldStart = afterDelimiter
    }
    if (at >= contentEnd) break
    const byte = load<u8>(at) as u32
    const how = repair != 0 && at == repairAt ? repair : 0
    if (byte == delimiter) {
      // A stop only if blanks after it are dropped.
      fields++
      fieldStart = afterSkipped(at + 1, contentEnd)
      if (fieldStart > at + 1) {
        copy(copied, at + 1)
        copied = fieldStart
      }
      at = fieldStart
    } else if (byte == quote && at == fieldStart && how != REPAIRED_AS_TEXT) {
      const isBare = how == REPAIRED_BARE || escape == NOTHING
      const closing = isBare ? closingBareQuote(at, contentEnd) : closingQuote(at, contentEnd)
      if (isBare) {
        copy(copied, at)
        writeQuoted(at + 1, closing)
        copied = closing + 1
      }
      at = afterBlanks(closing + 1, contentEnd)
      if (at > closing + 1) {
        copy(copied, closing + 1)
        copied = at
      }
    } else if (byte == quote || byte == lineEnd || byte == otherEnd) {
      at = fieldEnd(at, contentEnd)
      copy(copied, fieldStart)
      writeQuoted(fieldStart, at)
      copied = at
    } else at = byte == escape && escapesAll ? afterEscape(at, contentEnd) : at + 1
  }
  copy(copied, contentEnd)
  for (; fields < width; fields++) write(delimiter)
  copyLineEnd(contentEnd, end)
}

/** The line end before `end`, without surplus empty fields from `contentEnd` on. */
function copyLineEnd(contentEnd: usize, end: usize): void {
  const hasReturn = lineEnd == 10 && end - contentEnd > 1 && load<u8>(end - 2) == 13
  copy(hasReturn ? end - 2 : end - 1, end)
}

/** End of the unquoted field with a special byte at `from`. */
function fieldEnd(from: usize, contentEnd: usize): usize {
  let at = from
  while (at < contentEnd && load<u8>(at) != delimiter) {
    const isEscape = escapesAll && load<u8>(at) == escape
    at = nextSpecial(isEscape ? afterEscape(at, contentEnd) : at + 1, contentEnd)
  }
  return at
}

/** Where the fields beyond the width of the record just read begin, if nothing is in them; 0 if something is. */
export function surplusAt(start: usize, contentEnd: usize): usize {
  let at = contentEnd
  for (let left = reader.fields - width; left > 0; ) {
    const byte = load<u8>(--at) as u32
    if (isEscaped(at, start)) return 0
    if (byte == delimiter) left--
    else if (!skipInitialSpace || !isSkipped(byte)) return 0
  }
  // Several blanks are one delimiter, with all blanks after the first.
  for (let from = at; skipInitialSpace && delimiter == 32 && from > start && isSkipped(load<u8>(from - 1)); ) {
    if (isEscaped(--from, start)) break
    if (load<u8>(from) == 32) at = from
  }
  return at
}

/** Whether the byte at `at` stands after an escape that is not escaped itself. */
function isEscaped(at: usize, start: usize): bool {
  if (!escapesAll) return false
  let before = at
  while (before > start && (load<u8>(before - 1) as u32) == escape) before--
  return ((at - before) & 1) == 1
}

/** The same for a record that was just read and not repaired. Most have one odd place; the rest is copied as is. */
export function writeRead(start: usize, contentEnd: usize, end: usize): void {
  if (reader.oddPlaces > 1 || reader.hasLeadingBlank || reader.hasBareQuote || reader.fields > width) {
    writeClean(start, reader.fields > width ? surplusAt(start, contentEnd) : contentEnd, end, 0, 0)
    return
  }
  let copied = start
  if (reader.oddPlaces == 1) {
    copy(start, reader.oddFrom)
    copied = reader.oddAt
    if (!reader.hasTrailingBlank) {
      copied = fieldEnd(copied, contentEnd)
      writeQuoted(reader.oddFrom, copied)
    }
  }
  if (reader.fields < width) {
    copy(copied, contentEnd)
    for (let fields = reader.fields; fields < width; fields++) write(delimiter)
    copied = contentEnd
  }
  copy(copied, end)
}

function writeQuoted(from: usize, end: usize): void {
  write(quote)
  let copied = from
  for (let at = nextSpecialInQuotes(from, end); at < end; at = nextSpecialInQuotes(at + 1, end)) {
    const byte = load<u8>(at) as u32
    if (byte != quote && byte != escape) continue
    if (byte == escape && escapesAll && at + 1 < end) {
      at = afterEscape(at, end) - 1
      continue
    }
    copy(copied, at)
    write(escape < NONE ? escape : quote)
    copied = at
  }
  copy(copied, end)
  write(quote)
}

@inline
export function write(byte: u32): void {
  store<u8>(writtenEnd++, byte)
}

@inline
export function copy(from: usize, end: usize): void {
  let to = writtenEnd
  for (let at = from; at < end; at += 16) {
    v128.store(to, v128.load(at))
    to += 16
  }
  writtenEnd += end - from
}
