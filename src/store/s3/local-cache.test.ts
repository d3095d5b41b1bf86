// Tests of the local cache: a file in use is there, however small the cache is, and its sizes are right.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { LocalCache } from './local-cache.ts'

async function scratch(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'local-cache-'))
  t.after(() => rm(dir, { recursive: true, force: true }))
  return dir
}

async function fetched(path: string): Promise<true> {
  await writeFile(path, '0123456789')
  return true
}

/** Files of a test; each has ten bytes. */
function files(count: number, prefix = '') {
  return Array.from({ length: count }, (_, i) => ({ name: `${prefix}${i}`, fetch: fetched }))
}

test('LocalCache.during() has every file, even if the cache is too small for them', async (t) => {
  const cache = await LocalCache.open(join(await scratch(t), 'cache'), 15)
  for (let round = 0; round < 20; round += 1) {
    await Promise.all(
      ['a', 'b', 'c'].map((prefix) =>
        cache.during(
          files(10, prefix),
          async (paths) => {
            for (const path of paths) assert.equal(readFileSync(path, 'latin1'), '0123456789')
          },
          'damaged',
        ),
      ),
    )
  }
})

test('LocalCache.use() returns null only for a file that does not exist', async (t) => {
  const cache = await LocalCache.open(join(await scratch(t), 'cache'), 15)
  assert.equal(await cache.use('missing', async () => false), null)
  const fetching = cache.use('one', fetched)
  using two = await cache.use('two', fetched)
  using one = await fetching
  assert.deepEqual([readFileSync(one!.path, 'latin1'), readFileSync(two!.path, 'latin1')], ['0123456789', '0123456789'])
})

test('LocalCache.take() of a file that is being fetched counts it once', async (t) => {
  const dir = await scratch(t)
  const cache = await LocalCache.open(join(dir, 'cache'), 25)
  const moved = join(dir, 'moved')
  await writeFile(moved, '0123456789')
  const started = Promise.withResolvers<void>()
  const isMoved = Promise.withResolvers<void>()
  const fetching = cache.use('one', async (path) => {
    started.resolve()
    await isMoved.promise
    return await fetched(path)
  })
  await started.promise
  await cache.take('one', moved)
  isMoved.resolve()
  ;(await fetching)?.[Symbol.dispose]()
  ;(await cache.use('two', fetched))?.[Symbol.dispose]()
  assert.deepEqual(readdirSync(join(dir, 'cache')).toSorted(), ['one', 'two'])
})
