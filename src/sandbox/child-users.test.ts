// Tests of the users that children run as: each child of a service has its own, and services beside each other differ.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { converterUserId, queryUserId } from './child-users.ts'

const numbers = Array.from({ length: 303 }, (_, number) => number)

test('converterUserId() and queryUserId() give each of 303 children a user that nobody else has', () => {
  const ids = [...numbers.map(converterUserId), ...numbers.map(queryUserId)]
  assert.equal(new Set(ids).size, 606)
  assert.deepEqual([Math.min(...ids), Math.max(...ids)], [60_578, 61_183])
  assert.equal(converterUserId(303), converterUserId(0))
})

test('converterUserId() begins elsewhere in another process', () => {
  const url = new URL('./child-users.ts', import.meta.url).href
  const program = `import { converterUserId } from ${JSON.stringify(url)}; process.stdout.write(String(converterUserId(0)))`
  const others = numbers.slice(0, 5).map(() => execFileSync(process.execPath, ['--input-type=module', '-e', program]))
  // By chance alone one run in two million million would see the same everywhere.
  assert.ok(others.some((other) => Number(other) !== converterUserId(0)))
})
