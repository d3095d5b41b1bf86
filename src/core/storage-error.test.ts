// Tests of storage errors: which code of the system is told as what.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServiceError } from './errors.ts'
import { toStoreError } from './storage-error.ts'

const failing = (code: string) => Object.assign(new Error(`${code} on purpose`), { code })

test('toStoreError() tells what is full, what is used up, what cannot be used now, and the rest', () => {
  const told = (code: string) => toStoreError(failing(code)).code
  for (const code of ['ENOSPC', 'EDQUOT', 'EFBIG']) assert.equal(told(code), 'DISK_FULL', code)
  for (const code of ['EMFILE', 'ENFILE']) assert.equal(told(code), 'TOO_MANY_OPEN_FILES', code)
  for (const code of ['EROFS', 'EACCES', 'EPERM', 'EIO', 'ESTALE', 'ENODEV', 'ENXIO', 'ENOTCONN']) {
    assert.equal(told(code), 'STORE_UNAVAILABLE', code)
  }
  for (const code of ['ENOENT', 'EINVAL', 'ENOTDIR', 'EMLINK']) assert.equal(told(code), 'STORE_FAILED', code)
})

test('toStoreError() keeps the cause for the log, lets nothing of it into the message, and leaves our own errors alone', () => {
  const cause = failing('EROFS')
  const error = toStoreError(cause)
  assert.equal(error.cause, cause)
  assert.doesNotMatch(error.message, /on purpose/)
  assert.ok((error.retryAfterSeconds ?? 0) > 0)
  const own = new ServiceError('NOT_FOUND', {})
  assert.equal(toStoreError(own), own)
})
