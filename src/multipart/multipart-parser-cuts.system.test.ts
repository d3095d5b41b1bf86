// Tests of every two cuts: the parser reports the same for a body however it is split into three chunks. Half a million
// bodies.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bodies } from './multipart-bodies.testing.ts'
import { bytesOf, cutAt, recordParts } from './record-parts.testing.ts'

for (const [what, body] of bodies) {
  test(`MultipartParser reports the same for ${what} with every two cuts`, () => {
    const bytes = bytesOf(body)
    const expected = recordParts('BnD', [bytes])
    const text = JSON.stringify(expected)
    for (let first = 0; first <= bytes.length; first += 1) {
      for (let second = first; second <= bytes.length; second += 1) {
        const actual = recordParts('BnD', cutAt(bytes, [first, second]))
        // Comparing texts first avoids most deep comparisons, which are slow.
        if (JSON.stringify(actual) !== text) assert.deepEqual(actual, expected, `cut at ${first} and ${second}`)
      }
    }
  })
}
