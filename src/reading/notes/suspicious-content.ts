// Suspicious content: what a file seems to be that it is not read as: markup, aligned columns, records ended another way. It decides nothing.

import { type Note, note } from '../../core/notes.ts'
import { fits, type Tokens } from '../sniffer/tokenize.ts'
import { linesOf } from './line-numbers.ts'

const markups: readonly (readonly [kind: string, begins: RegExp])[] = [
  ['an HTML page', /^\s*<(?:!doctype html|html|head|body|table)\b/i],
  ['XML', /^\s*<\?xml\b/i],
  ['JSON', /^\s*(?:\{\s*"|\[\s*[[{])/],
]
const alignedRowsMax = 200

/** Notes what the table may be instead. @param rows Records that are no comment and not blank, in order. */
export function suspiciousContent(tokens: Tokens, width: number, rows: readonly number[]): Note[] {
  const notes: Note[] = []
  const markup = markups.find(([, begins]) => begins.test(tokens.text.slice(0, 1000)))
  if (markup !== undefined) {
    const message = `The file looks like ${markup[0]}, not like a table: please check that it is the right one.`
    notes.push(note('NOT_A_TABLE', message))
  }
  if (width === 1 && isAligned(tokens, rows)) {
    const message =
      'The columns seem to be aligned with blanks: each line is read as one value, because several blanks are not one delimiter.'
    notes.push(note('ALIGNED_COLUMNS', message))
  }
  const joined = joinedByReturn(tokens, width, rows)
  if (joined.length > 0) {
    const lines = linesOf(tokens, joined)
    const message = `Some records seem to end with a lone carriage return (${lines.text}): it ends no record in this file, so they are rejects.`
    notes.push(note('RECORDS_END_WITH_CR', message, lines))
  }
  return notes
}

/** True when most lines have as many words as one another, three at least, and several blanks between some of them. */
function isAligned({ text, recordStarts, recordEnds }: Tokens, rows: readonly number[]): boolean {
  const counts = new Map<number, number>()
  let aligned = 0
  const seen = rows.slice(0, alignedRowsMax)
  for (const record of seen) {
    const line = text.slice(recordStarts[record], recordEnds[record]).trim()
    const words = line.split(/ +/).length
    if (words > 2) counts.set(words, (counts.get(words) ?? 0) + 1)
    if (line.includes('  ')) aligned += 1
  }
  const most = Math.max(0, ...counts.values())
  return most > 2 && most >= seen.length * 0.6 && aligned >= seen.length * 0.6
}

/** Records of another width whose pieces between lone carriage returns are all of the right one. */
function joinedByReturn(tokens: Tokens, width: number, rows: readonly number[]): number[] {
  const { text, layout, recordStarts, recordEnds } = tokens
  if (layout.lineEnd === 'cr' || width < 2 || !text.includes('\r') || !/\r(?!\n)/.test(text)) return []
  const delimiter = String.fromCharCode(layout.delimiter)
  return rows.filter((record) => {
    if (fits(tokens, record, width)) return false
    const pieces = text.slice(recordStarts[record], recordEnds[record]).split('\r')
    return pieces.length > 1 && pieces.every((piece) => piece.split(delimiter).length === width)
  })
}
