// Tests of the Accept header: which of the offered types is chosen.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { acceptedType } from './accept.ts'

const offered = ['application/json', 'application/x-ndjson', 'text/csv'] as const

test('acceptedType() returns the first offered type if the client has no preference', () => {
  for (const accept of [undefined, '', ' ', '*/*', 'text/html, */*;q=0.1', 'application/*'])
    assert.equal(acceptedType(accept, offered), 'application/json', String(accept))
})

test('acceptedType() returns the type that the client rates highest, by its most specific range', () => {
  const wanted = [
    ['text/csv', 'text/csv'],
    ['TEXT/CSV; charset=utf-8', 'text/csv'],
    ['application/json;q=0.2, text/csv;q=0.3', 'text/csv'],
    ['text/*, application/json;q=0.5', 'text/csv'],
    ['*/*;q=0.5, application/json;q=0.1, text/csv;q=0', 'application/x-ndjson'],
    ['application/*;q=0.3, application/x-ndjson', 'application/x-ndjson'],
  ] as const
  for (const [accept, type] of wanted) assert.equal(acceptedType(accept, offered), type, accept)
})

test('acceptedType() returns null if the client accepts none of the offered types', () => {
  for (const accept of ['image/png', 'text/csv;q=0', 'text/csv;q=2', 'text/csv;q=x', 'csv', '*/*;q=0'])
    assert.equal(acceptedType(accept, offered), null, accept)
})
