// Read numbered: reads a column with few distinct texts as numbers of a dictionary. A text is looked up by its bytes
// without the quotes of its field, so that only new texts are classified and copied. Knows no Parquet.
import { addNumber, beginRead, clearLevel, endRead, hasReturn, placeOf } from './read-column'
import { classOf, classScale, classWhole, classWord } from './facts/classify-value'
import { TEXT, WORD } from './values/value-classes'
import { addCount, addRecord, addWords } from './facts/facts'
import { storeNumberTexts } from './facts/number-texts'
import { quote, width } from './fields/dialect'
import { copyUnquoted, endAt, hasQuote, startAt, textEnd, textStart } from './fields/field-text'
import {
  BYTES, CLASS, WORD_NUMBER, addText, countOf, countText, dictionaryBytes, entryCount, forgetTexts, numberOf, recordOf,
  rowAfter, rowOf, textRowsEnd,
} from './known-texts'
import { TEXT_ROWS, packed, texts } from './memory'
import { isEmptyNull, isMissing, isQuotedEmptyNull } from './rules/rules'

/** A column has too many distinct texts if they exceed a quarter of those seen by more than this. */
const differentMax: u32 = 1024

/**
 * Numbers the texts, u16 each at `packed`. Returns false if too many are distinct or too long, or if a dictionary would
 * save nothing; then the column counts as unread.
 */
export function readNumbered(column: u32, records: u32): bool {
  beginRead(records)
  forgetTexts()
  const step = (width as usize) << 2
  const trims = hasReturn(column)
  let place = placeOf(column)
  let out = packed
  let nulls: u32 = 0
  for (let record: u32 = 0; record < records; record++, place += step) {
    let start = startAt(place)
    let end = endAt(place, trims)
    let isNull = start == end && isEmptyNull
    if (start != end && (load<u8>(start) as u32) == quote) {
      start++
      end--
      isNull = start == end && isQuotedEmptyNull
      if (hasQuote(start, end)) {
        end = copyUnquoted(texts, start, end)
        start = texts
      }
    }
    if (isNull || (start != end && isMissing(start, end))) {
      clearLevel(record)
      nulls++
      continue
    }
    let row = rowOf(start, end - start)
    if (row == 0) {
      row = addRow(start, end, record)
      if (row == 0 || entryCount > differentMax + ((record - nulls) >> 2)) return false
    }
    countText(row, record + 1)
    store<u16>(out, numberOf(row))
    out += 2
  }
  if (!addFacts()) return false
  endRead(records, nulls)
  return true
}

/** Adds a new text and returns its row; 0 if there is no room. */
function addRow(start: usize, end: usize, record: u32): usize {
  const row = addText(start, end - start)
  if (row == 0) return 0
  const valueClass = classOf(start, end)
  store<u32>(row, valueClass, CLASS)
  if (valueClass == WORD) store<u32>(row, classWord, WORD_NUMBER)
  else if (valueClass != TEXT) addNumber(textStart, textEnd, valueClass, classWhole, classScale, record)
  return row
}

/** Adds the facts of all texts. Returns false if the dictionary takes as much room as the texts. */
function addFacts(): bool {
  let bytes: usize = 0
  for (let row = TEXT_ROWS; row < textRowsEnd(); row = rowAfter(row)) {
    const count = countOf(row)
    const valueClass = load<u32>(row, CLASS)
    bytes += (count as usize) * (load<u32>(row, BYTES) as usize)
    if (valueClass == WORD) addWords(load<u32>(row, WORD_NUMBER), count)
    else {
      for (let i: u32 = 0; i < min(count, 3); i++) addRecord(valueClass, recordOf(row, i))
      addCount(valueClass, count)
    }
  }
  storeNumberTexts()
  return (dictionaryBytes as usize) < bytes
}
