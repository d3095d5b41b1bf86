// Tests of quote-notes: each kind has its code, names where it begins and ends, and says how it was read.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { quoteNotes } from './quote-notes.ts'
import { RecordTally } from './record-tally.ts'

const nothing = {
  pieces: [],
  isVerbatim: false,
  accepted: 0,
  repairedLines: [],
  blank: 0,
  skipped: 0,
  rejects: [],
  consumedTo: 0,
  lines: 0,
}

test('quoteNotes() names values that look like records by their first and last line', () => {
  const tally = new RecordTally()
  assert.deepEqual(quoteNotes(tally), [])
  tally.add({ ...nothing, runaways: [{ line: 2, lineCount: 100, isSplit: true }] })
  for (let line = 200; line < 240; line += 2) {
    tally.add({ ...nothing, runaways: [{ line, lineCount: 2, isSplit: false }] })
  }
  const [split, kept] = quoteNotes(tally)
  assert.equal(split?.code, 'QUOTE_RUNAWAY')
  assert.deepEqual(split.lines, [2, 101])
  assert.match(split.message, /^Two stray quotes would make one value of lines 2 to 101, .* is a reject\.$/)
  assert.equal(kept?.code, 'VALUE_LIKE_RECORDS')
  assert.equal(kept.lines?.length, 20)
  assert.match(kept.message, /^Quoted values run over lines 200 to 201, lines 202 to 203, lines 204 to 205, …, /)
})

test('quoteNotes() names the lines of repaired records', () => {
  const tally = new RecordTally()
  tally.add({ ...nothing, repairedLines: [4, 9], runaways: [] })
  assert.deepEqual(quoteNotes(tally), [
    {
      code: 'QUOTE_REPAIRED',
      message:
        '2 records have a quote too many and could be meant in one way only; the quote is read as text (lines 4, 9).',
      lines: [4, 9],
    },
  ])
})
