// Tests of the form of CSV: what a thread makes can be transferred to another one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writeText } from './csv-form.ts'

test('writeText() returns text with memory of its own, however short, or the records themselves', () => {
  const form = { dialect: null, delimiter: ',', isTyped: [false, false] } as const
  const records = new Uint8Array(Buffer.from('a,=b\n'))
  const made = writeText({ records, form, client: 'c' })
  assert.equal(Buffer.from(made).toString(), 'a,"\'=b"\n')
  assert.equal(made.buffer.byteLength, made.length)
  const plain = new Uint8Array(Buffer.from('a,b\n'))
  assert.equal(writeText({ records: plain, form, client: 'c' }), plain)
})
