// Columns: the functions that the host calls: find a row group, then read and encode each column. Addresses: memory.ts.
import {
  NUMBERED, bodyAt, bodyBytes, encodeNumbers, encodeTexts, encodeValues, encoding, isCompressed, pageDictionaryBytes, pageEntryCount,
  plainBytes, setTextEnds, columnForm,
} from './encode-column'
import { setDialect, width } from './fields/dialect'
import { FACTS_ONLY, TEXTS, setKind } from './column-kinds'
import { POWERS, RESULT, hashes, layOut, levels, marks, regionBound, rules, window } from './memory'
import { fillDays } from './values/iso-dates'
import { beginRecords, endsWithRecord, findPlaces, records, recordsEnd } from './fields/find-fields'
import { areReadAlike, nullCount, placeOf, readFacts, readTexts, readValues } from './read-column'
import { readNumbered } from './read-numbered'
import { checkBound, checkListed, checkNumberBound } from './rules/check-values'
import { checkTexts } from './rules/check-texts'
import { checkFor, clearMarks, dropMarked, marked } from './rules/marks'
import { setRules } from './rules/rules'
import { isMomentShape, readMoment } from './rules/moment-format'
import { fillLanes } from './values/wide-digits'
import { greatestBytes, hasStatistics, isGreatestExact, isLeastExact, leastBytes } from './parquet/statistics'

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

/**
 * Lays out the memory; returns the number of bytes it needs. Results: the addresses of the levels, the window, the
 * rules, the marks and the hashes of keys.
 */
export function configure(windowBytes: usize, placesMax: usize, recordsMax: usize, rulesBytes: usize, keyBytes: usize): usize {
  const bytes = layOut(windowBytes, placesMax, recordsMax, rulesBytes, keyBytes)
  store<u32>(RESULT, levels as u32)
  store<u32>(RESULT, window as u32, 4)
  store<u32>(RESULT, rules as u32, 8)
  store<u32>(RESULT, marks as u32, 12)
  store<u32>(RESULT, hashes as u32, 16)
  return bytes
}

/** Results: where a field of the records found begins and ends; the record is counted from 1. */
export function place(column: u32, record: u32): void {
  const at = placeOf(column) + ((((record - 1) * width) as usize) << 2)
  store<u32>(RESULT, load<u32>(at - 4) + 1)
  store<u32>(RESULT, load<u32>(at), 4)
}

/** For tests: 0 if a program reads a text, and the value as the result; 2 if the text has only its form; else 1. */
export function readMomentOf(program: usize, start: usize, end: usize): u32 {
  return readMoment(program, start, end, RESULT) ? 0 : isMomentShape ? 2 : 1
}

export { toUtf8 } from '../shared/single-byte'
export { addToKey, beginKey, endKey } from './rules/keys'
export { matchesPattern } from './rules/pattern'
export { beginRecords as begin, checkBound, checkListed, checkNumberBound, checkTexts, clearMarks, dropMarked, setRules }
export { regionBound, setDialect, setKind, setTextEnds }

/**
 * Finds records up to `end`; returns a status of fields/find-fields.ts. Results: the number of records, where they
 * end, and whether nothing follows them.
 */
export function find(end: usize, recordsMax: u32): u32 {
  const status = findPlaces(end, recordsMax)
  store<u32>(RESULT, records)
  store<u32>(RESULT, recordsEnd as u32, 4)
  store<u32>(RESULT, endsWithRecord() as u32, 8)
  return status
}

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
  if (isChecked && areReadAlike) {
    store<u32>(RESULT, 0)
    return 0
  }
  if (kind == TEXTS) {
    isNumbered = form <= NUMBERED && readNumbered(column, count)
    if (!isNumbered) readTexts(column, count)
  } else if (kind == FACTS_ONLY) readFacts(column, count)
  else {
    typeMismatch = readValues(column, count, kind, nullWords)
    if (typeMismatch != 0) readFacts(column, count)
  }
  store<u32>(RESULT, nullCount)
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
  store<u32>(RESULT, nullCount)
  store<u32>(RESULT, bodyAt as u32, 4)
  store<u32>(RESULT, bodyBytes, 8)
  store<u32>(RESULT, plainBytes, 12)
  store<u32>(RESULT, isCompressed as u32, 16)
  store<u32>(RESULT, encoding, 20)
  store<u32>(RESULT, pageDictionaryBytes, 24)
  store<u32>(RESULT, pageEntryCount, 28)
  store<u32>(RESULT, hasStatistics as u32, 32)
  store<u32>(RESULT, leastBytes, 36)
  store<u32>(RESULT, greatestBytes, 40)
  store<u32>(RESULT, isLeastExact as u32, 44)
  store<u32>(RESULT, isGreatestExact as u32, 48)
  store<u32>(RESULT, columnForm, 52)
}
