// Tests of kept uploads: a file is the same only if its name, size, time and first bytes are.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fingerprintOf, hashOf, isSameFile } from './kept-uploads.ts'

const file = (text: string, name = 'a.csv', lastModified = 5) => new File([text], name, { lastModified })

test('isSameFile() distinguishes files by name, size, time and first bytes', async () => {
  const one = await fingerprintOf(file('id\n1\n'))
  assert.ok(isSameFile(one, await fingerprintOf(file('id\n1\n'))))
  for (const other of [file('id\n2\n'), file('id\n1\n\n'), file('id\n1\n', 'b.csv'), file('id\n1\n', 'a.csv', 6)]) {
    assert.ok(!isSameFile(one, await fingerprintOf(other)))
  }
})

test('hashOf() depends on every byte and its position', () => {
  const bytes = new Uint8Array(300)
  const hashes = new Set([hashOf(bytes)])
  for (let at = 0; at < bytes.length; at += 1) {
    bytes[at] = 1
    hashes.add(hashOf(bytes))
    bytes[at] = 0
  }
  assert.equal(hashes.size, bytes.length + 1)
})
