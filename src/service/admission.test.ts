// Tests of admission: what its callers may rely on.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ErrorCode, isServiceError, type ServiceError } from '../core/errors.ts'
import { AdmissionDesk, type AdmissionLimits } from './admission.ts'

const contentType = 'multipart/form-data; boundary=B'
const mebibyte = 1_048_576

const limits = {
  requestBytesMax: 1000 * mebibyte,
  uploadsMax: 2,
  uploadsPerOwnerMax: 2,
  ownerBytesMax: Number.POSITIVE_INFINITY,
  ownerDatasetsMax: Number.POSITIVE_INFINITY,
}

function openDesk(freeBytes: number, given: Partial<AdmissionLimits> = {}, used = { datasets: 0, bytes: 0 }) {
  const store = {
    freeBytes: async () => freeBytes,
    usage: (owner: string) => (owner === 'full' ? used : { datasets: 0, bytes: 0 }),
  }
  return AdmissionDesk.open({ ...limits, ...given }, store)
}

function refuses(admit: () => unknown, code: ErrorCode): void {
  assert.throws(admit, (error) => isServiceError(error, code))
}

test('AdmissionDesk.admit() gives the boundary the body is to be read with', async () => {
  const desk = await openDesk(Number.POSITIVE_INFINITY)
  assert.equal(desk.admit({ contentType, declaredBytes: null }, '').boundary, 'B')
})

test('AdmissionDesk.admit() judges the type before the length, and the length before the room', async () => {
  const desk = await openDesk(0)
  const declaredBytes = 1000 * mebibyte + 1
  refuses(() => desk.admit({ contentType: 'text/csv', declaredBytes }, ''), 'NOT_MULTIPART')
  refuses(() => desk.admit({ contentType: undefined, declaredBytes }, ''), 'NOT_MULTIPART')
  refuses(() => desk.admit({ contentType: 'multipart/mixed', declaredBytes }, ''), 'NO_BOUNDARY')
  refuses(() => desk.admit({ contentType: `${contentType}; boundary=C`, declaredBytes }, ''), 'BAD_MULTIPART')
  refuses(() => desk.admit({ contentType, declaredBytes }, ''), 'REQUEST_TOO_LARGE')
  refuses(() => desk.admit({ contentType, declaredBytes: declaredBytes - 1 }, ''), 'DISK_FULL')
})

test('AdmissionDesk.admit() lets in as many as the limit, and one more after a release; releasing twice frees once', async () => {
  const desk = await openDesk(Number.POSITIVE_INFINITY)
  const head = { contentType, declaredBytes: 5 }
  const first = desk.admit(head, '')
  desk.admit(head, '')
  refuses(() => desk.admit(head, ''), 'TOO_MANY_UPLOADS')
  first.release()
  first.release()
  desk.admit(head, '')
  refuses(() => desk.admit(head, ''), 'TOO_MANY_UPLOADS')
})

test('AdmissionDesk.admit() gives a place that is wanted away from the upload that keeps us waiting longest', async () => {
  const desk = await openDesk(Number.POSITIVE_INFINITY, { uploadsMax: 3, uploadsPerOwnerMax: 2 })
  const broken: string[] = []
  const waits = { a: 4_999, b: 0, c: 0 }
  const admit = (name: keyof typeof waits, owner: string) => {
    const sender = { waitedMs: () => waits[name], breakOff: ({ code }: ServiceError) => void broken.push(name + code) }
    return desk.admit({ contentType, declaredBytes: 5, sender }, owner)
  }
  const first = admit('a', 'x')
  admit('b', 'x')
  admit('c', 'y')
  refuses(() => desk.admit({ contentType, declaredBytes: 5 }, 'z'), 'TOO_MANY_UPLOADS')
  waits.a = 5_000
  waits.b = 9_000
  desk.admit({ contentType, declaredBytes: 5 }, 'z')
  assert.deepEqual(broken, ['bREQUEST_TIMEOUT'])
  waits.b = 0
  desk.admit({ contentType, declaredBytes: 5 }, 'z')
  assert.deepEqual(broken, ['bREQUEST_TIMEOUT', 'aREQUEST_TIMEOUT'])
  // What gave way frees nothing when it ends at last.
  first.release()
  refuses(() => desk.admit({ contentType, declaredBytes: 5 }, 'q'), 'TOO_MANY_UPLOADS')
})

