// Tests of the header gap: records above and below the header are scanned as one file, however it is split and encoded.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readHead } from '../read-head.ts'
import { createFileScanner } from './file-scanner.ts'
import { buildScanner, cutAt, everyCut, markedText, outcomeOf, plain } from './scanner-cases.testing.ts'
import { createScanner } from './wasm-scanner.ts'

buildScanner()

const above = 'Report,2021\nBy:,me,x\n\n'
const header = 'id,name,n\n'
const text = `${above}${header}1,a,5\n2,b\n3,c,"7"\n4,d,8\n`

/** @param unit Bytes per character. */
function scannerOf(unit = 1, encoding = 'utf-8') {
  const gap = { byteOffset: unit * above.length, byteLength: unit * header.length, records: 1, lines: 1 }
  return createFileScanner(createScanner)({ ...plain, encoding, gap })
}

test('readHead() finds records above a header, and the position of the header', () => {
  const { before, names, notes } = readHead(Buffer.from(text.replace(',x\n', '')), true)
  assert.deepEqual(before.gap, { byteOffset: 19, byteLength: 10, records: 1, lines: 1 })
  assert.deepEqual([before.header, before.skipped, before.blank, before.lines, before.bytes], [1, 0, 0, 0, 0])
  assert.deepEqual(names, ['id', 'name', 'n'])
  assert.deepEqual(
    notes.map(({ code, lines }) => [code, lines]),
    [['RECORDS_ABOVE_TABLE', [1, 2]]],
  )
})

test('createFileScanner() with a gap scans records above the header but not the header', () => {
  const bytes = Buffer.from(text)
  for (const chunks of everyCut(bytes)) {
    const found = outcomeOf(scannerOf(), chunks)
    assert.equal(found.text, 'By:,me,x\n1,a,5\n3,c,"7"\n4,d,8\n')
    assert.deepEqual([found.accepted, found.blank, found.consumedTo, found.lines], [4, 1, bytes.length, 8])
    assert.deepEqual(
      found.rejects.map(({ record, line, byteOffset, reason }) => [record, line, byteOffset, reason]),
      [
        [1, 1, 0, 'too_few_fields'],
        [6, 6, 38, 'too_few_fields'],
      ],
    )
  }
})

test('createFileScanner() with a gap excludes records by their number in the whole file', () => {
  const bytes = Buffer.from(text)
  for (const chunks of everyCut(bytes)) {
    const { text: kept, rejects } = outcomeOf(scannerOf(), chunks, [1, 3])
    assert.equal(kept, '1,a,5\n4,d,8\n')
    assert.deepEqual(
      rejects.map(({ record, reason }) => [record, reason]),
      [
        [1, 'too_few_fields'],
        [2, 'constraint'],
        [6, 'too_few_fields'],
        [7, 'constraint'],
      ],
    )
  }
  const late = scannerOf()
  late.push(bytes.subarray(0, 40))
  late.exclude([4])
  const last = [late.push(bytes.subarray(40)), late.end()].flatMap(({ rejects }) => rejects)
  assert.deepEqual(
    last.flatMap(({ reason, detail }) => (reason === 'constraint' ? [detail] : [])),
    [4],
  )
})

test('createFileScanner() with a gap finds the header in other encodings', () => {
  const found = outcomeOf(scannerOf(2, 'utf-16le'), cutAt(Buffer.from(text, 'utf16le'), [7, 31, 62, 63]))
  assert.equal(found.text, 'By:,me,x\n1,a,5\n3,c,"7"\n4,d,8\n')
  assert.equal(found.lines, 8)
})

test('createFileScanner() with a gap accepts a file that ends above or at the header', () => {
  const bytes = Buffer.from(text)
  for (const end of [0, 5, above.length, above.length + header.length]) {
    const found = outcomeOf(scannerOf(), [bytes.subarray(0, end)])
    assert.equal(found.accepted, end < above.length ? 0 : 1, `${end}`)
  }
})

test('createFileScanner() with a gap marks rejects among accepted records, however the file is split', () => {
  for (const chunks of everyCut(Buffer.from(text))) {
    const gap = { byteOffset: above.length, byteLength: header.length, records: 1, lines: 1 }
    const scanner = createFileScanner(createScanner)({ ...plain, encoding: 'utf-8', gap, marksRejects: true })
    const { marked, readable } = markedText(scanner, chunks)
    assert.equal(marked, '<1>By:,me,x\n1,a,5\n<6>3,c,"7"\n4,d,8\n')
    assert.deepEqual(readable, [0, 2])
  }
})
