// Tests of record notes: each has its code and lines, and says how the records were read.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readHead } from '../../reading/read-head.ts'
import { recordNotes } from './record-notes.ts'
import { RecordTally } from './record-tally.ts'

const reading = readHead(Buffer.from('a,b\n1,2\n'), true)
const nothing = {
  pieces: [],
  isVerbatim: false,
  accepted: 0,
  repairedLines: [],
  otherEscapeLines: [],
  ignored: [],
  rejects: [],
  consumedTo: 0,
  lines: 0,
}

test('recordNotes() names the first and last lines of values that look like records', () => {
  const tally = new RecordTally()
  assert.deepEqual(recordNotes(reading, tally), [])
  tally.add({ ...nothing, runaways: [{ line: 2, lineCount: 100, isSplit: true }] })
  for (let line = 200; line < 240; line += 2) {
    tally.add({ ...nothing, runaways: [{ line, lineCount: 2, isSplit: false }] })
  }
  const [split, kept] = recordNotes(reading, tally)
  assert.equal(split?.code, 'QUOTE_RUNAWAY')
  assert.deepEqual(split.lines, [2, 101])
  assert.match(split.message, /^Two stray quotes would make one value of lines 2 to 101, .* is a reject\.$/)
  assert.equal(kept?.code, 'VALUE_LIKE_RECORDS')
  assert.equal(kept.lines?.length, 20)
  assert.match(kept.message, /^Quoted values run over lines 200 to 201, lines 202 to 203, lines 204 to 205, …, /)
})

test('recordNotes() names the lines of repaired records', () => {
  const tally = new RecordTally()
  tally.add({ ...nothing, repairedLines: [4, 9], runaways: [] })
  assert.deepEqual(recordNotes(reading, tally), [
    {
      code: 'QUOTE_REPAIRED',
      message: '2 records have an extra quote but can be read in only one way; the quote is kept as text (lines 4, 9).',
      lines: [4, 9],
    },
  ])
})

test('recordNotes() counts comments above the table and in it', () => {
  const tally = new RecordTally()
  const comment = { kind: 'skipped', byteOffset: 0, endOffset: 3, count: 1, readable: 1 } as const
  tally.add({ ...nothing, runaways: [], ignored: [7, 9].map((line) => ({ ...comment, line })) })
  const headed = readHead(Buffer.from('# made\na,b\n1,2\n#x\n3,4\n'), true)
  assert.deepEqual(recordNotes(headed, tally), [
    { code: 'COMMENTS_SKIPPED', message: '3 lines were skipped as comments (lines 1, 7, 9).', lines: [1, 7, 9] },
  ])
})

test('recordNotes() notes that most records were rejected', () => {
  const tally = new RecordTally()
  const place = { record: 2, line: 2, byteOffset: 4, byteLength: 3, column: null }
  const reject = { ...place, detail: 1, wanted: 2, endOffset: 8 }
  const rejects = [2, 3, 5].map((line) => ({ ...reject, line, reason: 'too_few_fields' as const }))
  tally.add({ ...nothing, runaways: [], accepted: 3, rejects })
  assert.deepEqual(recordNotes(reading, tally), [])
  tally.add({ ...nothing, runaways: [], rejects: [{ ...reject, line: 9, reason: 'too_few_fields' }] })
  assert.deepEqual(
    recordNotes(reading, tally).map(({ code, lines }) => [code, lines]),
    [['MOST_REJECTED', [2, 3, 5, 9]]],
  )
})

test('recordNotes() names the lines of records whose quotes have another escape than the rest of the file', () => {
  const tally = new RecordTally()
  tally.add({ ...nothing, otherEscapeLines: [4, 9], runaways: [] })
  const escaped = { ...reading, dialect: { ...reading.dialect, escapeChar: '\\' } }
  const [[doubling], [escaping]] = [recordNotes(reading, tally), recordNotes(escaped, tally)]
  assert.deepEqual([doubling?.code, doubling?.lines], ['ESCAPE_MIXED', [4, 9]])
  assert.match(doubling!.message, /^2 records have their quotes escaped by a backslash, .* doubled \(lines 4, 9\)/)
  assert.match(escaping!.message, /^2 records have their quotes doubled, .* escaped by \\ \(lines 4, 9\)/)
})
