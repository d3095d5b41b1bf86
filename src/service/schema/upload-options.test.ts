// Tests of upload options: patterns are compiled, and limited together.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseUploadOptions, readUploadOptions } from './upload-options.ts'

const never = new AbortController().signal

function read(patterns: readonly string[]) {
  const fields = patterns.map((pattern, i) => ({ name: `n${i}`, type: 'string', constraints: { pattern } }))
  return readUploadOptions({ schema: { fields } }, never)
}

test('readUploadOptions() accepts patterns of 200,000 elements together, and no more', async () => {
  const most = Array.from({ length: 20 }, () => 'a{1000}'.repeat(10))
  assert.equal((await read(most)).schema?.table.fields.length, 20)
  await assert.rejects(
    read([...most, 'a']),
    /fields\[20\]\.constraints\.pattern.*at most 200000 elements in all patterns/,
  )
})

test('readUploadOptions() ends when its client has gone', async () => {
  await assert.rejects(
    readUploadOptions(
      { schema: { fields: [{ name: 'n', type: 'string', constraints: { pattern: 'a' } }] } },
      AbortSignal.abort(),
    ),
  )
})

test('parseUploadOptions() declares nothing without parts, and refuses one that is not JSON', async () => {
  assert.deepEqual(await parseUploadOptions(new Map(), never), { dialect: {}, schema: null })
  // What curl sends for -F 'dialect={"delimiter":";"}': it cuts at the semicolon.
  const cut = parseUploadOptions(new Map([['dialect', '{"delimiter":"']]), never)
  await assert.rejects(cut, /'dialect': it is not JSON: '\{"delimiter":"', expected a Frictionless Table Dialect/)
  const empty = parseUploadOptions(new Map([['schema', '']]), never)
  await assert.rejects(empty, /'schema': it is not JSON: '', expected a Frictionless Table Schema/)
})
