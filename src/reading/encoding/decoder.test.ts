// Tests of the decoders: however the bytes are split the text is the same, and invalid bytes are refused or marked.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDecoder, encodingName } from './decoder.ts'

const utf32 = (text: string) =>
  Buffer.concat(
    [...text].map((character) => {
      const bytes = Buffer.alloc(4)
      bytes.writeUInt32LE(character.codePointAt(0) ?? 0)
      return bytes
    }),
  )

test('createDecoder() produces the same text however the bytes are split', () => {
  const samples: [string, Buffer][] = [
    ['utf-8', Buffer.from('\ufeffé,東京\n')],
    ['utf-16le', Buffer.from('\ufeffé,東京\n', 'utf16le')],
    ['utf-32le', utf32('\ufeffé,東京\n')],
    ['ibm850', Buffer.from([0x82, 0x2c, 0xa0, 0x0a])],
  ]
  for (const [name, bytes] of samples) {
    const whole = createDecoder(name, 'strict')(bytes, true)
    assert.equal(whole, name === 'ibm850' ? 'é,á\n' : 'é,東京\n')
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const decoder = createDecoder(name, 'strict')
      assert.equal(
        decoder(bytes.subarray(0, cut), false) + decoder(bytes.subarray(cut), true),
        whole,
        `${name} at ${cut}`,
      )
    }
  }
})

test('createDecoder() refuses or marks invalid bytes', () => {
  const wrong: [string, number[]][] = [
    ['utf-8', [0x61, 0xff]],
    ['utf-32le', [0, 0, 0x11, 0]],
    ['utf-32be', [0x61]],
  ]
  for (const [name, bytes] of wrong) {
    assert.throws(() => createDecoder(name, 'strict')(Uint8Array.from(bytes), true), TypeError, name)
    assert.match(createDecoder(name, 'replace')(Uint8Array.from(bytes), true), /\ufffd$/, name)
  }
})

test('encodingName() knows labels, and returns null for unknown ones', () => {
  assert.equal(encodingName(' Latin1 '), 'windows-1252')
  assert.equal(encodingName('UTF-32LE'), 'utf-32le')
  assert.equal(encodingName('cp850'), 'ibm850')
  assert.equal(encodingName('IBM-1047'), 'ibm1047')
  assert.equal(encodingName('cp037'), 'ibm037')
  assert.equal(encodingName('cp1252'), 'windows-1252')
  assert.equal(encodingName('cp866'), 'ibm866')
  assert.equal(encodingName('utf-9'), null)
})
