// Tests of the time for the first megabyte, whatever it contains; measured while nothing else runs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readHead } from '../../../src/reading/read-head.ts'
import { headBytesMax } from '../../../src/reading/reading.ts'
import { cpuMs } from '../../support/cpu-time.ts'

test('readHead() takes at most five seconds, whatever the first megabyte contains', () => {
  for (const piece of [
    '"',
    ',',
    '"a\n',
    ',"a"b',
    '\n',
    '\r',
    '\'"',
    ', "',
    '"\\"',
    '#',
    ',;|\t:',
    'é,"',
    ' ',
    'a,b\n',
  ]) {
    const head = Buffer.from(piece.repeat(headBytesMax / piece.length)).subarray(0, headBytesMax)
    const ms = cpuMs(() => {
      try {
        readHead(head, false)
      } catch (error) {
        assert.match(String(error), /columns/)
      }
    })
    assert.ok(ms < 5_000, piece)
  }
})
