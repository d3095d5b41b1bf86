// Spool contract: what the spools of every store must do, as tests for each implementation.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { isServiceError } from '../../core/errors.ts'
import { uuidV7 } from '../../core/ids.ts'
import type { Store } from '../store.ts'
import type { Spool, SpoolFacts } from './spool.ts'

type StoreTest = (title: string, body: (store: Store, open: () => Promise<Store>) => Promise<void>) => void

const createdAt = Date.UTC(2026, 10, 22)

export function spoolFacts(number = 0): SpoolFacts {
  const random = new Uint8Array(10).fill(number)
  return {
    id: uuidV7(createdAt + number, random),
    owner: 'anna',
    createdAt: createdAt + number,
    details: { name: 'ä.csv' },
  }
}

/** The durable bytes of a spool. */
export async function bytesOf(spool: Spool): Promise<string> {
  return (await readFile(spool.path)).subarray(0, spool.state.bytes).toString()
}

/** Appends a text and makes it durable. */
export async function append(spool: Spool, text: string, change = {}): Promise<void> {
  await using writer = await spool.open()
  await writer.write([Buffer.from(text)])
  await writer.commit(change)
}

export function spooling(storeTest: StoreTest): void {
  storeTest('spools.create() creates an empty upload, which a store opened later finds', async (store, open) => {
    const made = [await store.spools.create(spoolFacts(1), 10), await store.spools.create(spoolFacts(0), null)]
    for (const spool of made) assert.deepEqual([spool.state.bytes, spool.state.isComplete], [0, false])
    await store.close()
    const again = await open()
    assert.deepEqual(
      again.spools.found.map(({ facts, state }) => [facts, state.expectedBytes]),
      [
        [spoolFacts(0), null],
        [spoolFacts(1), 10],
      ],
    )
  })

  storeTest('open() continues after the last commit, in this store and the next', async (store, open) => {
    const spool = await store.spools.create(spoolFacts(), null)
    await append(spool, 'a,b\n')
    await append(spool, '1,2\n', { expectedBytes: 12 })
    assert.equal(await bytesOf(spool), 'a,b\n1,2\n')
    await store.close()
    const again = await open()
    const [found] = again.spools.found
    assert.ok(found)
    assert.equal(found.state.expectedBytes, 12)
    await append(found, '3,4\n', { isComplete: true })
    assert.equal(await bytesOf(found), 'a,b\n1,2\n3,4\n')
    assert.deepEqual([found.state.bytes, found.state.isComplete], [12, true])
  })

  storeTest('open() drops bytes that were written but not committed', async (store, open) => {
    const spool = await store.spools.create(spoolFacts(), null)
    await append(spool, 'kept ')
    for (const isDropped of [true, false]) {
      await using writer = await spool.open()
      assert.equal(writer.bytes, 5)
      await writer.write([Buffer.from(isDropped ? 'dropped' : 'added')])
      await writer.flush()
      if (!isDropped) await writer.commit()
    }
    assert.equal(await bytesOf(spool), 'kept added')
    await store.close()
    const [found] = (await open()).spools.found
    assert.ok(found)
    assert.equal(await bytesOf(found), 'kept added')
  })

  storeTest('flush() makes bytes readable before commit() makes them durable', async (store) => {
    const spool = await store.spools.create(spoolFacts(), null)
    await using writer = await spool.open()
    await writer.write([Buffer.from('soon')])
    await writer.flush()
    assert.equal(await readFile(spool.path, 'utf8'), 'soon')
    assert.equal(spool.state.bytes, 0)
  })

  storeTest('write(), flush() and commit() are carried out in order if they overlap', async (store) => {
    const spool = await store.spools.create(spoolFacts(), null)
    await using writer = await spool.open()
    const pieces = Array.from({ length: 40 }, (_, i) => `${i},`.repeat(i * 700))
    await Promise.all(
      pieces.flatMap((piece, i) => {
        const written = writer.write([Buffer.from(piece)])
        return i % 5 === 0 ? [written, writer.flush()] : i % 7 === 0 ? [written, writer.commit()] : [written]
      }),
    )
    await writer.commit()
    assert.equal(await bytesOf(spool), pieces.join(''))
  })

  storeTest('open() allows one writer at a time', async (store) => {
    const spool = await store.spools.create(spoolFacts(), null)
    const writer = await spool.open()
    await assert.rejects(spool.open(), /one writer/)
    await writer[Symbol.asyncDispose]()
    await (await spool.open())[Symbol.asyncDispose]()
  })

  storeTest('remove() removes a spool completely, and leaves the others', async (store, open) => {
    const spool = await store.spools.create(spoolFacts(0), null)
    const other = await store.spools.create(spoolFacts(1), null)
    await append(spool, 'x')
    await append(other, 'y')
    await spool.remove()
    await assert.rejects(readFile(spool.path), { code: 'ENOENT' })
    await store.close()
    const found = (await open()).spools.found
    assert.deepEqual(
      found.map(({ facts }) => facts.id),
      [other.facts.id],
    )
  })

  storeTest('create() refuses ids that lead to other paths', async (store) => {
    for (const id of ['', '..', '../x', 'A', spoolFacts().id.toUpperCase()]) {
      await assert.rejects(store.spools.create({ ...spoolFacts(), id }, null), /no id of an upload/)
    }
  })

  storeTest('create() reports failures of the storage', async (store) => {
    await store.spools.create(spoolFacts(), null)
    await assert.rejects(store.spools.create(spoolFacts(), null), (error) => isServiceError(error, 'STORE_FAILED'))
  })
}
