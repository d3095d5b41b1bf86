// Tests of stop signals: which processes must stay for the service to go on.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { npmAndShell } from './stop-signals.ts'

test('npmAndShell() takes the parent of a shell for npm, and nothing above npm', () => {
  assert.equal(npmAndShell(20, '20 (sh) S 10 20 5 34816 9'), '20 10')
  assert.equal(npmAndShell(20, '20 (busybox) S 10 20 5 34816 9'), '20 10')
  assert.equal(npmAndShell(20, '20 (npm start) S 10 20 5 34816 9'), '20')
  assert.equal(npmAndShell(20, '20 (npm run ) (sh) S 10 20 5 34816 9'), '20')
  assert.equal(npmAndShell(20, ''), '20')
})
