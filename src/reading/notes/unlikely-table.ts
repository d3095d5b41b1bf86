// Unlikely table: notes that a text reads as prose, code, a log or settings, by figures of its lines. Knows no format by name.
import { type Note, note } from '../../core/notes.ts'
import { fits, isBlank, lineText, recordCount, recordValues, type Tokens } from '../sniffer/tokenize.ts'
import { isMeasured, kindOf } from '../sniffer/value-kind.ts'

/** Lines that are looked at. */
const rowsMax = 1000
/** Fewer lines prove nothing. */
const rowsMin = 5
/** Signs that together make a table unlikely. */
const signsMin = 2

/** One sign that the lines are no records, and how much it counts. */
interface Sign {
  readonly weight: number
  readonly text: string
}

/** @param rows Records that are neither comments nor blank, in order. */
export function unlikelyTable(tokens: Tokens, width: number, rows: readonly number[], isAligned: boolean): Note[] {
  const seen = rows.slice(0, rowsMax)
  const comments = width === 1 ? commentsAmong(tokens, rows) : 0
  if (seen.length + comments < rowsMin) return []
  const lines = seen.map((record) => lineText(tokens, record))
  const signs = [
    ...sign(comments / (comments + rows.length), [0.8, 1], 'of the lines are comments', signsMin),
    ...commonSigns(lines, gapsIn(tokens, seen)),
    ...(width === 1 ? lineSigns(lines, isAligned) : fieldSigns(tokens, width, seen)),
  ]
  if (signs.reduce((sum, { weight }) => sum + weight, 0) < signsMin) return []
  const texts = signs.filter(({ weight }) => weight > 0).map(({ text }) => text)
  const message = `The lines do not read as records of a table: ${texts.join(', ')}. Please check that it is the right file.`
  return [note('UNLIKELY_TABLE', message)]
}

function commentsAmong(tokens: Tokens, rows: readonly number[]): number {
  let others = 0
  for (let record = 0; record < recordCount(tokens); record += 1) if (!isBlank(tokens, record)) others += 1
  return others - rows.length
}

/** The share of blank lines between the first and the last of the rows. */
function gapsIn(tokens: Tokens, rows: readonly number[]): number {
  const [first = 0, last = 0] = [rows[0], rows.at(-1)]
  let blanks = 0
  for (let record = first; record < last; record += 1) if (isBlank(tokens, record)) blanks += 1
  return blanks / (last - first + 1)
}

function sign(share: number, [min, max]: readonly [number, number], what: string, weight = 1): Sign[] {
  if (share < min || share > max) return []
  return [{ weight, text: `${Math.round(100 * share)} % ${what}` }]
}

function commonSigns(lines: readonly string[], gaps: number): Sign[] {
  const share = (test: (line: string) => boolean) => lines.filter(test).length / lines.length
  return [
    ...sign(gaps, [0.1, 1], 'of the lines are blank'),
    ...sign(
      share((line) => /^\s/.test(line)),
      [0.1, 0.9],
      'begin with blanks',
    ),
    ...sign(share(hasOpenBracket), [0.1, 1], 'have a bracket without its twin'),
  ]
}

/** Lines that are one value each. A program that writes CSV quotes a value with a delimiter. */
function lineSigns(lines: readonly string[], isAligned: boolean): Sign[] {
  const share = (test: RegExp) => lines.filter((line) => test.test(line)).length / lines.length
  return [
    ...sign(isAligned ? 1 : 0, [1, 1], 'have aligned columns', signsMin),
    ...sign(share(/^[^"]*[,;\t|]/), [0.1, 1], 'have a delimiter'),
    ...sign(share(/[{}()[\]<>=]|:(?:\s|$)/), [0.1, 0.9], 'have brackets, equals signs or colons'),
    ...sign(share(/^\s*(?:-\s+)?["']?[a-z_][\w.\s"'-]*(?:=|:(?:\s|$))/i), [0.6, 1], 'name a value', signsMin),
    ...sign(share(/^[^"]\S*(?:\s+\S+){3}/), [0.3, 1], 'have four words or more'),
    ...sign(share(/^[^"]\S*(?:\s+\S+){5}/), [0.95, 1], 'have six or more'),
  ]
}

/** Records of several fields. */
function fieldSigns(tokens: Tokens, width: number, rows: readonly number[]): Sign[] {
  const fitting = rows.filter((record) => fits(tokens, record, width))
  const values = fitting.map((record) => recordValues(tokens, record))
  // One by one: mostly the first of thousands is typed.
  const column = (at: number) => values.map((row) => row[at] ?? '').filter((one) => one !== '')
  const isTyped = Array.from({ length: width }, (_, at) => at).some((at) => {
    const texts = column(at)
    const typed = texts.filter((value) => isMeasured(kindOf(value.trim())))
    // One may be the name of the column.
    return typed.length >= signsMin && typed.length >= (texts.length - 1) * 0.8
  })
  // In most files, one look replaces one for each value.
  const open = bracket.test(tokens.text) ? values.filter((row) => row.some(hasOpenBracket)) : []
  const split = open.length / Math.max(1, values.length)
  const others = 1 - fitting.length / rows.length
  const isMost = others > 0.35 && rows.length > rowsMin
  const isIndented = [0x09, 0x20].includes(tokens.layout.delimiter) && column(0).length === 0
  return [
    ...(isTyped ? [{ weight: -signsMin, text: '' }] : []),
    ...sign(others, [0.2, 1], 'have another number of fields', isMost ? signsMin : 1),
    ...sign(split, [0.3, 1], 'have a delimiter in brackets', 2 * signsMin),
    ...sign(isIndented ? 1 : 0, [1, 1], 'begin with a delimiter', signsMin),
  ]
}

const bracket = /[()[\]{}]/

/** True if round, square and curly brackets do not balance. */
function hasOpenBracket(text: string): boolean {
  // Half of the time of a head of 2,000 columns went into the characters of lines without any.
  if (!bracket.test(text)) return false
  let open = 0
  for (const character of text) {
    if ('([{'.includes(character)) open += 1
    else if (')]}'.includes(character)) open -= 1
    if (open < 0) return true
  }
  return open > 0
}
