// Facts: how many values of each class a column has, the first three records of each, and the digits of fractions.
// Knows no texts. 32 bytes per class: count, three records from 1, most whole digits, least and most decimal places.
import { CLASS_COUNT, NO_CLASS } from '../values/value-classes'
import { FACTS } from '../memory'
import { WORD_COUNT } from '../values/special-words'

const ROW_BYTES: usize = 32
const WORDS: usize = FACTS + 96 * ROW_BYTES

/** Clears everything, before each column. */
export function clearFacts(): void {
  memory.fill(FACTS, 0, (CLASS_COUNT as usize) * ROW_BYTES)
  memory.fill(WORDS, 0, (WORD_COUNT as usize) << 2)
}

/** Adds a value; returns whether its class has three or more, so that further values need only be counted. */
export function addValue(valueClass: u32, record: u32): bool {
  const row = FACTS + (valueClass as usize) * ROW_BYTES
  const count = load<u32>(row)
  store<u32>(row, count + 1)
  if (count < 3) store<u32>(row + 4 + ((count as usize) << 2), record)
  return count >= 2
}

/** Whether the first three records of a class are known. */
export function isKnown(valueClass: u32): bool {
  return load<u32>(FACTS + (valueClass as usize) * ROW_BYTES) >= 3
}

/** Adds values of a class whose first three records are known. */
export function addCount(valueClass: u32, count: u32): void {
  if (valueClass == NO_CLASS) return
  const row = FACTS + (valueClass as usize) * ROW_BYTES
  store<u32>(row, load<u32>(row) + count)
}

/** Inserts a record among the first three of a class. Does not count it: call `addCount`. */
export function addRecord(valueClass: u32, record: u32): void {
  const first = FACTS + (valueClass as usize) * ROW_BYTES + 4
  for (let at = first; at < first + 12; at += 4) {
    const other = load<u32>(at)
    if (other != 0 && other < record) continue
    store<u32>(at, record)
    if (other == 0) return
    record = other
  }
}

/** Records the digits of a number. */
@inline
export function addDigits(valueClass: u32, whole: u32, scale: u32): void {
  const row = FACTS + (valueClass as usize) * ROW_BYTES
  const wholeMax = load<u32>(row, 16)
  // `whole` is never 0, so 0 means that this is the first.
  if (wholeMax == 0 || scale < load<u32>(row, 20)) store<u32>(row, scale, 20)
  if (scale > load<u32>(row, 24)) store<u32>(row, scale, 24)
  if (whole > wholeMax) store<u32>(row, whole, 16)
}

/** For the numbers of a class: the most digits before the fraction, the least and the most decimal places. */
@inline
export function wholeMax(valueClass: u32): u32 {
  return load<u32>(FACTS + (valueClass as usize) * ROW_BYTES, 16)
}

@inline
export function scaleMin(valueClass: u32): u32 {
  return load<u32>(FACTS + (valueClass as usize) * ROW_BYTES, 20)
}

@inline
export function scaleMax(valueClass: u32): u32 {
  return load<u32>(FACTS + (valueClass as usize) * ROW_BYTES, 24)
}

export function addWords(word: u32, count: u32): void {
  const at = WORDS + ((word as usize) << 2)
  store<u32>(at, load<u32>(at) + count)
}
