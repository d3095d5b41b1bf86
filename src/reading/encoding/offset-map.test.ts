// Tests of offset maps: offsets are found from either end of a block, in any order.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createUnitOffsetMap } from './offset-map.ts'

test('createUnitPlaceFinder() finds each character of a block, whether nearer to its beginning or its end', () => {
  // UTF-16 with characters of one, two, three and four bytes of UTF-8, a lone surrogate, and half a unit at the end.
  const characters = ['a', 'ü', '漢', '😀', null, 'b', '😀', 'é', 'c', 'd']
  const utf8 = Buffer.concat([
    ...characters.map((one) => (one === null ? Buffer.of(0xff) : Buffer.from(one))),
    Buffer.of(0xff),
  ])
  const units = characters.map((one) => one?.length ?? 1)
  const original = new Uint8Array(2 * units.reduce((sum, count) => sum + count) + 1)
  const places: (readonly [number, number])[] = []
  let [at, place] = [0, 0]
  for (const [index, one] of [...characters, null].entries()) {
    places.push([at, place])
    at += one === null ? 1 : Buffer.byteLength(one ?? '')
    place += 2 * (units[index] ?? 1)
  }
  const block = { original, utf8 }
  const rising = createUnitOffsetMap(2, true)
  for (const [utf8Offset, wanted] of places) assert.equal(rising(block, utf8Offset), wanted)
  for (const [utf8Offset, wanted] of places) assert.equal(createUnitOffsetMap(2, true)(block, utf8Offset), wanted)
  for (const [utf8Offset, wanted] of places.toReversed()) assert.equal(rising(block, utf8Offset), wanted)
})
