// Tests of open files: closing waits for calls in progress, and no call uses the descriptor afterwards.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { behind, OpenFile } from './open-file.ts'

const dir = await mkdtemp(join(tmpdir(), 'open-file-'))
after(() => rm(dir, { recursive: true }))

test('OpenFile.close() waits for calls in progress, and may be called again', async () => {
  const path = join(dir, 'busy')
  const file = await OpenFile.create(path, 0o600)
  const bytes = Buffer.alloc(3_000_000, 'x')
  const done: string[] = []
  const calls = [file.write(bytes, 0), file.sync(), file.datasync()].map((call) => call.then(() => done.push('call')))
  const closed = file.close().then(() => done.push('close'))
  await Promise.all([...calls, closed, file.close()])
  assert.deepEqual(done, ['call', 'call', 'call', 'close'])
  assert.deepEqual(await readFile(path), bytes)
})

test('OpenFile refuses calls once it is closed, because its descriptor may belong to another file', async () => {
  const file = await OpenFile.create(join(dir, 'closed'), 0o600)
  await file.close()
  await using other = await OpenFile.create(join(dir, 'other'), 0o600)
  for (const call of [() => file.write(Buffer.from('x'), 0), () => file.sync(), () => file.truncate(0)]) {
    await assert.rejects(call, /closed/)
  }
  assert.equal(other.stat().size, 0)
})

test('OpenFile.create() requires a new name, and OpenFile.open() an existing one', async () => {
  const path = join(dir, 'there')
  await assert.rejects(OpenFile.open(path, 'r'), { code: 'ENOENT' })
  await writeFile(path, 'four')
  await assert.rejects(OpenFile.create(path, 0o600), { code: 'EEXIST' })
  await using file = await OpenFile.open(path, 'r+')
  await file.write(Buffer.from('-5'), 4)
  assert.equal(file.stat().size, 6)
  await file.truncate(1)
  assert.equal(await readFile(path, 'utf8'), 'f')
})

test('OpenFile.writeSlices() writes slices one after another from a position on, and skips empty ones', async () => {
  const path = join(dir, 'slices')
  await using file = await OpenFile.create(path, 0o600)
  await file.write(Buffer.from('0123456789'), 0)
  const slices = ['ab', '', 'c', 'def'].map((text) => Buffer.from(text))
  await file.writeSlices(slices, 2)
  await file.writeSlices([], 0)
  assert.equal(await readFile(path, 'utf8'), '01abcdef89')
})

test('behind() returns the slices that remain after a short write', () => {
  const slices = ['ab', 'c', 'def'].map((text) => Buffer.from(text))
  const left = Array.from({ length: 7 }, (_, bytes) => behind(slices, bytes).map(String))
  assert.deepEqual(left, [['ab', 'c', 'def'], ['b', 'c', 'def'], ['c', 'def'], ['def'], ['ef'], ['f'], []])
})
