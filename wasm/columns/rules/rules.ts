// Rules: how the texts of the column that is read next are to be read if it is declared. Set by the host for each
// column; src/columns/rules/declared-rules.ts has the same numbers. Knows no values.
import { isPadded, textEnd, textStart, trimBlanks } from '../fields/field-text'
import { positionOf } from './words'

/** The column is not declared. */
export const DETECTED: u32 = 0
export const ANY_TEXT: u32 = 1
export const WHOLE_NUMBER: u32 = 2
/** Four to nine digits, none of them a group. */
export const YEAR: u32 = 3
export const ANY_NUMBER: u32 = 4
export const TRUE_OR_FALSE: u32 = 5
export const ISO: u32 = 6
/** By a strptime pattern. */
export const PATTERNED: u32 = 7

export let form: u32 = DETECTED
/** Texts in the usual form of the kind are values, so that fast readers may be used. */
export let isUsual: bool = true
/** Empty fields are null; those in quotes are. */
export let isEmptyNull: bool = true
export let isQuotedEmptyNull: bool = false
/** A table of the other texts that are null; 0 for none. */
export let missing: usize = 0
export let isRequired: bool = false
/** Numbers with more digits than a double keeps become the nearest double. */
export let isNearest: bool = false
/**
 * What reads the texts: a table of words and a byte for each that says whether it is true, the program of a pattern, or a
 * byte for each class of values that says whether a type by values will hold its long numbers.
 */
export let reader: usize = 0
/** The decimal and the group character: their UTF-8 as a number, the first byte lowest; 0 for no group. */
export let decimalChar: u32 = 46
export let groupChar: u32 = 0

const EMPTY_NULL: u32 = 1
const REQUIRED: u32 = 2
const USUAL: u32 = 4
const NEAREST: u32 = 8

/** @param flags See above; for a column that is not declared, all parameters are 0. */
export function setRules(columnForm: u32, flags: u32, missingWords: usize, columnReader: usize, decimal: u32, group: u32): void {
  form = columnForm
  const isDetected = form == DETECTED
  isEmptyNull = isDetected || (flags & EMPTY_NULL) != 0
  isQuotedEmptyNull = !isDetected && isEmptyNull
  isUsual = isDetected || (flags & USUAL) != 0
  isRequired = (flags & REQUIRED) != 0
  isNearest = (flags & NEAREST) != 0
  missing = missingWords
  reader = columnReader
  decimalChar = decimal
  groupChar = group
}

/** Whether a text of a declared column, without its quotes, is null. Blanks count only around texts. */
@inline
export function isMissing(start: usize, end: usize): bool {
  return isMissingWord(start, end) || (form > ANY_TEXT && isPadded(start, end) && isTrimmedMissing(start, end))
}

@inline
function isMissingWord(start: usize, end: usize): bool {
  return start == end ? isEmptyNull : missing != 0 && positionOf(missing, start, end - start) != 0
}

function isTrimmedMissing(start: usize, end: usize): bool {
  trimBlanks(start, end)
  return isMissingWord(textStart, textEnd)
}
