// Tests of the buffer pool: a few batches serve many files, including files that have stopped growing.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { BufferPool } from './buffer-pool.ts'
import { BufferedWriter } from './buffered-writer.ts'

const dir = await mkdtemp(join(tmpdir(), 'batch-pool-'))
after(() => rm(dir, { recursive: true }))

const create = (name: string, pool: BufferPool) =>
  BufferedWriter.create(join(dir, name), { syncEveryBytes: null, pool })

for (const batchCount of [1, 2, 5]) {
  test(`BufferPool of ${batchCount} serves 20 files at once, each whole and in order`, async () => {
    const pool = new BufferPool(new ArrayBuffer(batchCount * 1_000), 1_000)
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        await using writer = await create(`${batchCount}-${index}`, pool)
        const slices = Array.from({ length: 40 }, (_, i) => Buffer.alloc((i * 791 + index) % 2_500, `${i},${index};`))
        for (const slice of slices) await writer.write([slice])
        await writer.close()
        assert.ok((await readFile(writer.path)).equals(Buffer.concat(slices)))
      }),
    )
  })
}

test('BufferPool takes the batch of a file that has stopped growing, without losing bytes', async () => {
  const pool = new BufferPool(new ArrayBuffer(1_000), 1_000)
  await using still = await create('still', pool)
  await still.write([Buffer.from('begun, ')])
  await using busy = await create('busy', pool)
  await busy.write([Buffer.from('all of it')])
  await busy.close()
  assert.equal(await readFile(still.path, 'utf8'), 'begun, ')
  await still.write([Buffer.from('gone on')])
  await still.close()
  assert.equal(await readFile(still.path, 'utf8'), 'begun, gone on')
})

test('BufferPool gets back the batch of an abandoned file', async () => {
  const pool = new BufferPool(new ArrayBuffer(1_000), 1_000)
  {
    await using left = await create('left', pool)
    await left.write([Buffer.from('never written')])
  }
  await using next = await create('next', pool)
  await next.write([Buffer.from('taken')])
  await next.close()
  assert.equal(await readFile(next.path, 'utf8'), 'taken')
})
