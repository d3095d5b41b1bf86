// Tests of checksum lines: only the exact bytes are accepted.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withChecksum, withoutChecksum } from './checksum-line.ts'

test('withoutChecksum() returns what withChecksum() was given', () => {
  for (const text of ['', 'x', 'some bytes'])
    assert.equal(withoutChecksum(withChecksum(Buffer.from(text)))?.toString(), text)
})

test('withoutChecksum() rejects a line that was cut anywhere, or has any bit flipped', () => {
  const whole = withChecksum(Buffer.from('some bytes'))
  for (let at = 0; at < whole.length; at += 1) {
    assert.equal(withoutChecksum(whole.subarray(0, at)), null, `cut at ${at}`)
    const other = Buffer.from(whole)
    other[at]! ^= 1
    assert.equal(withoutChecksum(other), null, `flipped at ${at}`)
  }
  assert.equal(withoutChecksum(Buffer.concat([whole, Buffer.from([0])])), null)
  assert.equal(withoutChecksum(Buffer.alloc(whole.length)), null)
})
