// Special words: texts that may stand for null, and the spellings of true and false. Knows no columns.
import { NO_CLASS, TRUE_LOWER, TRUE_TITLE, TRUE_UPPER } from './value-classes'

/** The number of a null word, in the order of `nullWords` in src/core/column-facts.ts; NO_WORD for other texts. */
export const NO_WORD: u32 = 255
export const WORD_COUNT: u32 = 17
const DASH_WORD: u32 = 10
const POINT_WORD: u32 = 12
const QUESTION_WORD: u32 = 13

// Texts as numbers, the first byte in the lowest.
const NA: u32 = 0x414e
const BACKSLASH_N: u32 = 0x4e5c
const NAN_TITLE: u32 = 0x4e614e
const NAN_LOWER: u32 = 0x6e616e
const N_A_UPPER: u32 = 0x412f4e
const N_A_LOWER: u32 = 0x612f6e
const NULL_UPPER: u32 = 0x4c4c554e
const NULL_LOWER: u32 = 0x6c6c756e
const NONE_TITLE: u32 = 0x656e6f4e
const HASH_N_A: u32 = 0x412f4e23
const TWO_DASHES: u32 = 0x2d2d
const NAT: u32 = 0x54614e
const NA_IN_ANGLES: u32 = 0x3e414e3c

export function wordOf(start: usize, bytes: usize): u32 {
  if (bytes == 0) return 0
  if (bytes > 4) return NO_WORD
  const text = load<u32>(start)
  if (bytes == 4) {
    if (text == NULL_UPPER) return 4
    if (text == NULL_LOWER) return 5
    if (text == NONE_TITLE) return 6
    if (text == NA_IN_ANGLES) return 16
    return text == HASH_N_A ? 11 : NO_WORD
  }
  if (bytes == 3) {
    const three = text & 0xffffff
    if (three == N_A_UPPER) return 2
    if (three == N_A_LOWER) return 3
    if (three == NAN_TITLE) return 7
    if (three == NAT) return 15
    return three == NAN_LOWER ? 8 : NO_WORD
  }
  if (bytes == 2) {
    const two = text & 0xffff
    if (two == TWO_DASHES) return 14
    return two == NA ? 1 : two == BACKSLASH_N ? 9 : NO_WORD
  }
  const one = text & 0xff
  if (one == 46) return POINT_WORD
  if (one == 63) return QUESTION_WORD
  return one == 45 ? DASH_WORD : NO_WORD
}

/** The text of true or false in a class of spellings, in the upper bytes of a number. */
export function spellingOf(trueClass: u32, value: bool): u64 {
  if (trueClass == TRUE_LOWER) return value ? 0x6575727400000000 : 0x65736c6166000000
  if (trueClass == TRUE_TITLE) return value ? 0x6575725400000000 : 0x65736c6146000000
  return value ? 0x4555525400000000 : 0x45534c4146000000
}

/** Whether the last text found by `booleanOf` means true. */
export let isTrue: bool = false

/** The class of a spelling of true or false; NO_CLASS for other texts. */
export function booleanOf(start: usize, bytes: usize): u32 {
  if (bytes == 4) {
    isTrue = true
    const text = load<u32>(start)
    if (text == 0x65757274) return TRUE_LOWER
    if (text == 0x65757254) return TRUE_TITLE
    return text == 0x45555254 ? TRUE_UPPER : NO_CLASS
  }
  if (bytes != 5) return NO_CLASS
  isTrue = false
  const text = load<u32>(start)
  const last = load<u8>(start, 4) as u32
  if (last == 101) return text == 0x736c6166 ? TRUE_LOWER : text == 0x736c6146 ? TRUE_TITLE : NO_CLASS
  return last == 69 && text == 0x534c4146 ? TRUE_UPPER : NO_CLASS
}
