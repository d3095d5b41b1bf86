// Long delimiter: notes that fields seem to be separated by several characters, such as `||` or `~|~`, of which one is
// used. Decides nothing.
import { type Note, note } from '../../core/notes.ts'
import { fits, rawField, type Tokens } from '../sniffer/tokenize.ts'

const recordsMax = 100
/** Fewer prove nothing. */
const recordsMin = 2
/** Characters of a delimiter beside the one that is used. */
const sidesMax = 3
/** What such a delimiter consists of: no letters or digits, nor signs, brackets, quotes and units of values. */
const marksAfter = /^[|~^;:#*@!&=<>§¦¬¤¶,\p{Cc}]*$/u
/** `a | b` and `a->b` have more before the character that is used. */
const marksBefore = /^[|~^;:#*@!&=<>§¦¬¤¶,\p{Cc} -]*$/u

/** @param rows Records that are neither comments nor blank, in order. */
export function longDelimiter(tokens: Tokens, width: number, rows: readonly number[]): Note[] {
  // Blanks between columns have a note of their own.
  if (width < 2 || tokens.layout.delimiter === 0x20) return []
  const records: number[] = []
  for (let at = 0; at < rows.length && records.length < recordsMax; at += 1) {
    const record = rows[at] as number
    if (fits(tokens, record, width)) records.push(record)
  }
  if (records.length < recordsMin || !hasWords(tokens, records)) return []
  const found = repeated(tokens, width, records) ?? withSides(tokens, width, records)
  if (found === null) return []
  const { delimiter, stays } = found
  const message = `Fields seem to be separated by ${nameOf(delimiter)}: a delimiter is one character, so ${stays}. Write the file with a delimiter of one character.`
  return [note('DELIMITER_TOO_LONG', message)]
}

interface LongDelimiter {
  readonly delimiter: string
  /** What becomes of its other characters. */
  readonly stays: string
}

/** `||`, `|~|`: every second field, or two of three, is the same in all records: empty, or the characters between. */
function repeated(tokens: Tokens, width: number, records: readonly number[]): LongDelimiter | null {
  const one = String.fromCharCode(tokens.layout.delimiter)
  const [first = 0] = records
  for (let period = 2; period <= sidesMax && period < width; period += 1) {
    // Spreadsheets write a single column without a name or values, too.
    if ((width - 1) % period !== 0 || (width === period + 1 && ',;\t'.includes(one))) continue
    const between = Array.from({ length: period }, (_, at) => fieldAt(tokens, first, at)).slice(1)
    if (between.some((text) => text.length > sidesMax || !marksAfter.test(text))) continue
    const isSplit = (record: number) => {
      for (let field = 1; field < width; field += 1) {
        const wanted = between[(field % period) - 1]
        if (wanted !== undefined && fieldAt(tokens, record, field) !== wanted) return false
      }
      return true
    }
    if (!records.every(isSplit) || !hasValues(tokens, records, period)) continue
    const stays = between.some((text) => text !== '')
      ? 'the rest of it is in columns between'
      : 'the columns between are empty'
    return { delimiter: one + between.map((text) => text + one).join(''), stays }
  }
  return null
}

/** `~|~`, `=|`: in all records, fields end with the same characters before the delimiter, or begin with some after it. */
function withSides(tokens: Tokens, width: number, records: readonly number[]): LongDelimiter | null {
  const { delimiter, skipInitialSpace } = tokens.layout
  const [first = 0] = records
  let before = /[^\p{L}\p{N}]*$/u.exec(fieldAt(tokens, first, 0))?.[0].slice(-sidesMax) ?? ''
  let after = /^[^\p{L}\p{N}]*/u.exec(fieldAt(tokens, first, 1))?.[0].slice(0, sidesMax) ?? ''
  // Where all fields begin or end so, those characters belong to the values.
  let isBeforeLast = true
  let isAfterFirst = true
  for (const record of records) {
    for (let field = 0; field < width; field += 1) {
      const text = fieldAt(tokens, record, field)
      // The blanks of an empty field were skipped with those after the delimiter.
      if (text === '' && skipInitialSpace) continue
      if (field < width - 1) while (!text.endsWith(before)) before = before.slice(1)
      if (field > 0) while (!text.startsWith(after)) after = after.slice(0, -1)
      const isBoth = field > 0 && field < width - 1
      if (before + after === '' || (isBoth && text.length < before.length + after.length)) return null
    }
    isBeforeLast &&= fieldAt(tokens, record, width - 1).endsWith(before)
    isAfterFirst &&= fieldAt(tokens, record, 0).startsWith(after)
  }
  if (isBeforeLast) before = ''
  if (isAfterFirst) after = ''
  // Blanks before each delimiter alone pad the columns.
  if ((before.trim() === '' && after === '' && !skipInitialSpace) || before + after === '') return null
  if (!marksBefore.test(before) || !marksAfter.test(after)) return null
  const long = `${before}${String.fromCharCode(delimiter)}${skipInitialSpace ? ' ' : ''}${after}`
  return { delimiter: long, stays: 'its other characters stay in the values' }
}

/** False for values that consist of the same characters as such delimiters. */
function hasWords({ text, recordStarts, recordEnds }: Tokens, [first = 0]: readonly number[]): boolean {
  return /[\p{L}\p{N}]/u.test(text.slice(recordStarts[first], recordEnds[first]))
}

/** True if some of the fields that are values have one. */
function hasValues(tokens: Tokens, records: readonly number[], period: number): boolean {
  return records.some((record) => fieldAt(tokens, record, 0) !== '' && fieldAt(tokens, record, period) !== '')
}

/** As in the text, with its quotes. */
function fieldAt(tokens: Tokens, record: number, field: number): string {
  return rawField(tokens, (tokens.firstFields[record] ?? 0) + field)
}

function nameOf(delimiter: string): string {
  return /\p{Cc}/u.test(delimiter) ? JSON.stringify(delimiter) : `'${delimiter}'`
}
