// Columns: the functions that the host calls: find a row group, then read and encode each column. Addresses: memory.ts.
import { NUMBERED, encodeNumbers, encodeTexts, encodeValues, setTextEnds } from './encode-column'
import { setDialect, width } from './fields/dialect'
import { endAt, startAt } from './fields/field-text'
import { FACTS_ONLY, TEXTS, setKind } from './column-kinds'
import { POWERS, layOut, regionBound } from './memory'
import { fillDays } from './values/iso-dates'
import { beginRecords, findPlaces } from './fields/find-fields'
import { areReadAlike, placeOf, readFacts, readTexts, readValues } from './read-column'
import { readNumbered } from './read-numbered'
import { checkBound, checkListed, checkNumberBound } from './rules/check-values'
import { checkTexts } from './rules/check-texts'
import { checkFor, clearMarks, dropMarked, marked } from './rules/marks'
import { setRules } from './rules/rules'
import { isMomentShape, readMoment } from './rules/moment-format'
import { fillLanes } from './values/wide-digits'

/** Call once, before anything else. */
export function fillTables(): void {
  let power: f64 = 1
  for (let i: usize = 0; i < 23; i++) {
    store<f64>(POWERS + (i << 3), power)
    power *= 10
  }
  fillDays()
  fillLanes()
}

// What the functions report, for the host to read.
export { hashes, levels, marks, window } from './memory'
export { records, recordsEnd } from './fields/find-fields'
export { nullCount } from './read-column'
export {
  bodyAt, bodyBytes, columnForm, encoding, isCompressed, pageDictionaryBytes, pageEntryCount, plainBytes,
} from './encode-column'
export { greatestBytes, hasStatistics, isGreatestExact, isLeastExact, leastBytes } from './parquet/statistics'
export let fieldStart: usize = 0
export let fieldEnd: usize = 0

/** Finds where a field of the records found begins and ends; the record is counted from 1. */
export function findField(column: u32, record: u32): void {
  const place = placeOf(column) + ((((record - 1) * width) as usize) << 2)
  fieldStart = startAt(place)
  fieldEnd = endAt(place, false)
}

/** For tests: 0 if a program reads a text, with the value at `out`; 2 if the text has only its form; else 1. */
export function readMomentOf(program: usize, start: usize, end: usize, out: usize): u32 {
  return readMoment(program, start, end, out) ? 0 : isMomentShape ? 2 : 1
}

export { toUtf8 } from '../shared/single-byte'
export { addToKey, beginKey, endKey } from './rules/keys'
export { matchesPattern } from './rules/pattern'
export { beginRecords as begin, findPlaces as find, layOut as configure, regionBound, setTextEnds }
export { setDialect, setKind, setRules }
export { checkBound, checkListed, checkNumberBound, checkTexts, clearMarks, dropMarked }

/** Begins the checks of a column: `mark` is that of its rule 0. Values are read, and marked if they are not of the kind. */
export function check(column: u32, count: u32, kind: u32, mark: u32): void {
  checkFor(mark)
  if (kind == TEXTS) checkTexts(column, count, 0, 0, 0, 0)
  else readValues(column, count, kind, 0)
}

/** Ends the checks; returns how many records are marked. */
export function endChecks(): u32 {
  checkFor(0)
  return marked
}

/** The texts of the last column read are numbered. */
let isNumbered: bool = false

/**
 * Reads a column of the first `count` records found. `nullWords` has a bit for each word that stands for null; `form`
 * is the last result of `encode` for the previous row group, 0 for the first. With `isChecked`, the column has just been
 * checked as the same kind.
 *
 * @returns The first record, from 1, whose text does not fit, or 0. If not 0, only the facts are gathered, and the
 * column must not be encoded.
 */
export function read(column: u32, count: u32, kind: u32, nullWords: u32, form: u32, isChecked: bool): u32 {
  let typeMismatch: u32 = 0
  if (isChecked && areReadAlike) return 0
  if (kind == TEXTS) {
    isNumbered = form <= NUMBERED && readNumbered(column, count)
    if (!isNumbered) readTexts(column, count)
  } else if (kind == FACTS_ONLY) readFacts(column, count)
  else {
    typeMismatch = readValues(column, count, kind, nullWords)
    if (typeMismatch != 0) readFacts(column, count)
  }
  return typeMismatch
}

/**
 * Encodes the last column read, which had no type mismatch. In statistics, integers and values stored as integers have
 * `physicalBytes` bytes. `form` is that of `read`.
 */
export function encode(count: u32, kind: u32, physicalBytes: u32, form: u32): void {
  if (kind == TEXTS && isNumbered) encodeNumbers()
  else if (kind == TEXTS) encodeTexts(form)
  else encodeValues(kind, physicalBytes, form)
}
