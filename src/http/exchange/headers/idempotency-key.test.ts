// Tests of idempotency keys: the header as the draft defines it and as clients send it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isServiceError } from '../../../core/errors.ts'
import { idempotencyKey } from './idempotency-key.ts'

test('idempotencyKey() reads a quoted or bare text of 1 to 255 characters', () => {
  for (const none of [[], [''], ['  ']]) assert.equal(idempotencyKey(none), null)
  assert.equal(idempotencyKey(['"8e03978e-40d5-43dd-bc93-6894a57f9324"']), '8e03978e-40d5-43dd-bc93-6894a57f9324')
  assert.equal(idempotencyKey([' 8e03978e-40d5 ']), '8e03978e-40d5')
  assert.equal(idempotencyKey(['"a \\" b, c;d"']), 'a " b, c;d')
  assert.equal(String(idempotencyKey(['x'.repeat(255)])).length, 255)
  for (const bad of [['', ''], ['""'], ['"a'], ['a b'], ['a, b'], ['a;b'], ['\u00e9'], ['x'.repeat(256)], ['a', 'b']])
    assert.ok(isServiceError(idempotencyKey(bad), 'BAD_REQUEST'), bad.join())
})
