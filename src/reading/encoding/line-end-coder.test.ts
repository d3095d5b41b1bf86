// Tests of unusual line ends: detected in the head, read as CR LF however the file arrives, with places in the original.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomFrom } from '../../core/random.testing.ts'
import { readHead } from '../read-head.ts'
import { createFileScanner } from '../scanner/file-scanner.ts'
import { type FileScanOptions, ignoredCount, type ScanResult } from '../scanner/scanner.ts'
import { createScanner } from '../scanner/wasm-scanner.ts'
import { type UnusualLineEnd, unusualLineEnd, withUsualLineEnds } from './line-end-coder.ts'

const seed = Number(process.env.SEED ?? Date.now() % 1_000_000)
console.log(`seed ${seed}`)
const random = randomFrom(seed)

const heads: readonly [what: string, text: string, wanted: UnusualLineEnd | null][] = [
  ['CR CR LF', 'id,n\r\r\n1,2\r\r\n2,3\r\r\n', '\r\r\n'],
  ['CR CR LF behind quotes', '"id","n"\r\r\n"1","2"\r\r\n', '\r\r\n'],
  ['CR CR LF with CR LF in values', 'id,n\r\r\n1,"a\r\nb\r\nc"\r\r\n2,"d\r\ne"\r\r\n', '\r\r\n'],
  ['CR CR CR LF', '"id","n"\r\r\r\n"1","2"\r\r\r\n', '\r\r\n'],
  ['CR CR LF on a single line', 'id,n\r\r\n1,2', '\r\r\n'],
  ['LF CR', 'id,n\n\r1,2\n\r2,3\n\r', '\n\r'],
  ['LF CR without one at the end', 'id,n\n\r1,2\n\r2,3', '\n\r'],
  ['LF CR with blank lines', 'id,n\n\r\n\r1,2\n\r2,3\n\r', '\n\r'],
  ['CR LF', 'id,n\r\n1,2\r\n', null],
  ['CR LF with blank lines', 'id,n\r\n\r\n1,2\r\n\r\n', null],
  ['CR LF with a few values that end with CR', 'id,n\r\n1,2\r\r\n2,3\r\n3,4\r\n', null],
  ['LF', 'id,n\n1,2\n', null],
  ['CR', 'id,n\r1,2\r', null],
  ['CR CR', 'id,n\r\r1,2\r\r', null],
  ['LF with a lone CR behind one', 'id,n\n\r1,2\n2,3\n3,4\n', null],
]

for (const [what, text, wanted] of heads) {
  test(`unusualLineEnd() of ${what} is ${JSON.stringify(wanted)}`, () => assert.equal(unusualLineEnd(text), wanted))
}

for (const lineEnd of ['\r\r\n', '\n\r'] as const) {
  for (const encoding of ['utf8', 'utf16le'] as const) {
    test(`readHead() reads lines that end with ${JSON.stringify(lineEnd)} in ${encoding}`, () => {
      const text = ['\ufeffid,n', '', '1,"2"', '2,3', ''].join(lineEnd)
      const { dialect, names, before, notes } = readHead(Buffer.from(text, encoding), true)
      assert.equal(dialect.lineTerminator, lineEnd)
      assert.deepEqual(names, ['id', 'n'])
      assert.equal(before.bytes, Buffer.byteLength(text.slice(0, text.indexOf('1,')), encoding))
      assert.deepEqual(
        notes.map(({ code }) => code),
        ['UNUSUAL_LINE_ENDS'],
      )
    })
  }

  test(`a file of ${JSON.stringify(lineEnd)} is read like its CR LF twin, however it is split (SEED=${seed})`, () => {
    for (let round = 0; round < 400; round += 1) {
      const text = randomText(lineEnd)
      const wanted = scan(Buffer.from(withUsualLineEnds(text, lineEnd)), Number.POSITIVE_INFINITY)
      const seen = scan(Buffer.from(text), 1 + random(7), lineEnd)
      const placeOf = placesIn(text, lineEnd)
      const placed = wanted.rejects.map((reject) => {
        const byteOffset = placeOf(reject.byteOffset)
        return { ...reject, byteOffset, byteLength: placeOf(reject.byteOffset + reject.byteLength) - byteOffset }
      })
      assert.deepEqual(seen, { ...wanted, rejects: placed }, JSON.stringify(text))
    }
  })
}

function randomText(lineEnd: string): string {
  const pieces = [
    'a',
    ',',
    ',',
    '"',
    '""',
    'ä',
    '\r',
    '\n',
    ' ',
    lineEnd,
    lineEnd,
    `b,c${lineEnd}`,
    `"x","y"${lineEnd}`,
  ]
  return Array.from({ length: 1 + random(25) }, () => pieces[random(pieces.length)]).join('')
}

/** Offset in the original of the byte at this offset in its twin. */
function placesIn(text: string, lineEnd: UnusualLineEnd): (place: number) => number {
  const places: number[] = []
  let original = 0
  const pattern = lineEnd === '\n\r' ? /(\n\r)/ : /(\r{2,3}\n)/
  for (const part of text.split(pattern)) {
    const bytes = Buffer.byteLength(part)
    if (pattern.test(part)) places.push(original, original + bytes - 1)
    else for (let at = 0; at < bytes; at += 1) places.push(original + at)
    original += bytes
  }
  places.push(original)
  return (place) => places[place] ?? original
}

function scan(bytes: Buffer, sliceBytes: number, unusual?: UnusualLineEnd) {
  const options: FileScanOptions = {
    encoding: 'utf-8',
    delimiter: 0x2c,
    quote: 0x22,
    escape: null,
    comment: null,
    skipInitialSpace: false,
    lineEnd: 'lf',
    width: 2,
    recordBytesMax: 1_000,
    start: { byteOffset: 0, records: 0, lines: 0 },
    ...(unusual && { unusualLineEnd: unusual }),
  }
  const scanner = createFileScanner(createScanner)(options)
  const texts: string[] = []
  const totals = { accepted: 0, blank: 0 }
  const rejects: object[] = []
  const take = (scanned: ScanResult) => {
    texts.push(Buffer.concat(scanned.pieces).toString('latin1'))
    totals.accepted += scanned.accepted
    totals.blank += ignoredCount(scanned)
    for (const { record, line, byteOffset, byteLength, column, reason } of scanned.rejects) {
      rejects.push({ record, line, byteOffset, byteLength, column, reason })
    }
    return scanned
  }
  for (let at = 0; at < bytes.length; at += sliceBytes)
    take(scanner.push(Buffer.from(bytes.subarray(at, at + sliceBytes))))
  const { lines } = take(scanner.end())
  return { text: texts.join(''), ...totals, lines, rejects: rejects as { byteOffset: number; byteLength: number }[] }
}
