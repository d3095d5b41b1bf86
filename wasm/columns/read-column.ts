// Read column: turns the fields of one column of a row group into values, levels and facts. Knows no Parquet.
import { GROUP_NONE, INTEGER, NO_CLASS, NUMBER, NUMBER_COMMA, PADDED, SIGNED, TEXT, TIMESTAMP, TOO_LONG, TRUE_LOWER, WORD, YMD, dateFormClass, isFraction } from './values/value-classes'
import { classOf, classScale, classWhole, classWord } from './facts/classify-value'
import { lineEnd, quote, width } from './fields/dialect'
import { addCount, addDigits, addValue, addWords, clearFacts } from './facts/facts'
import { addFraction, addOther, clearNumberTexts, storeNumberTexts } from './facts/number-texts'
import { scale, wholeDigits } from './values/decimals'
import { fractionCount, hasExponent, numberEnd, wholeCount } from './values/doubles'
import {
  copyText, copyUnquoted, endAt, findValue, isPadded, startAt, textEnd, textStart, trimBlanks, unquote,
} from './fields/field-text'
import {
  BOOLEANS, DATES_IN_FORM, DECIMALS, INTEGERS, LONG_DECIMALS, NUMBERS, TIMESTAMPS, TIMESTAMPS_IN_FORM, decimalClass, group, hasDigits, hasForm, order,
  readValue, separator, spelling, valueBytes,
} from './column-kinds'
import { levels, places, texts, values } from './memory'
import { readUsual } from './read-usual'
import { readDeclared, broken } from './rules/read-declared'
import { REQUIRED, isChecking, markRecord } from './rules/marks'
import { ANY_NUMBER, DETECTED, ISO, form, isEmptyNull, isMissing, isQuotedEmptyNull, isRequired, isUsual } from './rules/rules'
import { NO_WORD, wordOf } from './values/special-words'

/** Fields of the column without a value, and with one. */
export let nullCount: u32 = 0
export let valueCount: u32 = 0
/** The values read last are those that reading without checks would give. */
export let areReadAlike: bool = false
/** The end of the copied texts. */
export let copiedEnd: usize = 0

@inline
export function placeOf(column: u32): usize {
  return places + 4 + ((column as usize) << 2)
}

/** Whether fields of the column may end with a CR that belongs to the line end. */
@inline
export function hasReturn(column: u32): bool {
  return lineEnd == 10 && column + 1 == width
}

@inline
export function clearLevel(record: u32): void {
  const at = levels + (record >> 3)
  store<u8>(at, (load<u8>(at) as u32) & ~((1 as u32) << (record & 7)))
}

export function beginRead(records: u32): void {
  clearFacts()
  clearNumberTexts()
  memory.fill(levels, 0xff, (records + 7) >> 3)
  nullCount = 0
  valueCount = 0
  areReadAlike = true
}

export function endRead(records: u32, nulls: u32): void {
  nullCount = nulls
  valueCount = records - nulls
}

/** After fewer usual values in a row, reading them pauses for this many records. */
const usualMin: u32 = 8
const usualPause: u32 = 64

/**
 * Reads a column of any type but text. A text among `nullWords`, a bit for each, is null.
 *
 * @returns The first record, from 1, whose text is not of the kind; nothing must then be written. 0 if all are.
 */
