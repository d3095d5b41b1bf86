// Field text: finds the text of a field, without its quotes. Knows positions, no types.
import { quote } from './dialect'
import { LAST_LANES, SCRATCH, SCRATCH_BYTES, texts } from '../memory'

/** The text that was found; `textStart` is in the window or in the scratch. */
export let textStart: usize = 0
export let textEnd: usize = 0

/** Where the field that ends at a place begins. */
@inline
export function startAt(place: usize): usize {
  return (load<u32>(place - 4) as usize) + 1
}

/** Where it ends; with `trims`, before a CR. No field is empty that begins a record and ends it. */
@inline
export function endAt(place: usize, trims: bool): usize {
  const end = load<u32>(place) as usize
  return trims && load<u8>(end - 1) == 13 ? end - 1 : end
}

/**
 * Removes the quotes of a field in a column that is not text. In a field longer than the scratch, doubled quotes stay:
 * no value is that long.
 */
export function unquote(start: usize, end: usize): void {
  textStart = start + 1
  textEnd = end - 1
  let at = textStart
  while (at < textEnd && (load<u8>(at) as u32) != quote) at++
  if (at == textEnd || textEnd - textStart > SCRATCH_BYTES) return
  textEnd = copyUnquoted(SCRATCH, textStart, textEnd)
  textStart = SCRATCH
}

/** Whether a text begins or ends with a blank. */
@inline
export function isPadded(start: usize, end: usize): bool {
  return start != end && (load<u8>(start) == 32 || load<u8>(end - 1) == 32)
}

/**
 * Finds the text between the quotes of a field, or all of it, without the blanks around it if the column is detected: what
 * is declared may have blanks of its own.
 */
export function findValue(start: usize, end: usize, isDetected: bool): void {
  textStart = start
  textEnd = end
  if ((load<u8>(start) as u32) == quote) unquote(start, end)
  if (isDetected) trimBlanks(textStart, textEnd)
}

/** Finds the text between the blanks around it, which mean nothing but around texts. */
export function trimBlanks(start: usize, end: usize): void {
  while (start < end && load<u8>(start) == 32) start++
  while (start < end && load<u8>(end - 1) == 32) end--
  textStart = start
  textEnd = end
}

/** The whole text of the field that ends at a place; long ones with doubled quotes are copied to `texts`. */
export function findText(place: usize, trims: bool): void {
  textStart = startAt(place)
  textEnd = endAt(place, trims)
  if (textStart == textEnd || (load<u8>(textStart) as u32) != quote) return
  textStart++
  textEnd--
  if (!hasQuote(textStart, textEnd)) return
  textEnd = copyUnquoted(texts, textStart, textEnd)
  textStart = texts
}

/** Whether a text between quotes has doubled quotes. */
export function hasQuote(start: usize, end: usize): bool {
  const quotes = i8x16.splat(quote as i8)
  for (; end - start > 16; start += 16) if (v128.any_true(i8x16.eq(v128.load(start), quotes))) return true
  // The last bytes, without those that follow them.
  return v128.any_true(v128.andnot(i8x16.eq(v128.load(start), quotes), v128.load(LAST_LANES + 16 - (end - start))))
}

/** Copies the text between quotes, doubled quotes as one; returns the end. Up to 16 bytes after it may change. */
export function copyUnquoted(to: usize, from: usize, end: usize): usize {
  const quotes = i8x16.splat(quote as i8)
  while (from < end) {
    const bytes = v128.load(from)
    v128.store(to, bytes)
    let found = i8x16.bitmask(i8x16.eq(bytes, quotes)) as u32
    const left = end - from
    if (left < 16) found &= (1 << (left as u32)) - 1
    if (found == 0) {
      const count = min(left, 16)
      from += count
      to += count
    } else {
      const count = (ctz(found) as usize) + 1
      from += count + 1
      to += count
    }
  }
  return to
}

/** Copies `bytes` bytes; up to 15 after them may change. */
@inline
export function copyText(to: usize, from: usize, bytes: usize): void {
  if (bytes > 256) {
    memory.copy(to, from, bytes)
    return
  }
  for (let at: usize = 0; at < bytes; at += 16) v128.store(to + at, v128.load(from + at))
}
