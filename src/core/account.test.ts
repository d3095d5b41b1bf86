// Tests of the account: a sentence that adds up, without what there is none of.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accountOf, sumOfRecords } from './account.ts'

const none = { total: 0, header: 0, blank: 0, skipped: 0, accepted: 0, rejected: 0 }

test('accountOf() says what adds up to the records of a file', () => {
  const file = { ...none, total: 20_001, header: 1, accepted: 19_981, rejected: 19 }
  assert.equal(accountOf(file), '20,001 records = 1 header + 19,981 rows + 19 rejected')
  assert.equal(
    accountOf({ total: 10, header: 1, blank: 2, skipped: 3, accepted: 1, rejected: 3 }),
    '10 records = 1 header + 2 blank + 3 skipped + 1 row + 3 rejected',
  )
  assert.equal(accountOf({ ...none, total: 1, header: 1 }), '1 record = 1 header + 0 rows')
  assert.equal(accountOf(none), '0 records = 0 rows')
  const sum = accountOf(sumOfRecords([file, file]))
  assert.equal(sum, '40,002 records = 2 header + 39,962 rows + 38 rejected')
})
