// Tests of causes: which records a cause still has belongs to the rules that were tried, not to those that are there now.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { leftOf } from './causes.ts'

const cause = { reason: 'too_few_fields', count: 9 } as const
const other = { reason: 'too_many_fields', count: 9 } as const
const outcome = (left: readonly number[]) => ({ records: 9, mended: 1, earlier: 0, first: [], left })

test('leftOf() takes the outcome of the rule about the cause, as it was tried', () => {
  const rules = [
    { ...other, mend: 'drop' },
    { ...cause, mend: 'append' },
  ] as const
  const tried = { rules, outcomes: [outcome([1]), outcome([2, 3])] }
  assert.deepEqual(leftOf(cause, tried), [2, 3])
  assert.deepEqual(leftOf(other, tried), [1])
  assert.equal(leftOf({ ...cause, column: 'name' }, tried), null)
  assert.equal(leftOf(cause, null), null)
})
