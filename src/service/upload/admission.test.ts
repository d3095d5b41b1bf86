// Tests of admission: checks of the request head, places, space, quotas, and fairness between clients.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../../config/config.ts'
import { type ErrorCode, isServiceError, type ServiceError } from '../../core/errors.ts'
import { AdmissionControl, type AdmissionLimits } from './admission.ts'
import { Quota } from './quota.ts'

const contentType = 'multipart/form-data; boundary=B'
const mebibyte = 1_048_576

const limits = {
  requestBytesMax: 1000 * mebibyte,
  uploadsMax: 2,
  uploadsPerClientMax: 100,
  ownerBytesMax: Number.POSITIVE_INFINITY,
  ownerDatasetsMax: Number.POSITIVE_INFINITY,
}

type Given = Partial<AdmissionLimits> & { readonly freeBytes?: number }

/** @param used By the owner `full`. */
function open({ freeBytes = Number.POSITIVE_INFINITY, ...given }: Given = {}, used = { datasets: 0, bytes: 0 }) {
  const store = {
    freeBytes: async () => freeBytes,
    usage: (owner: string) => (owner === 'full' ? used : { datasets: 0, bytes: 0 }),
    isCounted: () => false,
    catchUp: async () => {},
  }
  const all = { ...limits, ...given }
  return AdmissionControl.open(all, store, new Quota(all, store))
}

function refuses(admit: () => unknown, code: ErrorCode): void {
  assert.throws(admit, (error) => isServiceError(error, code))
}

test('AdmissionControl.admit() checks the type before the length, and the length before the room', async () => {
  const admissionControl = await open({ freeBytes: 0 })
  const declaredBytes = 1000 * mebibyte + 1
  refuses(() => admissionControl.admit({ contentType: 'text/csv', declaredBytes }, ''), 'NOT_MULTIPART')
  refuses(() => admissionControl.admit({ contentType: undefined, declaredBytes }, ''), 'NOT_MULTIPART')
  refuses(() => admissionControl.admit({ contentType: 'multipart/mixed', declaredBytes }, ''), 'NO_BOUNDARY')
  refuses(
    () => admissionControl.admit({ contentType: `${contentType}; boundary=C`, declaredBytes }, ''),
    'BAD_MULTIPART',
  )
  const coded = { contentCoding: 'gzip', declaredBytes }
  refuses(() => admissionControl.admit({ contentType: 'multipart/mixed', ...coded }, ''), 'NO_BOUNDARY')
  refuses(() => admissionControl.admit({ contentType, ...coded }, ''), 'CONTENT_CODED')
  refuses(() => admissionControl.admit({ contentType, declaredBytes }, ''), 'REQUEST_TOO_LARGE')
  refuses(() => admissionControl.admit({ contentType, declaredBytes: declaredBytes - 1 }, ''), 'DISK_FULL')
  assert.equal((await open()).admit({ contentType, declaredBytes: null }, '').boundary, 'B')
})

test('AdmissionControl.admit() admits uploads up to the limit, and one more after a repeated release', async () => {
  const admissionControl = await open()
  const head = { contentType, declaredBytes: 5 }
  const first = admissionControl.admit(head, '')
  admissionControl.admit(head, '')
  refuses(() => admissionControl.admit(head, ''), 'TOO_MANY_UPLOADS')
  first.release()
  first.release()
  admissionControl.admit(head, '')
  refuses(() => admissionControl.admit(head, ''), 'TOO_MANY_UPLOADS')
})

test('AdmissionControl.admit() takes the place of the upload that has kept the service waiting longest', async () => {
  const admissionControl = await open({ uploadsMax: 3, uploadsPerClientMax: 2 })
  const broken: string[] = []
  const waits = { a: 4_999, b: 0, c: 0 }
  const admit = (name: keyof typeof waits, owner: string) => {
    const body = { waitedMs: () => waits[name], fail: ({ code }: ServiceError) => void broken.push(name + code) }
    return admissionControl.admit({ contentType, declaredBytes: 5, body }, owner)
  }
  const first = admit('a', 'x')
  admit('b', 'x')
  admit('c', 'y')
  refuses(() => admissionControl.admit({ contentType, declaredBytes: 5 }, 'z'), 'TOO_MANY_UPLOADS')
  waits.a = 5_000
  waits.b = 9_000
  admissionControl.admit({ contentType, declaredBytes: 5 }, 'z')
  assert.deepEqual(broken, ['bREQUEST_TIMEOUT'])
  waits.b = 0
  admissionControl.admit({ contentType, declaredBytes: 5 }, 'z')
  assert.deepEqual(broken, ['bREQUEST_TIMEOUT', 'aREQUEST_TIMEOUT'])
  // An upload that lost its place frees nothing when it ends.
  first.release()
  refuses(() => admissionControl.admit({ contentType, declaredBytes: 5 }, 'q'), 'TOO_MANY_UPLOADS')
})

