// Tests of kept segments: how much they keep on disk, and that nothing remains.
import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { KeptSegments } from './kept-segments.ts'
import type { CutSegment } from './write-segments.ts'

const layout = { width: 2, delimiter: ',', quote: '"', escape: null, lineTerminator: '\n' } as const

async function setUp(t: TestContext) {
  const dir = await mkdtemp(join(tmpdir(), 'kept-segments-'))
  t.after(() => rm(dir, { recursive: true }))
  /** A segment with the given number of bytes in its own file, and in the original. */
  const segment = async (index: number, own: number, inOriginal: number): Promise<CutSegment> => {
    const path = join(dir, `${index}`)
    if (own > 0) await writeFile(path, 'x'.repeat(own))
    const pieces = [
      { path, byteOffset: 0, bytes: own },
      { path: '/original', byteOffset: 5, bytes: inOriginal },
    ]
    return { kind: 'accepted', index, segment: { path, pieces, records: 1, bytes: own + inOriginal, layout } }
  }
  return { dir, segment }
}

test('KeptSegments keeps segments while their own files are small in total', async (t) => {
  const { dir, segment } = await setUp(t)
  const kept = new KeptSegments(100)
  await kept.take(await segment(1, 60, 1e9))
  await kept.take(await segment(0, 40, 1e9))
  assert.equal(kept.isComplete, true)
  assert.deepEqual(
    kept.list.map(({ index }) => index),
    [0, 1],
  )
  assert.deepEqual((await readdir(dir)).sort(), ['0', '1'])
  await kept.take(await segment(2, 1, 0))
  assert.equal(kept.isComplete, false)
  assert.deepEqual(await readdir(dir), [])
  await kept.take(await segment(3, 1, 0))
  assert.deepEqual(await readdir(dir), [])
})

test('KeptSegments touches no file for a segment whose records are all in the original', async (t) => {
  const { dir, segment } = await setUp(t)
  {
    await using kept = new KeptSegments(9)
    const { segment: one } = await segment(0, 0, 5)
    await writeFile(one.path, 'of somebody else')
    const pieces = one.pieces?.filter(({ path }) => path !== one.path) ?? []
    await kept.take({ kind: 'accepted', index: 0, segment: { ...one, pieces } })
  }
  assert.deepEqual(await readdir(dir), ['0'])
})

test('KeptSegments treats a segment without pieces as its file, and removes files in the end', async (t) => {
  const { dir, segment } = await setUp(t)
  {
    await using kept = new KeptSegments(9)
    const { pieces: _, ...whole } = (await segment(0, 9, 0)).segment
    await kept.take({ kind: 'accepted', index: 0, segment: whole })
    assert.equal(kept.isComplete, true)
    assert.deepEqual(await readdir(dir), ['0'])
  }
  assert.deepEqual(await readdir(dir), [])
})
