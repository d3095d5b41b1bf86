// Request log: what of a path may stand in a log.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shownPath } from './request-log.ts'

test('shownPath() leaves nothing that a terminal would obey', () => {
  assert.equal(shownPath('/a\x9b31mb\x7f\x80\x9fc'), '/a%9B31mb%7F%80%9Fc')
  assert.equal(shownPath('/qas/datasets?ä'), '/qas/datasets?ä')
})

test('shownPath() cuts a long path', () => {
  assert.equal(shownPath(`/${'x'.repeat(500)}`).length, 200)
})
