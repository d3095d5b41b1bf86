// Tests of the request log: what it shows of paths and of causes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loggableCause, shownPath } from './request-log.ts'

test('shownPath() removes everything that a terminal would interpret', () => {
  assert.equal(shownPath('/a\x9b31mb\x7f\x80\x9fc'), '/a%9B31mb%7F%80%9Fc')
  assert.equal(shownPath('/qas/datasets?ä'), '/qas/datasets?ä')
})

test('shownPath() truncates a long path', () => {
  assert.equal(shownPath(`/${'x'.repeat(500)}`).length, 200)
})

test('loggableCause() keeps the kind of a DuckDB failure, and nothing that it may quote', () => {
  for (const text of [
    'Binder Error: Referenced column "hush" not found!\n\nLINE 1: SELECT hush FROM data\n               ^',
    "Conversion Error: Could not convert string 'hush' to INT32",
    "Cannot finish job: Invalid Input Error: regexp 'hush(' is wrong\nLINE 3: WHERE x ~ 'hush('",
    'IO Error: Cannot open file "x"\n\nLINE 1: hush',
    'TransactionContext Exception: hush',
  ]) {
    const cause = new Error(text)
    for (const failure of [cause, new Error('Cannot convert', { cause })]) {
      const shown = loggableCause(failure)
      assert.ok(shown instanceof Error)
      const everything = [shown.message, shown.stack, shown.cause, (shown.cause as Error | undefined)?.stack].join()
      assert.doesNotMatch(everything, /hush|LINE/)
      assert.match(everything, /(Binder|Conversion|Invalid Input|IO|TransactionContext) Error/)
      assert.match(everything, /\n {4}at /)
    }
  }
})

test('loggableCause() returns every other cause unchanged', () => {
  for (const cause of [
    new Error('the disk is on fire'),
    new TypeError('cannot read x'),
    new Error('IO Error: Could not write file "spill/1": No space left on device'),
    'text',
    undefined,
  ]) {
    assert.equal(loggableCause(cause), cause)
  }
})
