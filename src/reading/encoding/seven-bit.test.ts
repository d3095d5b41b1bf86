// Tests of seven-bit encodings: decoded however they are split, distinguished from ASCII, with places in the original.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readHead } from '../read-head.ts'
import { createFileScanner } from '../scanner/file-scanner.ts'
import { createScanner } from '../scanner/wasm-scanner.ts'
import { createDecoder, encodingName } from './decoder.ts'
import { detectSevenBit } from './seven-bit.ts'

const texts: readonly [encoding: string, bytes: string, text: string][] = [
  ['hz-gb-2312', '~{PUC{~},~{3GJP~}\n~{MuP!C7~},~~1~~\n', '姓名,城市\n王小梅,~1~\n'],
  ['utf-7', 'imi+ARk,miasto\n+AUE-ukasz,1 +- 1\n+2D3eAA,+AUE,x\n', 'imię,miasto\nŁukasz,1 + 1\n😀,Ł,x\n'],
  ['iso-2022-kr', "\x1b$)C\x0e@L8'\x0f,\x0e55=C\x0f\n1,\x0e<-?o\x0f\n", '이름,도시\n1,서울\n'],
]

for (const [encoding, ascii, text] of texts) {
  const bytes = Buffer.from(ascii, 'latin1')

  test(`createDecoder() decodes ${encoding} however it is split`, () => {
    for (let length = 1; length <= bytes.length; length += 1) {
      const decode = createDecoder(encoding, 'strict')
      let seen = ''
      for (let at = 0; at < bytes.length; at += length) seen += decode(bytes.subarray(at, at + length), false)
      assert.equal(seen + decode(new Uint8Array(0), true), text)
    }
  })

  test(`createDecoder() finds invalid bytes in ${encoding}`, () => {
    for (const wrong of ['\x80', '~{A', '+AU', '~{\x01\x01~}', '+2D3-', '\x0eA', '\x1b$B']) {
      const seen = createDecoder(encoding, 'replace')(Buffer.from(`${ascii}${wrong}`, 'latin1'), true)
      if (seen === text + wrong) continue
      assert.ok(seen.startsWith(text) && seen.includes('\ufffd'), JSON.stringify(seen))
      assert.throws(() => createDecoder(encoding, 'strict')(Buffer.from(`${ascii}${wrong}`, 'latin1'), true), TypeError)
    }
  })

  test(`readHead() detects ${encoding}, with a note, and its records keep their places`, () => {
    const file = Buffer.concat([bytes, Buffer.from('a,b,c\n')])
    const { encoding: found, names, notes, before } = readHead(file, true, { delimiter: ',', header: true })
    assert.equal(found.name, encoding)
    assert.deepEqual(names.slice(0, 2), text.split('\n')[0]?.split(','))
    assert.ok(notes.some(({ code }) => code === 'ENCODING_GUESSED'))
    const scanner = createFileScanner(createScanner)({
      ...{ encoding, delimiter: 0x2c, quote: 0x22, escape: null, comment: null, skipInitialSpace: false },
      ...{ lineEnd: 'lf', width: 2, recordBytesMax: 1000 },
      start: { byteOffset: before.bytes, records: 1, lines: 1 },
    })
    const seen = [...file.subarray(before.bytes)].flatMap((byte) => scanner.push(Uint8Array.of(byte)).rejects)
    const place = seen.concat(scanner.end().rejects).find(({ byteOffset }) => byteOffset >= bytes.length)
    assert.deepEqual([place?.byteOffset, place?.byteLength], [bytes.length, 5])
  })
}

const ascii: readonly string[] = [
  'id,n\n1,2\n',
  'phone,ext\n+4912345678,1\n+4398765432,2\n+431234567,3\n',
  'phone\n+49123456\n+49123457\n+49123458\n',
  'mail\nann+shop@example.org\nbob+news@example.org\nc+abcd-e@x.org\n',
  'lang\nC++\nNotepad++\nA+B+C\n',
  'grade\nA+\nB+-\nA+,x\n',
  'expr\n1+1\na+b-c\nx+yz/2\n',
  'path\n~/a,~{b}\n~{HOME}/x\n',
  'template\n~{name~}\n~{city~}\n',
  't,v\n0.0e+000,1.5e+000\n1.0e-006,2.5e+000\n',
  'hash\n+Zm9v+YmFy\n+cXV4+eHl6\n',
]

for (const text of ascii) {
  test(`detectSevenBit() leaves ${JSON.stringify(text.slice(0, 30))} as ASCII`, () => {
    assert.equal(detectSevenBit(Buffer.from(text)), null)
  })
}

test('encodingName() knows the labels of seven-bit encodings', () => {
  assert.deepEqual(['HZ', 'hz-gb-2312', 'UTF-7', 'ISO-2022-KR'].map(encodingName), [
    'hz-gb-2312',
    'hz-gb-2312',
    'utf-7',
    'iso-2022-kr',
  ])
})
