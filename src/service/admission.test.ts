// Tests of admission: what its callers may rely on.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ErrorCode, isServiceError } from '../core/errors.ts'
import { AdmissionDesk } from './admission.ts'

const contentType = 'multipart/form-data; boundary=B'
const mebibyte = 1_048_576

function openDesk(freeBytes: number) {
  const limits = { requestBytesMax: 1000 * mebibyte, uploadsMax: 2 }
  return AdmissionDesk.open(limits, { freeBytes: async () => freeBytes })
}

function refuses(admit: () => unknown, code: ErrorCode): void {
  assert.throws(admit, (error) => isServiceError(error, code))
}

test('AdmissionDesk.admit() gives the boundary the body is to be read with', async () => {
  const desk = await openDesk(Number.POSITIVE_INFINITY)
  assert.equal(desk.admit({ contentType, declaredBytes: null }).boundary, 'B')
})

test('AdmissionDesk.admit() judges the type before the length, and the length before the room', async () => {
  const desk = await openDesk(0)
  const declaredBytes = 1000 * mebibyte + 1
  refuses(() => desk.admit({ contentType: 'text/csv', declaredBytes }), 'NOT_MULTIPART')
  refuses(() => desk.admit({ contentType: undefined, declaredBytes }), 'NOT_MULTIPART')
  refuses(() => desk.admit({ contentType: 'multipart/mixed', declaredBytes }), 'NO_BOUNDARY')
  refuses(() => desk.admit({ contentType: `${contentType}; boundary=C`, declaredBytes }), 'BAD_MULTIPART')
  refuses(() => desk.admit({ contentType, declaredBytes }), 'REQUEST_TOO_LARGE')
  refuses(() => desk.admit({ contentType, declaredBytes: declaredBytes - 1 }), 'DISK_FULL')
})

test('AdmissionDesk.admit() lets in as many as the limit, and one more after a release; releasing twice frees once', async () => {
  const desk = await openDesk(Number.POSITIVE_INFINITY)
  const head = { contentType, declaredBytes: 5 }
  const first = desk.admit(head)
  desk.admit(head)
  refuses(() => desk.admit(head), 'TOO_MANY_UPLOADS')
  first.release()
  first.release()
  desk.admit(head)
  refuses(() => desk.admit(head), 'TOO_MANY_UPLOADS')
})

test('AdmissionDesk.admit() reserves room for what is declared until it is released', async () => {
  const desk = await openDesk(364 * mebibyte)
  const head = { contentType, declaredBytes: 100 * mebibyte }
  const first = desk.admit(head)
  refuses(() => desk.admit(head), 'DISK_FULL')
  first.release()
  desk.admit(head)
})
