// Tests of storage errors: how system error codes are mapped.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServiceError } from './errors.ts'
import { toStoreError } from './storage-error.ts'

const failing = (code: string) => Object.assign(new Error(`${code} on purpose`), { code })

test('toStoreError() distinguishes a full disk, exhausted descriptors, unavailable storage, and other failures', () => {
  const codeOf = (code: string) => toStoreError(failing(code)).code
  for (const code of ['ENOSPC', 'EDQUOT', 'EFBIG']) assert.equal(codeOf(code), 'DISK_FULL', code)
  for (const code of ['EMFILE', 'ENFILE']) assert.equal(codeOf(code), 'TOO_MANY_OPEN_FILES', code)
  for (const code of ['EROFS', 'EACCES', 'EPERM', 'EIO', 'ESTALE', 'ENODEV', 'ENXIO', 'ENOTCONN']) {
    assert.equal(codeOf(code), 'STORE_UNAVAILABLE', code)
  }
  for (const code of ['ENOENT', 'EINVAL', 'ENOTDIR', 'EMLINK']) assert.equal(codeOf(code), 'STORE_FAILED', code)
})

test('toStoreError() finds the reason why a thread could not start', () => {
  const failed = Object.assign(new Error('Worker initialization failure: EMFILE'), { code: 'ERR_WORKER_INIT_FAILED' })
  assert.equal(toStoreError(failed).code, 'TOO_MANY_OPEN_FILES')
})

test('a thread that cannot read its modules for lack of descriptors is TOO_MANY_OPEN_FILES', () => {
  const failed = new Error('Cannot read package config /srv/package.json: too many open files.')
  assert.equal(toStoreError(failed).code, 'TOO_MANY_OPEN_FILES')
})

test('toStoreError() keeps the cause for the log and out of the message, and passes service errors through', () => {
  const cause = failing('EROFS')
  const error = toStoreError(cause)
  assert.equal(error.cause, cause)
  assert.doesNotMatch(error.message, /on purpose/)
  assert.ok((error.retryAfterSeconds ?? 0) > 0)
  const own = new ServiceError('NOT_FOUND', {})
  assert.equal(toStoreError(own), own)
})
