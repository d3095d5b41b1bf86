// Tests of the seal: only the very bytes come out again.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sealed, unsealed } from './checksum-line.ts'

test('unsealed() gives what sealed() was given', () => {
  for (const text of ['', 'x', 'some bytes']) assert.equal(unsealed(sealed(Buffer.from(text)))?.toString(), text)
})

test('unsealed() gives nothing for what was cut anywhere, or has one bit flipped anywhere', () => {
  const whole = sealed(Buffer.from('some bytes'))
  for (let at = 0; at < whole.length; at += 1) {
    assert.equal(unsealed(whole.subarray(0, at)), null, `cut at ${at}`)
    const other = Buffer.from(whole)
    other[at]! ^= 1
    assert.equal(unsealed(other), null, `flipped at ${at}`)
  }
  assert.equal(unsealed(Buffer.concat([whole, Buffer.from([0])])), null)
  assert.equal(unsealed(Buffer.alloc(whole.length)), null)
})
