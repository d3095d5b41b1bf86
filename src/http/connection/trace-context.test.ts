// Tests of the trace context: which headers name a trace, and what is passed on.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTrace } from './request-log.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const parentId = '00f067aa0ba902b7'

test('readTrace() returns the trace and passes it on with its own span', () => {
  const trace = readTrace(`00-${traceId}-${parentId}-01`)
  assert.deepEqual([trace?.traceId, trace?.parentId], [traceId, parentId])
  assert.match(trace?.spanId ?? '', /^[0-9a-f]{16}$/)
  assert.notEqual(trace?.spanId, parentId)
  assert.equal(trace?.response, `00-${traceId}-${trace?.spanId}-01`)
})

test('readTrace() accepts additional fields of later versions, and none of version 00', () => {
  assert.equal(readTrace(`01-${traceId}-${parentId}-01-more`)?.traceId, traceId)
  assert.equal(readTrace(`00-${traceId}-${parentId}-01-more`), null)
})

for (const wrong of [
  '',
  'x',
  `ff-${traceId}-${parentId}-01`,
  `00-${'0'.repeat(32)}-${parentId}-01`,
  `00-${traceId}-${'0'.repeat(16)}-01`,
  `00-${traceId.toUpperCase()}-${parentId}-01`,
  `00-${traceId}-${parentId}`,
  `00-${traceId}-${parentId}-1`,
  `00-${traceId}-${parentId}-01x`,
  ` 00-${traceId}-${parentId}-01`,
]) {
  test(`readTrace() ignores ${JSON.stringify(wrong)}`, () => assert.equal(readTrace(wrong), null))
}

test('readTrace() ignores an absent or repeated header', () => {
  assert.equal(readTrace(undefined), null)
  assert.equal(readTrace([`00-${traceId}-${parentId}-01`, `00-${traceId}-${parentId}-01`]), null)
})
