// Tests of the code pages: EBCDIC is distinguished from other bytes and between its variants, and places refer to the original.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readHead } from '../read-head.ts'
import { createFileScanner } from '../scanner/file-scanner.ts'
import { buildScanner } from '../scanner/scanner-cases.testing.ts'
import { createScanner } from '../scanner/wasm-scanner.ts'
import { codePage, detectEbcdic } from './code-pages.ts'
import { createDecoder } from './decoder.ts'

buildScanner()

test('codePage() has 256 characters, each once except the two line ends of EBCDIC', () => {
  for (const name of [
    'ibm850',
    'ibm437',
    'ibm852',
    'ibm855',
    'ibm737',
    'ibm857',
    'ibm037',
    'ibm500',
    'ibm1047',
    'ibm273',
    'ibm01140',
    'ibm01141',
    'ibm01148',
  ]) {
    const page = codePage(name) ?? assert.fail(name)
    assert.equal(page.length, 256, name)
    assert.equal(new Set(page).size, page.charAt(0x15) === '\n' ? 255 : 256, name)
  }
  assert.equal(codePage('utf-8'), undefined)
  assert.equal(codePage('constructor'), undefined)
})

test('detectEbcdic() distinguishes the variants of EBCDIC', () => {
  const samples: [name: string, hex: string, text: string][] = [
    [
      'ibm037',
      '89846b958194856b9596a38525f16bc195956b814f825a25f26bc296826ba725',
      'id,name,note\n1,Ann,a|b!\n2,Bob,x\n',
    ],
    ['ibm500', '8984bb95819485bb9525f1bbc19595bb4a815a25f2bbc29682bb8225', 'id|name|n\n1|Ann|[a]\n2|Bob|b\n'],
    ['ibm273', '95995e9581948525f15ed4d09393859925f25ec7996aa18525', 'nr;name\n1;Müller\n2;Größe\n'],
    ['ibm01140', '89846b979989838525f16bf5409f25f26bf7409f25', 'id,price\n1,5 €\n2,7 €\n'],
    ['ibm1047', '81adf1bd6b8225f26bf325', 'a[1],b\n2,3\n'],
    ['ibm037', '89846b9581948515f16bc1959515f26bc2968215', 'id,name\n1,Ann\n2,Bob\n'],
  ]
  for (const [name, hex, text] of samples) {
    const bytes = Buffer.from(hex, 'hex')
    assert.equal(detectEbcdic(bytes), name)
    assert.equal(createDecoder(name, 'strict')(bytes, true), text)
  }
})

test('detectEbcdic() does not take other bytes for EBCDIC', () => {
  for (const bytes of [
    Buffer.from('id,name\n1,Ann\n'),
    Buffer.from('id,name%\r1,Zo\xeb\r', 'latin1'),
    Buffer.from('\xcf\xf0\xe8\xe2\xe5\xf2,%\r\xec\xe8\xf0,1\r', 'latin1'),
    Buffer.from('1f8b0800', 'hex'),
    Buffer.alloc(0),
  ]) {
    assert.equal(detectEbcdic(bytes), null)
  }
})

test('a file in EBCDIC is read, with the places of its records in the original', () => {
  const page = codePage('ibm500') ?? assert.fail()
  const encode = (text: string) => Buffer.from(Array.from(text, (one) => page.lastIndexOf(one)))
  const bytes = encode('id,name,n\n1,Ann,2\n2,"B, b",4\n3,Cy\n4,Dee,8\n')
  const { encoding, before, names, notes } = readHead(bytes, true)
  assert.deepEqual([encoding.name, names, before.bytes, before.lines], ['ibm037', ['id', 'name', 'n'], 10, 1])
  assert.match(notes[0]?.message ?? '', /ibm037 was guessed/)
  const scanner = createFileScanner(createScanner)({
    encoding: encoding.name,
    delimiter: 0x2c,
    quote: 0x22,
    escape: null,
    comment: null,
    skipInitialSpace: false,
    lineEnd: 'lf',
    width: 3,
    recordBytesMax: 1000,
    start: { byteOffset: 10, records: 1, lines: 1 },
  })
  const first = scanner.push(bytes.subarray(10))
  const last = scanner.end()
  assert.equal(Buffer.concat([...first.pieces, ...last.pieces]).toString(), '1,Ann,2\n2,"B, b",4\n4,Dee,8\n')
  const [reject] = [...first.rejects, ...last.rejects]
  assert.deepEqual([reject?.reason, reject?.line, reject?.byteOffset, reject?.byteLength], ['too_few_fields', 4, 29, 4])
})
