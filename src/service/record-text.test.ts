// Tests of record-text: what its callers may rely on.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordText } from './record-text.ts'

test('recordText() shows valid UTF-8 as text, a replacement character of the file itself included', () => {
  assert.deepEqual(recordText(Buffer.from('a,ü,\ufffd'), 'utf-8', false), { text: 'a,ü,\ufffd' })
})

test('recordText() gives bytes that are no text in base64', () => {
  assert.deepEqual(recordText(Buffer.from([0x61, 0xff]), 'utf-8', false), { text: null, base64: 'Yf8=' })
})

test('recordText() never fails on a cut inside a character', () => {
  const bytes = Buffer.from('aü€😀b')
  for (let end = 1; end < bytes.length; end++) {
    const { text, cut } = recordText(bytes.subarray(0, end), 'utf-8', true)
    assert.equal(cut, true)
    assert.ok(text !== null && 'aü€😀b'.startsWith(text), `cut at ${end}: ${text}`)
  }
})
