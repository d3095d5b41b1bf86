// Tests of generated names: their format and order.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { uuidV7 } from './ids.ts'

test('uuidV7() writes time, version and variant where RFC 9562 puts them', () => {
  const zeros = new Uint8Array(10)
  const ones = new Uint8Array(10).fill(0xff)
  // The time of the example in appendix A.6 of the RFC: 2022-02-22 19:22:22 UTC.
  assert.equal(uuidV7(0x017f22e279b0, zeros), '017f22e2-79b0-7000-8000-000000000000')
  assert.equal(uuidV7(0x017f22e279b0, ones), '017f22e2-79b0-7fff-bfff-ffffffffffff')
  assert.equal(uuidV7(0, zeros), '00000000-0000-7000-8000-000000000000')
  assert.equal(uuidV7(2 ** 48 - 1, zeros), 'ffffffff-ffff-7000-8000-000000000000')
})

test('uuidV7() sorts by time and never repeats', () => {
  const later = [1, 2, 1_763_650_000_000, 1_763_650_000_001].map((epochMs) => uuidV7(epochMs))
  assert.deepEqual(later.toSorted(), later)
  const many = new Set(Array.from({ length: 10_000 }, () => uuidV7(5)))
  assert.equal(many.size, 10_000)
  assert.ok([...many].every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id)))
})
