// I/O errors: each system call that changes what is on disk fails once, and nothing that was promised is lost by it.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkPromises, isTraceable, runWriter } from './crash.ts'
import { randomFrom, seed } from './random.ts'

/** Places tried of each call and error; every one there is with a large number. */
const placeCount = Number(process.env.PLACES ?? 3)
const skip = isTraceable ? false : 'strace is not there or may not trace'

/** Published, recorded and removed; then another one, to see that the store goes on. */
const numbers = { first: 5, count: 2, atOnce: 1 }

const calls = ['fsync', 'fdatasync', '?rename,?renameat,?renameat2', '?mkdir,?mkdirat', '?unlink,?rmdir,?unlinkat']
const errors = ['EIO', 'ENOSPC', 'EACCES', 'EMFILE', 'EROFS']

test(`an error of any call that changes the disk breaks no promise (SEED=${seed})`, { skip }, async (t) => {
  const random = randomFrom(seed)
  let refusedCount = 0
  let placesTried = 0
  for (const call of calls) {
    const order = Array.from({ length: 80 }, (_, i) => ({ when: i + 1, order: random() }))
    const places = order.toSorted((a, b) => a.order - b.order).slice(0, placeCount)
    for (const { when } of places) {
      const error = errors[Math.floor(random() * errors.length)]!
      const dir = await mkdtemp(join(tmpdir(), 'io-errors-'))
      t.after(() => rm(dir, { recursive: true }))
      const inject = ['-e', `trace=${call}`, '-e', `inject=${call}:error=${error}:when=${when}`]
      const under = ['strace', '-f', '-qq', '-o', '/dev/null', ...inject]
      const { promises, said } = await runWriter({ dir, ...numbers, under, mayFailAtStart: true })
      await checkPromises(dir, promises)
      refusedCount += said.filter((line) => line.startsWith('refused')).length
      placesTried += 1
    }
  }
  t.diagnostic(`${placesTried} places, ${refusedCount} refusals`)
})

test('a sync that fails is an upload refused, and none is promised after a directory could not be synced', {
  skip,
}, async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'io-errors-'))
  t.after(() => rm(dir, { recursive: true }))
  // From the first sync after the start on, which itself needs some.
  const under = ['strace', '-f', '-qq', '-o', '/dev/null', '-e', 'trace=fsync', '-e', 'inject=fsync:error=EIO:when=8+']
  const { said } = await runWriter({ dir, ...numbers, under })
  assert.deepEqual(
    said.filter((line) => /^(kept|refused)/.test(line)),
    ['refused 5', 'refused 6'],
  )
})
