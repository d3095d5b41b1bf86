// Tests of record text: UTF-8 as text, other bytes as base64, each record by itself.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRecordReader } from './record-text.ts'

test('createRecordReader() returns valid UTF-8 as text, including replacement characters in the file itself', () => {
  assert.deepEqual(createRecordReader('utf-8')(Buffer.from('a,ü,\ufffd'), false), { text: 'a,ü,\ufffd' })
})

test('createRecordReader() returns bytes that are not text as base64', () => {
  assert.deepEqual(createRecordReader('utf-8')(Buffer.from([0x61, 0xff]), false), { text: null, base64: 'Yf8=' })
})

test('createRecordReader() never fails on a truncated character', () => {
  const bytes = Buffer.from('aü€😀b')
  for (let end = 1; end < bytes.length; end++) {
    const { text, cut } = createRecordReader('utf-8')(bytes.subarray(0, end), true)
    assert.equal(cut, true)
    assert.ok(text !== null && 'aü€😀b'.startsWith(text), `cut at ${end}: ${text}`)
  }
})

test('createRecordReader() reads each record by itself, whatever precedes it', () => {
  const good = { 'utf-8': 'aü€', 'utf-16le': 'a\0ü\0', 'utf-32le': 'a\0\0\0', shift_jis: 'ab', 'iso-2022-jp': 'ab' }
  const odd = [
    Buffer.from([0xe2]),
    Buffer.from([0x61, 0xe2, 0x82]),
    Buffer.from([0x1b, 0x24, 0x42, 0x30]),
    Buffer.alloc(0),
  ]
  for (const [encoding, text] of Object.entries(good)) {
    const bytes = Buffer.from(text, encoding === 'utf-8' ? 'utf8' : 'latin1')
    const wanted = createRecordReader(encoding)(bytes, false)
    assert.ok(wanted.text !== null)
    const read = createRecordReader(encoding)
    for (const wrong of odd) {
      for (const isCut of [false, true]) {
        read(wrong, isCut)
        assert.deepEqual(read(bytes, false), wanted, `${encoding} after ${wrong.toString('hex')}`)
      }
    }
  }
})

test('createRecordReader() keeps a byte order mark, which is only special at the beginning of a file', () => {
  const utf32 = Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0])
  for (const [encoding, bytes] of [
    ['utf-8', Buffer.from('\ufeffa')],
    ['utf-16le', Buffer.from('\ufeffa', 'utf16le')],
    ['utf-16be', Buffer.from('\ufeffa', 'utf16le').swap16()],
    ['utf-32le', utf32],
  ] as const) {
    const read = createRecordReader(encoding)
    for (let i = 0; i < 2; i++) assert.equal(read(bytes, false).text, '\ufeffa', encoding)
  }
})
