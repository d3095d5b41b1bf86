// Rewrite: writes lenient records strictly, in their own dialect, after the window. Expects records that the reader
// found readable; see "Writing" in src/reading/scanner/record-rules.ts.
import { NONE, NOTHING, delimiter, escape, lineEnd, otherEnd, quote, skipInitialSpace, width } from './dialect'
import { WINDOW_PAD_BYTES } from './memory'
import { afterBlanks, closingBareQuote, closingQuote } from './quoted-field'
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
  let copied = start
  let fieldStart = start
  let fields: u32 = 1
  // Plain fields are passed in blocks, as the reader does.
  for (let at = nextStop(start, contentEnd); ; at = nextStop(at, contentEnd)) {
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
      fieldStart = afterBlanks(at + 1, contentEnd)
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
      do at = nextSpecial(at + 1, contentEnd)
      while (at < contentEnd && load<u8>(at) != delimiter)
      copy(copied, fieldStart)
      writeQuoted(fieldStart, at)
      copied = at
    } else at++
  }
  copy(copied, contentEnd)
  for (; fields < width; fields++) write(delimiter)
  copy(contentEnd, end)
}

/** The same for a record that was just read and not repaired. Most have one odd place; the rest is copied as is. */
export function writeRead(start: usize, contentEnd: usize, end: usize): void {
  if (reader.oddPlaces > 1 || reader.hasLeadingBlank || reader.hasBareQuote) {
    writeClean(start, contentEnd, end, 0, 0)
    return
  }
  let copied = start
  if (reader.oddPlaces == 1) {
    copy(start, reader.oddFrom)
    copied = reader.oddAt
    if (!reader.hasTrailingBlank) {
      do copied = nextSpecial(copied + 1, contentEnd)
      while (copied < contentEnd && load<u8>(copied) != delimiter)
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
