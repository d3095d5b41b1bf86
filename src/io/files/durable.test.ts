// Tests of durable files: the names of new directories are synced, and no link is taken for a file.
import assert from 'node:assert/strict'
import fs, { readlinkSync } from 'node:fs'
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, mock, test } from 'node:test'
import { makeDirectory, syncFile } from './durable.ts'

const dir = await realpath(await mkdtemp(join(tmpdir(), 'durable-')))
after(() => rm(dir, { recursive: true }))

/** What is synced below `dir` while `work` runs, in order. */
async function syncedDuring(work: () => Promise<unknown>): Promise<readonly string[]> {
  const synced: string[] = []
  const real = fs.fsync
  const watched = mock.method(fs, 'fsync', (fd: number, done: fs.NoParamCallback) => {
    const path = readlinkSync(`/proc/self/fd/${fd}`)
    if (path.startsWith(dir)) synced.push(path.slice(dir.length))
    real(fd, done)
  })
  syncBuiltinESMExports()
  try {
    await work()
  } finally {
    watched.mock.restore()
    syncBuiltinESMExports()
  }
  return synced
}

test('makeDirectory() syncs the parent of each directory that it makes, and of no other', {
  skip: process.platform !== 'linux',
}, async () => {
  const path = join(dir, 'a', 'b', 'c')
  assert.deepEqual(await syncedDuring(() => makeDirectory(path)), ['', '/a', '/a/b'])
  assert.deepEqual(await syncedDuring(() => makeDirectory(path)), [])
  // A new directory behind a link is in the directory that the link leads to.
  await mkdir(join(dir, 'behind'))
  await symlink('behind', join(dir, 'link'), 'junction')
  assert.deepEqual(await syncedDuring(() => makeDirectory(join(dir, 'link', 'd'))), ['/behind'])
})

test('syncFile() refuses a link, a missing file, and one of another size', async (t) => {
  const path = join(dir, 'file')
  await writeFile(path, 'four')
  await syncFile(path, 4)
  await assert.rejects(syncFile(path, 5), /has 4 bytes, expected 5/)
  await assert.rejects(syncFile(join(dir, 'missing')), { code: 'ENOENT' })
  if (process.platform === 'win32') return t.skip('this system opens links like files')
  await symlink(path, join(dir, 'link to file'))
  await assert.rejects(syncFile(join(dir, 'link to file'), 4), { code: 'ELOOP' })
})