export function readValues(column: u32, records: u32, kind: u32, nullWords: u32): u32 {
  beginRead(records)
  const step = (width as usize) << 2
  const bytes = valueBytes(kind)
  const trims = hasReturn(column)
  const counts = hasDigits(kind)
  let place = placeOf(column)
  let out = values
  let runClass = NO_CLASS
  let run: u32 = 0
  // Without decimal places, only a declared text such as `5` is a decimal.
  const isRead = isUsual && (scale > 0 || (kind != DECIMALS && kind != LONG_DECIMALS))
  let usualClass = isRead ? usualClassOf(kind) : WORD
  const isSpelledAnyhow = kind == BOOLEANS && spelling == 0
  let usualFrom: u32 = 0
  for (let record: u32 = 0; record < records; record++, place += step) {
    if (runClass == usualClass && record >= usualFrom) {
      const usual = readUsual(kind, runClass, place, step, record, records - record, trims, out)
      run += usual
      record += usual
      if (record == records) break
      place += step * (usual as usize)
      out += bytes * (usual as usize)
      // If few values are usual, looking for them costs more than it saves.
      if (usual < usualMin) usualFrom = record + usualPause
    }
    let start = startAt(place)
    let end = endAt(place, trims)
    if (start == end && isEmptyNull) {
      addNull(record)
      if (isChecking) out += bytes
      continue
    }
    if (isPadded(start, end) || ((load<u8>(start) as u32) == quote && start != end)) {
      findValue(start, end, form == DETECTED)
      start = textStart
      end = textEnd
    }
    const valueClass = start == end || !isRead ? NO_CLASS : readValue(kind, start, end, out)
    if (valueClass == NO_CLASS) {
      const other = form == DETECTED ? readWord(start, end, nullWords) : readOther(kind, start, end, out, record)
      if (other == TYPE_MISMATCH) return record + 1
      if (other == NULL) addNull(record)
      if (other == VALUE || isChecking) out += bytes
      continue
    }
    out += bytes
    if (counts) {
      if (hasForm) addNumber(start, end, valueClass, classWhole, classScale, record)
      else if (kind == NUMBERS) addNumber(start, end, valueClass, wholeCount as u32, fractionCount as u32, record)
      else {
        addDigits(valueClass, wholeDigits, scale)
        addFraction(start, end, wholeDigits, scale, record + 1)
      }
    }
    if (valueClass == runClass) run++
    else {
      addCount(runClass, run)
      run = 0
      runClass = addValue(valueClass, record + 1) && usualClass != NO_CLASS ? valueClass : NO_CLASS
      // Any spelling may be the usual one; WORD is that of no value.
      if (isSpelledAnyhow) usualClass = runClass == NO_CLASS ? WORD : runClass
    }
  }
  addCount(runClass, run)
  storeNumberTexts()
  valueCount = records - nullCount
  return 0
}

// What a text that is no usual value is.
const TYPE_MISMATCH: u32 = 0
const NULL: u32 = 1
const VALUE: u32 = 2
/** Marked, because it breaks a rule. */
const BROKEN: u32 = 3

/** A null must not be where it is required. */
function addNull(record: u32): void {
  areReadAlike = false
  clearLevel(record)
  nullCount++
  if (isChecking && isRequired) markRecord(record, REQUIRED)
}

function readWord(start: usize, end: usize, nullWords: u32): u32 {
  const word = wordOf(start, end - start)
  if (word == NO_WORD || ((nullWords >> word) & 1) == 0) return TYPE_MISMATCH
  addWords(word, 1)
  return NULL
}

function readOther(kind: u32, start: usize, end: usize, out: usize, record: u32): u32 {
  if (isMissing(start, end)) return NULL
  if (readDeclared(kind, start, end, out)) {
    if (form == ANY_NUMBER || form == ISO) {
      if (isChecking) areReadAlike = false
      else addFact(start, end, record)
    }
    return VALUE
  }
  if (isPadded(start, end)) {
    trimBlanks(start, end)
    return readOther(kind, textStart, textEnd, out, record)
  }
  if (!isChecking) return TYPE_MISMATCH
  areReadAlike = false
  clearLevel(record)
  markRecord(record, broken)
  return BROKEN
}

/**
 * The class that `readUsual` reads for a kind; WORD if it reads none. NO_CLASS for numbers in groups: it counts them itself,
 * whatever their classes are.
 */
