// Read numbered: reads a column with few distinct texts as numbers of a dictionary. Fields are looked up as they are in
// the file, quotes included, so that only new fields are unquoted, classified and copied. Knows no Parquet.
import { addNumber, beginRead, clearLevel, endRead, hasReturn, placeOf } from './read-column'
import { classOf, classScale, classWhole, classWord } from './facts/classify-value'
import { TEXT, WORD } from './facts/value-classes'
import { addCount, addRecord, addWords } from './facts/facts'
import { storeNumberTexts } from './facts/number-texts'
import { quote, width } from './fields/dialect'
import { copyUnquoted } from './fields/field-text'
import {
  CLASS, NUMBER, TEXT_BYTES, WORD_NUMBER, addField, countField, countOf, fieldsEnd, forgetFields, recordOf, rowAfter, rowOf,
} from './fields/known-fields'
import { FIELDS, packed, texts } from './memory'
import { addEntry, beginDictionary, dictionaryBytes, entryCount } from './parquet/dictionary'

/** A column has too many distinct texts if they exceed a quarter of those seen by more than this. */
const differentMax: u32 = 1024

let hasQuoted: bool = false
let hasUnquoted: bool = false

/**
 * Numbers the texts, u16 each at `packed`. Returns false if too many are distinct or too long, or if a dictionary would
 * save nothing; then the column counts as unread.
 */
export function readNumbered(column: u32, records: u32): bool {
  beginRead(records)
  forgetFields()
  beginDictionary()
  hasQuoted = false
  hasUnquoted = false
  const step = (width as usize) << 2
  const trims = hasReturn(column)
  let place = placeOf(column)
  let out = packed
  let nulls: u32 = 0
  for (let record: u32 = 0; record < records; record++, place += step) {
    const start = (load<u32>(place - 4) as usize) + 1
    let end = load<u32>(place) as usize
    if (trims && end > start && load<u8>(end - 1) == 13) end--
    if (start == end) {
      clearLevel(record)
      nulls++
      continue
    }
    let row = rowOf(start, end - start)
    if (row == 0) {
      row = addRow(start, end, record + 1)
      if (row == 0 || entryCount > differentMax + ((record - nulls) >> 2)) return false
    }
    countField(row, record + 1)
    store<u16>(out, load<u32>(row, NUMBER))
    out += 2
  }
  if (!addFacts()) return false
  endRead(records, nulls)
  return true
}

/** Adds a new field and returns its row; 0 if there is no room. */
function addRow(start: usize, end: usize, record: u32): usize {
  const row = addField(start, end - start)
  if (row == 0) return 0
  const isQuoted = (load<u8>(start) as u32) == quote
  if (isQuoted) hasQuoted = true
  else hasUnquoted = true
  let textStart = start
  let textEnd = end
  if (isQuoted) {
    textStart = texts
    textEnd = copyUnquoted(texts, start + 1, end - 1)
  }
  const bytes = textEnd - textStart
  const same = hasQuoted && hasUnquoted ? otherRow(textStart, bytes, isQuoted) : 0
  if (same != 0) {
    for (let at = NUMBER; at <= WORD_NUMBER; at += 4) store<u32>(row + at, load<u32>(same + at))
    return row
  }
  store<u32>(row, entryCount, NUMBER)
  store<u32>(row, bytes as u32, TEXT_BYTES)
  const valueClass = classOf(textStart, textEnd)
  store<u32>(row, valueClass, CLASS)
  if (valueClass == WORD) store<u32>(row, classWord, WORD_NUMBER)
  else if (valueClass != TEXT) addNumber(textStart, textEnd, valueClass, classWhole, classScale, record - 1)
  return addEntry(textStart, bytes) ? row : 0
}

/** The row of the same text without quotes if this field has them, else with quotes; 0 if there is none. */
function otherRow(start: usize, bytes: usize, isQuoted: bool): usize {
  if (isQuoted) return rowOf(start, bytes)
  store<u8>(texts, quote)
  memory.copy(texts + 1, start, bytes)
  store<u8>(texts + 1 + bytes, quote)
  return rowOf(texts, bytes + 2)
}

/** Adds the facts of all fields. Returns false if the dictionary takes as much room as the texts. */
function addFacts(): bool {
  let bytes: usize = 0
  for (let row = FIELDS; row < fieldsEnd(); row = rowAfter(row)) {
    const count = countOf(row)
    const valueClass = load<u32>(row, CLASS)
    bytes += (count as usize) * (load<u32>(row, TEXT_BYTES) as usize)
    if (valueClass == WORD) addWords(load<u32>(row, WORD_NUMBER), count)
    else {
      for (let i: u32 = 0; i < min(count, 3); i++) addRecord(valueClass, recordOf(row, i))
      addCount(valueClass, count)
    }
  }
  storeNumberTexts()
  return (dictionaryBytes as usize) < bytes
}