test('AdmissionControl.admit() takes space from uploads that keep the service waiting, if enough', async () => {
  const admissionControl = await open({ freeBytes: 100 * mebibyte })
  const broken: string[] = []
  let waitedMs = 0
  const body = { waitedMs: () => waitedMs, fail: () => void broken.push('slow') }
  admissionControl.admit({ contentType, declaredBytes: 12 * mebibyte, body }, '')
  refuses(() => admissionControl.admit({ contentType, declaredBytes: 12 * mebibyte }, ''), 'DISK_FULL')
  waitedMs = 5_000
  refuses(() => admissionControl.admit({ contentType, declaredBytes: 100 * mebibyte }, ''), 'DISK_FULL')
  assert.deepEqual(broken, [])
  admissionControl.admit({ contentType, declaredBytes: 12 * mebibyte }, '')
  assert.deepEqual(broken, ['slow'])
})

test('AdmissionControl.admit() takes the place of an owner beyond its limit from the same owner', async () => {
  const admissionControl = await open({ uploadsMax: 3, uploadsPerClientMax: 1 })
  const broken: string[] = []
  for (const owner of ['x', 'y']) {
    const body = { waitedMs: () => (owner === 'y' ? 9_000 : 6_000), fail: () => void broken.push(owner) }
    admissionControl.admit({ contentType, declaredBytes: 5, body }, owner)
  }
  admissionControl.admit({ contentType, declaredBytes: 5 }, 'x')
  assert.deepEqual(broken, ['x'])
})

test('AdmissionControl.admit() reserves the declared length until it is released', async () => {
  const admissionControl = await open({ freeBytes: 364 * mebibyte })
  const head = { contentType, declaredBytes: 100 * mebibyte }
  const first = admissionControl.admit(head, '')
  refuses(() => admissionControl.admit(head, ''), 'DISK_FULL')
  first.release()
  admissionControl.admit(head, '')
})

test('AdmissionControl.admit() checks the declared length and uploads in progress against the quota', async () => {
  const used = { datasets: 1, bytes: 400 }
  const admissionControl = await open({ ownerBytesMax: 1000 }, used)
  refuses(() => admissionControl.admit({ contentType, declaredBytes: 601 }, 'full'), 'QUOTA_EXCEEDED')
  const first = admissionControl.admit({ contentType, declaredBytes: 600 }, 'full')
  refuses(() => admissionControl.admit({ contentType, declaredBytes: 1 }, 'full'), 'QUOTA_EXCEEDED')
  admissionControl.admit({ contentType, declaredBytes: 1000 }, 'another')
  first.release()
  admissionControl.admit({ contentType, declaredBytes: null }, 'full')
  const withOne = await open({ ownerDatasetsMax: 1 }, used)
  refuses(() => withOne.admit({ contentType, declaredBytes: 1 }, 'full'), 'QUOTA_EXCEEDED')
  withOne.admit({ contentType, declaredBytes: 1 }, 'another')
})

const head = { contentType, declaredBytes: 5 }

/** How many of these requests of one network are admitted. */
function admit(admissionControl: AdmissionControl, network: string, count: number, owner = ''): number {
  let admitted = 0
  for (let i = 0; i < count; i++) {
    try {
      admissionControl.admit({ ...head, network }, owner)
      admitted += 1
    } catch (error) {
      assert.ok(isServiceError(error, 'TOO_MANY_UPLOADS'), String(error))
    }
  }
  return admitted
}

test('AdmissionControl.admit() leaves places for other networks without authentication', async () => {
  const admissionControl = await open({ uploadsMax: 64, uploadsPerClientMax: 64 })
  assert.equal(admit(admissionControl, '192.0.2.1', 1_000), 48)
  assert.equal(admit(admissionControl, '192.0.2.2', 1_000), 12)
  for (let i = 10; i < 13; i++)
    assert.equal(admit(admissionControl, `192.0.2.${i}`, 1), 1, 'a network without a place gets one')
})

test('AdmissionControl.admit() shares places among owners, whatever their networks', async () => {
  const admissionControl = await open({ uploadsMax: 64, uploadsPerClientMax: 64 })
  assert.equal(admit(admissionControl, '192.0.2.1', 1_000, 'a') + admit(admissionControl, '192.0.2.2', 1_000, 'a'), 48)
  assert.equal(admit(admissionControl, '192.0.2.1', 1, 'b'), 1)
})