function usualClassOf(kind: u32): u32 {
  if (group != GROUP_NONE && (kind == INTEGERS || kind == DECIMALS || kind == NUMBERS)) return NO_CLASS
  if (kind == DECIMALS || kind == NUMBERS) return decimalClass
  if (kind == INTEGERS) return hasForm ? WORD : INTEGER
  if (kind >= DATES_IN_FORM && order != YMD) return dateFormClass(kind == TIMESTAMPS_IN_FORM, separator, order)
  if (kind == BOOLEANS && spelling != 0) return TRUE_LOWER + spelling - 1
  return kind == TIMESTAMPS ? TIMESTAMP : WORD
}

@inline
export function addNumber(start: usize, end: usize, valueClass: u32, whole: u32, places: u32, record: u32): void {
  if (isFraction(valueClass)) {
    addDigits(valueClass, whole, places)
    addFraction(start, end, whole, places, record + 1)
  } else if (valueClass == NUMBER || valueClass == NUMBER_COMMA) {
    addOtherDigits(valueClass)
    addOther(numberEnd, record + 1)
  } else if (valueClass == TOO_LONG || valueClass == PADDED || valueClass == SIGNED) addOtherDigits(valueClass)
}

/** Adds those of the last scanned number; so many that no decimal has them if it has an exponent. */
function addOtherDigits(valueClass: u32): void {
  if (hasExponent) addDigits(valueClass, 99, 0)
  else addDigits(valueClass, max(wholeCount as u32, 1), fractionCount as u32)
}

/** Gathers only the facts of a column. */
export function readFacts(column: u32, records: u32): void {
  beginRead(records)
  const step = (width as usize) << 2
  const trims = hasReturn(column)
  let place = placeOf(column)
  for (let record: u32 = 0; record < records; record++, place += step) {
    let start = startAt(place)
    let end = endAt(place, trims)
    if (start == end && isEmptyNull) {
      nullCount++
      continue
    }
    if ((load<u8>(start) as u32) == quote && start != end) {
      unquote(start, end)
      start = textStart
      end = textEnd
    }
    if (form != DETECTED && isMissing(start, end)) nullCount++
    else addFact(start, end, record)
  }
  storeNumberTexts()
  valueCount = records - nullCount
}

@inline
function addFact(start: usize, end: usize, record: u32): void {
  const valueClass = classOf(start, end)
  if (valueClass == WORD) addWords(classWord, 1)
  else {
    addValue(valueClass, record + 1)
    if (valueClass != TEXT) addNumber(textStart, textEnd, valueClass, classWhole, classScale, record)
  }
}

/** Whether a text is none but a text: values and words are shorter, or begin with another byte, but for blanks. */
@inline
function isPlainText(start: usize, bytes: usize): bool {
  return bytes > 5 && (load<u8>(start) as u32) - 43 > 14 && !isPadded(start, start + bytes)
}

/** Copies the texts of a column one after another, each after its length, u32. */
export function readTexts(column: u32, records: u32): void {
  beginRead(records)
  const step = (width as usize) << 2
  const trims = hasReturn(column)
  let place = placeOf(column)
  let out = texts + 4
  let plainTexts: u32 = 0
  for (let record: u32 = 0; record < records; record++, place += step) {
    const start = startAt(place)
    const end = endAt(place, trims)
    let bytes = end - start
    const isQuoted = bytes > 0 && (load<u8>(start) as u32) == quote
    if (isQuoted) bytes = copyUnquoted(out, start + 1, end - 1) - out
    else copyText(out, start, bytes)
    if (bytes == 0 ? (isQuoted ? isQuotedEmptyNull : isEmptyNull) : isMissing(out, out + bytes)) {
      clearLevel(record)
      nullCount++
      continue
    }
    // Most texts begin with a letter and are longer than any word: one check is enough for them.
    if (plainTexts > 2 && isPlainText(out, bytes)) plainTexts++
    else {
      addFact(out, out + bytes, record)
      if (plainTexts < 3 && isPlainText(out, bytes)) plainTexts++
    }
    store<u32>(out - 4, bytes as u32)
    out += bytes + 4
  }
  if (plainTexts > 3) addCount(TEXT, plainTexts - 3)
  storeNumberTexts()
  copiedEnd = out - 4
  valueCount = records - nullCount
}
