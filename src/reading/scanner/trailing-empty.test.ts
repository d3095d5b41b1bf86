// Tests of withTrailingEmpty(): empty records at the end are blank, earlier ones are records, however a file is split.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { createFileScanner } from './file-scanner.ts'
import { ignoredCount, type ScanResult } from './scanner.ts'
import { buildScanner, everyCut, markedText, outcomeOf, plain } from './scanner-cases.testing.ts'
import { emptyRecordsMax, withTrailingEmpty } from './trailing-empty.ts'
import { createScanner } from './wasm-scanner.ts'

before(() => buildScanner())

const create = withTrailingEmpty(createFileScanner(createScanner))
const options = { ...plain, encoding: 'utf-8' }

const cases: readonly [text: string, accepted: string, blank: number, empty: number][] = [
  ['1,2,3\n,,\n,,\n', '1,2,3\n', 2, 2],
  ['1,2,3\r\n,,\r\n\r\n,,', '1,2,3\r\n', 3, 2],
  [',,\n,,\n1,2,\n,,\n4,,\n', ',,\n,,\n1,2,\n,,\n4,,\n', 0, 0],
  [',,\n,,\n', '', 2, 2],
  ['1,2,3\n,,\nbroken\n,,\n', '1,2,3\n', 2, 2],
  ['1,2,"\n,,"\n,,\n"",,\n', '1,2,"\n,,"\n,,\n"",,\n', 0, 0],
  ['1,2,3\n', '1,2,3\n', 0, 0],
]

