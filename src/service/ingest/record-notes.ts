// Record notes: findings of the scan: comments, records with unbalanced quotes, values that look like records.
import type { FirstOf } from '../../core/first-of.ts'
import { type Note, note, noteLinesMax } from '../../core/notes.ts'
import type { Reading } from '../../reading/reading.ts'
import type { RunawayValue } from '../../reading/scanner/scanner.ts'
import type { RecordTally } from './record-tally.ts'

/** A message names this many values and counts the others. */
const namedMax = 3

/** Notes what was skipped, and what was read despite wrong quotes. */
export function recordNotes(
  { before, dialect }: Pick<Reading, 'before' | 'dialect'>,
  tally: RecordTally,
): readonly Note[] {
  const { repaired, otherEscapes, runaways } = tally
  const comments = before.comments + tally.skipped
  const commentLines = [...before.commentLines, ...tally.comments.first].slice(0, noteLinesMax)
  return [
    ...(tally.rejected > tally.accepted && tally.rejected > 2 ? [mostRejectedNote(tally)] : []),
    ...(comments === 0 ? [] : [commentNote(comments, commentLines)]),
    ...(repaired.count === 0 ? [] : [repairedNote(repaired)]),
    ...(tally.emptyAtEnd === 0 ? [] : [emptyNote(tally)]),
    ...(otherEscapes.count === 0 ? [] : [otherEscapeNote(otherEscapes, dialect.escapeChar)]),
    ...(runaways.split.count === 0 ? [] : [splitNote(runaways.split)]),
    ...(runaways.kept.count === 0 ? [] : [keptNote(runaways.kept)]),
  ]
}

/** Notes of the head that hold for the whole file: its last column may have values further down. */
export function lastingNotes(notes: readonly Note[], isLastEmpty: boolean): readonly Note[] {
  return isLastEmpty ? notes : notes.filter(({ code }) => code !== 'LAST_COLUMN_EMPTY')
}

function mostRejectedNote({ accepted, rejected, first }: RecordTally): Note {
  const message = `${rejected} records were rejected and only ${accepted} accepted: the file may be prose, or have another dialect.`
  return note('MOST_REJECTED', message, { lines: first.map(({ line }) => line) })
}

function commentNote(count: number, lines: readonly number[]): Note {
  const are = count === 1 ? '1 line was skipped as a comment' : `${count} lines were skipped as comments`
  return note('COMMENTS_SKIPPED', `${are} (${linesText(lines, count)}).`, { lines })
}

function emptyNote({ emptyAtEnd: count }: RecordTally): Note {
  const are = count === 1 ? 'The last record has' : `The last ${count} records have`
  const message = `${are} no value in any field; ${count === 1 ? 'it is' : 'they are'} counted as blank.`
  return note('EMPTY_RECORDS_AT_END', message)
}

function repairedNote({ count, first: lines }: FirstOf<number>): Note {
  const records = count === 1 ? '1 record has' : `${count} records have`
  const message = `${records} an extra quote but can be read in only one way; the quote is kept as text (${linesText(lines, count)}).`
  return note('QUOTE_REPAIRED', message, { lines })
}

function otherEscapeNote({ count, first: lines }: FirstOf<number>, escapeChar: string | null): Note {
  const records = count === 1 ? '1 record has its' : `${count} records have their`
  const [here, elsewhere] =
    escapeChar === null ? ['escaped by a backslash', 'doubled'] : ['doubled', `escaped by ${escapeChar}`]
  const message = `${records} quotes ${here}, where the rest of the file has them ${elsewhere} (${linesText(lines, count)}); they are read as intended.`
  return note('ESCAPE_MIXED', message, { lines })
}

function linesText(lines: readonly number[], count: number): string {
  const named = lines.slice(0, namedMax)
  return `${count === 1 ? 'line' : 'lines'} ${named.join(', ')}${count > named.length ? ', …' : ''}`
}

function splitNote(split: FirstOf<RunawayValue>): Note {
  const [are, opening] =
    split.count === 1
      ? ['Two stray quotes would make one value of', 'the line on which the quote opens is a reject']
      : ['Stray quotes would make single values of', 'each line on which one opens is a reject']
  const message = `${are} ${stretches(split)}, which look like records of this table: they are read as records, ${opening}.`
  return note('QUOTE_RUNAWAY', message, { lines: endsOf(split) })
}

function keptNote(kept: FirstOf<RunawayValue>): Note {
  const [value, is] =
    kept.count === 1
      ? ['A quoted value runs', 'it is read as one value']
      : ['Quoted values run', 'each is read as one value']
  const message = `${value} over ${stretches(kept)}, which look like records of this table: ${is}.`
  return note('VALUE_LIKE_RECORDS', message, { lines: endsOf(kept) })
}

function stretches({ count, first }: FirstOf<RunawayValue>): string {
  const named = first.slice(0, namedMax).map(({ line, lineCount }) => `lines ${line} to ${line + lineCount - 1}`)
  return named.join(', ') + (count > named.length ? ', …' : '')
}

/** First and last line of each. */
function endsOf({ first }: FirstOf<RunawayValue>): number[] {
  return first.flatMap(({ line, lineCount }) => [line, line + lineCount - 1])
}