test('AdmissionControl.admit() admits uploads of one client up to its limit', async () => {
  const limited = { uploadsMax: 64, uploadsPerClientMax: 3 }
  const admissionControl = await open(limited)
  const first = admissionControl.admit({ ...head, network: '192.0.2.1' }, '')
  assert.equal(admit(admissionControl, '192.0.2.1', 5), 2)
  first.release()
  assert.equal(admit(admissionControl, '192.0.2.1', 5), 1)
  assert.equal(admit(admissionControl, '192.0.2.2', 5), 3)
  assert.equal(admit(admissionControl, '192.0.2.1', 5, 'an owner'), 3, 'an owner is a separate client')
})

test('AdmissionControl.admit() replaces a slow upload of the client with the most only', async () => {
  const admissionControl = await open({ uploadsMax: 4, uploadsPerClientMax: 4 })
  const broken: string[] = []
  const waits = new Map<string, number>()
  const admit = (network: string, name: string) => {
    const body = { waitedMs: () => waits.get(name) ?? 0, fail: () => void broken.push(name) }
    admissionControl.admit({ ...head, network, body }, '')
  }
  for (const name of ['a1', 'a2', 'a3']) admit('a', name)
  admit('b', 'b1')
  // All places are taken; the slowest upload is the only one of its network.
  waits.set('b1', 20_000).set('a2', 6_000)
  admit('c', 'c1')
  assert.deepEqual(broken, ['a2'])
  // A network with more uploads takes no place from a network with fewer.
  refuses(() => admit('a', 'a4'), 'TOO_MANY_UPLOADS')
  waits.set('a1', 5_000)
  admit('a', 'a4')
  assert.deepEqual(broken, ['a2', 'a1'])
})

test('AdmissionControl.admit() keeps a place for another network besides three greedy ones', async () => {
  const { uploadsMax, uploadsPerClientMax } = readConfig([], {})
  for (const greedyCount of [1, 2, 3]) {
    const admissionControl = await open({ uploadsMax, uploadsPerClientMax })
    for (let i = 0; i < greedyCount; i++) admit(admissionControl, `192.0.2.${i}`, 1_000)
    assert.equal(admit(admissionControl, '198.51.100.1', 1), 1, `${greedyCount} greedy networks`)
  }
})

/** Uploads that keep the service waiting; `ended` has the names of those that were ended for another one. */
function slowUploads(admissionControl: AdmissionControl) {
  const ended: string[] = []
  const admit = (name: string, owner: string, declaredBytes: number) => {
    const body = { waitedMs: () => 6_000, fail: () => void ended.push(name) }
    return admissionControl.admit({ contentType, declaredBytes, body }, owner)
  }
  return { ended, admit }
}

test('AdmissionControl.admit() ends no upload for one that the quota refuses', async () => {
  const used = { datasets: 1, bytes: 100 }
  const given = { uploadsMax: 3, uploadsPerClientMax: 1, ownerBytesMax: 100 }
  const admissionControl = await open(given, used)
  const { ended, admit } = slowUploads(admissionControl)
  for (const name of ['a', 'b', 'c']) admit(name, name, 1)
  for (let i = 0; i < 3; i++) refuses(() => admit('new', 'full', 1), 'QUOTA_EXCEEDED')
  assert.deepEqual(ended, [])
  // An own upload that would end for it does not count.
  admit('d', 'c', 100)
  assert.deepEqual(ended, ['c'])
})

test('AdmissionControl.admit() ends slow uploads for room only if that suffices, and only those that hold some', async () => {
  const admissionControl = await open({ freeBytes: 1000 * mebibyte, uploadsMax: 100 })
  const { ended, admit } = slowUploads(admissionControl)
  admissionControl.admit({ contentType, declaredBytes: 300 * mebibyte }, 'busy')
  admit('unknown length', 'b', 0)
  for (let i = 0; i < 10; i++) admit(`slow ${i}`, `owner ${i}`, 10 * mebibyte)
  refuses(() => admit('new', 'c', 130 * mebibyte), 'DISK_FULL')
  admissionControl.checkBytes({ fileBytes: 0, missingBytes: 30 * mebibyte, network: '' }, 'c')
  assert.deepEqual(ended, [])
  admit('new', 'c', 30 * mebibyte)
  assert.deepEqual(ended, ['slow 0'])
})

test('AdmissionControl.checkRoom() refuses when every upload would be refused, and not before', async () => {
  const free = async (freeBytes: number) => await open({ freeBytes })
  await (await free(64 * mebibyte)).checkRoom()
  await assert.rejects((await free(64 * mebibyte - 1)).checkRoom(), { code: 'DISK_FULL' })
  const busy = await free(86 * mebibyte)
  const place = busy.admit({ contentType, declaredBytes: 10 * mebibyte }, '')
  await busy.checkRoom()
  refuses(() => busy.admit({ contentType, declaredBytes: 1 }, ''), 'DISK_FULL')
  place.release()
})
