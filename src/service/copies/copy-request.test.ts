// Tests of copy requests: defaults of the target, table names, and what is refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CopyTarget } from '../../core/copies/copy-status.ts'
import type { Receipt } from '../../core/receipt.ts'
import { completeRequest, tableNameOf } from './copy-request.ts'

const plain: CopyTarget = { name: 'plain', url: '', schema: 'public', table: null, mode: 'replace', key: [] }
const fixed: CopyTarget = { ...plain, name: 'fixed', table: 'events', mode: 'upsert', key: ['id'] }
const columns = ['id', 'day'].map((name) => ({ name, type: 'integer', nulls: 0, why: '' }))
const receipt = { file: { name: 'Sales 2024.csv' }, columns } as unknown as Receipt

test('completeRequest() completes a request with the target and the file name', () => {
  const targets = [plain, fixed]
  assert.deepEqual(completeRequest({ to: 'plain' }, receipt, targets), {
    to: 'plain',
    table: 'sales_2024',
    mode: 'replace',
    key: [],
  })
  assert.deepEqual(completeRequest({ to: 'fixed' }, receipt, targets), {
    to: 'fixed',
    table: 'events',
    mode: 'upsert',
    key: ['id'],
  })
  const keyed = completeRequest({ to: 'plain', table: 'T', key: ['day', 'id', 'day'] }, receipt, targets)
  assert.deepEqual(keyed, { to: 'plain', table: 'T', mode: 'upsert', key: ['day', 'id'] })
  assert.deepEqual(completeRequest({ to: 'fixed', mode: 'append' }, receipt, targets).key, [])
})

test('completeRequest() names the invalid parameter', () => {
  const wrong = (given: object) => () => completeRequest({ to: 'plain', ...given }, receipt, [plain, fixed])
  assert.throws(wrong({ to: 'lake' }), /'to': there is no target 'lake', expected one of plain, fixed$/)
  assert.throws(
    () => completeRequest({ to: 'lake' }, receipt, []),
    /expected a service that was started with --copy-target$/,
  )
  for (const table of ['', '1a', 'a-b', 'a"b', 'a.b', 'ä', 'a'.repeat(64)]) {
    assert.throws(wrong({ table }), /Cannot use parameter 'table'/, table)
  }
  assert.throws(wrong({ mode: 'upsert' }), /'key': it is missing/)
  assert.throws(wrong({ key: ['nobody'] }), /'key': the dataset has no column 'nobody'/)
  assert.throws(wrong({ mode: 'append', key: ['id'] }), /'key': a copy with mode 'append' has no key/)
})

test('tableNameOf() derives a table name from any file name', () => {
  const names = {
    'people.csv': 'people',
    '2024 Sales (final).csv.gz': 't_2024_sales_final',
    'Überweisungen.CSV': 'uberweisungen',
    '.hidden': 'hidden',
    '数据.csv': 'data',
    '': 'data',
    '__a__.csv': 'a',
  }
  for (const [fileName, table] of Object.entries(names)) assert.equal(tableNameOf(fileName), table)
  assert.equal(tableNameOf(`${'a'.repeat(62)} b.csv`), 'a'.repeat(62))
})
