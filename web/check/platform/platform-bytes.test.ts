// Tests of platform bytes: the browser functions do exactly what those for Node do, for any bytes and any text.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import * as node from '../../../src/reading/bytes/platform-bytes.ts'
import * as browser from './platform-bytes.ts'

const plain = (bytes: Uint8Array) => Array.from(bytes)
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc.string({ unit: 'binary', maxLength: 100 }).map((text) => new TextEncoder().encode(text)),
)
/** Includes lone surrogates. */
const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 100 }),
  fc.array(fc.nat(0xffff), { maxLength: 100 }).map((codes) => String.fromCharCode(...codes)),
)

test('both platforms have the same functions', () => {
  assert.deepEqual(Object.keys(browser).sort(), Object.keys(node).sort())
})

test('bytes become the same text on both platforms', () => {
  fc.assert(
    fc.property(bytes, (given) => {
      // Inside a larger buffer, like pieces of a file.
      const framed = Uint8Array.from([1, ...given, 2]).subarray(1, given.length + 1)
      assert.equal(browser.isAscii(framed), node.isAscii(framed))
      assert.equal(browser.isUtf8(framed), node.isUtf8(framed))
      assert.equal(browser.latin1Text(framed), node.latin1Text(framed))
      assert.equal(browser.utf16Text(framed), node.utf16Text(framed))
      for (const from of [0, 1]) {
        const wanted = framed.subarray(1, 3)
        assert.equal(browser.includesBytes(framed, wanted, from), node.includesBytes(framed, wanted, from))
      }
      assert.equal(browser.base64Text(framed), node.base64Text(framed))
      const even = framed.slice(0, framed.length & ~1)
      const swapped = even.slice()
      node.swapUnits(even)
      browser.swapUnits(swapped)
      assert.deepEqual(swapped, even)
      assert.deepEqual(plain(browser.concatBytes([framed, given])), plain(node.concatBytes([framed, given])))
    }),
  )
})

test('text becomes the same bytes on both platforms', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const units = (write: typeof node.writeCodeUnits) => {
        const written = new Uint16Array(text.length + 1)
        write(text, written)
        return written
      }
      assert.deepEqual(units(browser.writeCodeUnits), units(node.writeCodeUnits))
      assert.deepEqual(plain(browser.utf8Bytes(text)), plain(node.utf8Bytes(text)))
      const latin = text.replaceAll(/[^\0-\xff]/g, '?')
      assert.deepEqual(plain(browser.latin1Bytes(latin)), plain(node.latin1Bytes(latin)))
    }),
  )
})

test('a text too long for one call is complete', () => {
  const long = Uint8Array.from({ length: 300_000 }, (_, at) => at)
  assert.equal(browser.latin1Text(long), node.latin1Text(long))
})