test('AdmissionDesk.admit() takes room from uploads that reserve it and keep us waiting, and only where that helps', async () => {
  const desk = await openDesk(100 * mebibyte)
  const broken: string[] = []
  let waitedMs = 0
  const sender = { waitedMs: () => waitedMs, breakOff: () => void broken.push('slow') }
  desk.admit({ contentType, declaredBytes: 12 * mebibyte, sender }, '')
  refuses(() => desk.admit({ contentType, declaredBytes: 12 * mebibyte }, ''), 'DISK_FULL')
  waitedMs = 5_000
  refuses(() => desk.admit({ contentType, declaredBytes: 100 * mebibyte }, ''), 'DISK_FULL')
  assert.deepEqual(broken, [])
  desk.admit({ contentType, declaredBytes: 12 * mebibyte }, '')
  assert.deepEqual(broken, ['slow'])
})

test('AdmissionDesk.admit() takes a place within one owner from that owner', async () => {
  const desk = await openDesk(Number.POSITIVE_INFINITY, { uploadsMax: 3, uploadsPerOwnerMax: 1 })
  const broken: string[] = []
  for (const owner of ['x', 'y']) {
    const sender = { waitedMs: () => (owner === 'y' ? 9_000 : 6_000), breakOff: () => void broken.push(owner) }
    desk.admit({ contentType, declaredBytes: 5, sender }, owner)
  }
  desk.admit({ contentType, declaredBytes: 5 }, 'x')
  assert.deepEqual(broken, ['x'])
})

test('AdmissionDesk.admit() reserves room for what is declared until it is released', async () => {
  const desk = await openDesk(364 * mebibyte)
  const head = { contentType, declaredBytes: 100 * mebibyte }
  const first = desk.admit(head, '')
  refuses(() => desk.admit(head, ''), 'DISK_FULL')
  first.release()
  desk.admit(head, '')
})

test('AdmissionDesk.admit() leaves room for other owners', async () => {
  const desk = await openDesk(Number.POSITIVE_INFINITY, { uploadsMax: 3, uploadsPerOwnerMax: 2 })
  const head = { contentType, declaredBytes: 5 }
  desk.admit(head, 'a')
  desk.admit(head, 'a')
  refuses(() => desk.admit(head, 'a'), 'TOO_MANY_UPLOADS')
  desk.admit(head, 'b')
  refuses(() => desk.admit(head, 'b'), 'TOO_MANY_UPLOADS')
})

test('AdmissionDesk.admit() holds what is declared against the quota, with what is on its way', async () => {
  const used = { datasets: 1, bytes: 400 }
  const desk = await openDesk(Number.POSITIVE_INFINITY, { ownerBytesMax: 1000 }, used)
  refuses(() => desk.admit({ contentType, declaredBytes: 601 }, 'full'), 'QUOTA_EXCEEDED')
  const first = desk.admit({ contentType, declaredBytes: 600 }, 'full')
  refuses(() => desk.admit({ contentType, declaredBytes: 1 }, 'full'), 'QUOTA_EXCEEDED')
  desk.admit({ contentType, declaredBytes: 1000 }, 'another')
  first.release()
  desk.admit({ contentType, declaredBytes: null }, 'full')
  refuses(() => desk.checkQuota('full', 601), 'QUOTA_EXCEEDED')
})

test('AdmissionDesk.admit() refuses one dataset more than the quota', async () => {
  const desk = await openDesk(Number.POSITIVE_INFINITY, { ownerDatasetsMax: 1 }, { datasets: 1, bytes: 1 })
  refuses(() => desk.admit({ contentType, declaredBytes: 1 }, 'full'), 'QUOTA_EXCEEDED')
  desk.admit({ contentType, declaredBytes: 1 }, 'another')
})
