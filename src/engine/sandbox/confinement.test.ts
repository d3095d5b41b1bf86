// Tests of the confinement: the users of children: each child of a service has its own, and services side by side differ.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { childUserId } from './confinement.ts'

const numbers = Array.from({ length: 606 }, (_, number) => number)

test('childUserId() gives each of 606 children a different user', () => {
  const ids = numbers.map(childUserId)
  assert.equal(new Set(ids).size, 606)
  assert.deepEqual([Math.min(...ids), Math.max(...ids)], [60_578, 61_183])
  assert.equal(childUserId(606), childUserId(0))
})

test('childUserId() starts elsewhere in another process', () => {
  const url = new URL('./confinement.ts', import.meta.url).href
  const program = `import { childUserId } from ${JSON.stringify(url)}; process.stdout.write(String(childUserId(0)))`
  const others = numbers.slice(0, 5).map(() => execFileSync(process.execPath, ['--input-type=module', '-e', program]))
  // By chance alone one run in eighty million million would see the same everywhere.
  assert.ok(others.some((other) => Number(other) !== childUserId(0)))
})