test('withTrailingEmpty() counts empty records at the end as blank, however the file is split', () => {
  for (const [text, accepted, blank, empty] of cases) {
    for (const chunks of everyCut(Buffer.from(text))) {
      const expected = outcomeOf(create(options), chunks)
      const marking = outcomeOf(create({ ...options, marksRejects: true }), chunks)
      assert.deepEqual(marking, expected, text)
      assert.deepEqual([expected.text, expected.blank], [accepted, blank], text)
      const { rejected } = expected.bytes
      assert.deepEqual(expected.bytes, { blank: text.length - accepted.length - rejected, skipped: 0, rejected }, text)
      assert.equal(expected.accepted, accepted.replaceAll(/"[^"]*"/g, '').split('\n').length - 1, text)
      const scanner = create(options)
      for (const chunk of chunks) scanner.push(chunk)
      assert.equal(scanner.end().emptyAtEnd ?? 0, empty, text)
    }
  }
})

test('withTrailingEmpty() counts the same records as blank if readable ones are excluded', () => {
  for (const [text, ordinals, accepted, blank] of [
    ['1,2,3\n,,\n4,5,6\n', [3], '1,2,3\n,,\n', 0],
    ['1,2,3\n,,\n4,5,6\n,,\n', [3], '1,2,3\n,,\n', 1],
    [',,\n1,2,3\n', [2], ',,\n', 0],
    ['1,2,3\n,,\n,,\n4,5,6\n,,\n', [2, 4], '1,2,3\n,,\n', 1],
    ['1,2,3\n,,\nbroken\n4,5,6\nbroken\n,,\n', [1, 3], ',,\n', 1],
  ] as const) {
    for (const chunks of everyCut(Buffer.from(text))) {
      const scanner = create({ ...options, marksRejects: true })
      scanner.exclude(ordinals)
      const seen: Buffer[] = []
      let [count, blanks, excluded] = [0, 0, 0]
      const add = (scanned: ScanResult) => {
        seen.push(...scanned.pieces.map((piece) => Buffer.from(piece)))
        count += scanned.accepted
        blanks += ignoredCount(scanned)
        excluded += scanned.rejects.filter(({ reason }) => reason === 'constraint').length
      }
      for (const chunk of chunks) add(scanner.push(chunk))
      add(scanner.end())
      const lines = accepted.split('\n').length - 1
      const found = [Buffer.concat(seen).toString(), count, blanks, excluded]
      assert.deepEqual(found, [accepted, lines, blank, ordinals.length], text)
    }
  }
})

test('withTrailingEmpty() treats a carriage return as part of a line end only if lines end with it', () => {
  const ends = (lineEnd: 'lf' | 'cr', quote: number | null, text: string) =>
    [...everyCut(Buffer.from(text))].map((chunks) => {
      const { accepted, blank, rejects } = outcomeOf(create({ ...options, lineEnd, quote }), chunks)
      return [accepted, blank, rejects.length]
    })
  const alike = (seen: readonly number[][], wanted: readonly number[]) => {
    for (const one of seen) assert.deepEqual(one, wanted)
  }
  alike(ends('cr', 34, '1,2,3\r,,\r,,\r'), [1, 2, 0])
  alike(ends('cr', 34, '1,2,3\r,\n,\r,,\r'), [2, 1, 0])
  alike(ends('lf', 34, '1,2,3\n,\r,\n,,\n'), [2, 1, 0])
  alike(ends('lf', null, '1,2,3\n,\r,\n,,\r\n,,\n'), [1, 2, 1])
  alike(ends('lf', 34, '1,2,3\n,,\r\n,,\n4,5,6\n,,\r\n,,'), [4, 2, 0])
})

test('withTrailingEmpty() takes the end of a value with escaped line ends for no empty record', () => {
  const escaped = { ...options, escape: 92, isEscapeDeclared: true }
  for (const [text, accepted, blank] of [
    ['1,2,x\\\n\n', '1,2,x\\\n\n', 0],
    ['1,2,x\\\r\n\r\n', '1,2,x\\\r\n\r\n', 0],
    ['x\\\n,,\n,,\n', 'x\\\n,,\n', 1],
    ['1,2,x\\\n\n,,\n4,5,6\n', '1,2,x\\\n\n,,\n4,5,6\n', 0],
    ['1,2,x\\\\\n,,\n', '1,2,x\\\\\n', 1],
    ['1,2,\\\\\\\n\n', '1,2,\\\\\\\n\n', 0],
  ] as const) {
    for (const chunks of everyCut(Buffer.from(text))) {
      const outcome = outcomeOf(create(escaped), chunks)
      assert.deepEqual([outcome.text, outcome.blank], [accepted, blank], JSON.stringify(text))
    }
  }
})

test('withTrailingEmpty() passes on empty records before a record, and treats a long run as data', () => {
  const run = ',,\n'.repeat(emptyRecordsMax)
  for (const [text, accepted, blank] of [
    [`1,2,3\n${run}`, 1, emptyRecordsMax],
    [`1,2,3\n${run}4,5,6\n,,\n`, emptyRecordsMax + 2, 1],
    [`1,2,3\n${run},,\n`, emptyRecordsMax + 2, 0],
    [`1,2,3\n${run},,\n4,5,6\n,,\n`, emptyRecordsMax + 3, 1],
  ] as const) {
    for (const [size, marksRejects] of [
      [1_000_000, false],
      [4_096, false],
      [1_000_000, true],
      [4_096, true],
    ] as const) {
      const scanner = create({ ...options, marksRejects })
      const all: ScanResult[] = []
      let bytes = 0
      const take = (scanned: ScanResult) => {
        all.push(scanned)
        bytes += scanned.pieces.reduce((sum, { length }) => sum + length, 0)
      }
      for (let at = 0; at < text.length; at += size) take(scanner.push(Buffer.from(text.slice(at, at + size))))
      take(scanner.end())
      const sum = (of: (one: ScanResult) => number) => all.reduce((total, one) => total + of(one), 0)
      assert.deepEqual([sum((one) => one.accepted), sum(ignoredCount)], [accepted, blank])
      assert.equal(bytes, text.length - 3 * blank)
    }
  }
})

test('withTrailingEmpty() marks rejects among empty records in place, whether a record follows or not', () => {
  for (const [text, wanted, readable] of [
    ['1,2,3\n,,\nbad\n,,\n4,5,6\nworse\n', '1,2,3\n,,\n<3>,,\n4,5,6\n<6>', [2, 4]],
    ['1,2,3\n,,\nbad\n,,\nworse\n,,\n', '1,2,3\n<3><5>', [2, 3]],
    ['bad\n,,\n1,2,3\n', '<1>,,\n1,2,3\n', [0]],
  ] as const) {
    for (const chunks of everyCut(Buffer.from(text))) {
      const expected = markedText(create({ ...options, marksRejects: true }), chunks)
      assert.deepEqual(expected, { marked: wanted, readable }, text)
    }
  }
})
