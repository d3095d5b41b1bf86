// Tests of receipt files: only intact receipts are read back.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatReceipt, parseReceipt } from './receipt-file.ts'
import { sample } from './store-samples.testing.ts'

const { receipt } = sample({ seed: 1, name: 'größe, "quoted" \u2028.csv', partCount: 2 })

test('parseReceipt() reads back what formatReceipt() wrote, which contains its version', () => {
  const text = formatReceipt(receipt)
  assert.deepEqual(parseReceipt(text, receipt.id), receipt)
  assert.equal(JSON.parse(text).version, 1)
})

test('parseReceipt() refuses a text truncated anywhere', () => {
  const text = formatReceipt(receipt).trimEnd()
  for (let length = 0; length < text.length; length += 1) {
    assert.throws(() => parseReceipt(text.slice(0, length), receipt.id), SyntaxError, `${length}`)
  }
})

test('parseReceipt() refuses a text in which any bit is flipped', () => {
  const bytes = Buffer.from(formatReceipt(receipt))
  for (let bit = 0; bit < bytes.length * 8; bit += 1) {
    bytes[bit >> 3]! ^= 1 << (bit & 7)
    assert.throws(() => parseReceipt(bytes.toString(), receipt.id), Error, `bit ${bit}`)
    bytes[bit >> 3]! ^= 1 << (bit & 7)
  }
})

test('parseReceipt() refuses a receipt without a checksum', () => {
  const text = `${JSON.stringify({ version: 1, ...receipt })}\n`
  assert.throws(() => parseReceipt(text, receipt.id), /no checksum/)
})

test('parseReceipt() refuses other versions, other datasets, and anything but a receipt', () => {
  const other = sample({ seed: 2 }).receipt.id
  assert.throws(() => parseReceipt(formatReceipt(receipt), other), /of dataset/)
  assert.throws(() => parseReceipt(JSON.stringify({ ...receipt, version: 2 }), receipt.id), /version 2, expected 1/)
  assert.throws(() => parseReceipt(JSON.stringify({ version: 1, id: receipt.id }), receipt.id), /no checksum/)
  for (const text of ['null', '1', '[]', '{}', '"x"']) assert.throws(() => parseReceipt(text, receipt.id))
})
