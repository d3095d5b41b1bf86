// Spool sample: the upload of a number, and whether a store has what its writer was promised.
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { uuidV7 } from '../../../src/core/ids.ts'
import { createFsStore } from '../../../src/store/fs/fs-store.ts'
import type { SpoolFacts } from '../../../src/store/store.ts'

/** An upload of 1 to 400,000 bytes, whose pattern shows bytes at a wrong offset. */
export function spoolSample(number: number): { readonly facts: SpoolFacts; readonly content: Buffer } {
  const id = uuidV7(1_763_000_000_000 + number, new Uint8Array(10).fill(number % 256))
  const content = Buffer.alloc(1 + ((number * 75_773) % 400_000))
  for (let i = 0; i < content.length; i += 1) content[i] = (i * 31 + (i >> 8) * 7 + number) % 256
  return { facts: { id, owner: '', createdAt: 1_763_000_000_000 + number, details: { number } }, content }
}

/** Opens the store after a crash: all bytes up to each acknowledged offset exist, and removed uploads do not. */
export async function checkSpools(dir: string, said: readonly string[]): Promise<void> {
  const store = await createFsStore({ dir })
  try {
    assert.deepEqual(await readdir(join(dir, 'incoming')), [])
    const byId = new Map(store.spools.found.map((spool) => [spool.facts.id, spool]))
    const offsets = new Map<number, number>()
    const words = new Map<number, string>()
    for (const [word, number, bytes] of said.map((line) => line.split(' '))) {
      if (number === undefined) continue
      words.set(Number(number), word!)
      // The number of a removed upload is used again.
      if (word === 'begun') offsets.delete(Number(number))
      if (bytes !== undefined) offsets.set(Number(number), Number(bytes))
    }
    for (const [number, word] of words) {
      const { facts, content } = spoolSample(number)
      const spool = byId.get(facts.id)
      if (word === 'removed') assert.equal(spool, undefined, `upload ${number} was removed but is back`)
      if (word === 'at' || word === 'whole') assert.ok(spool, `upload ${number} was acknowledged but is lost`)
      if (spool === undefined) continue
      const { bytes, isComplete } = spool.state
      assert.deepEqual(spool.facts, facts)
      assert.ok(bytes >= (offsets.get(number) ?? 0), `upload ${number} is at ${bytes}, promised ${offsets.get(number)}`)
      if (isComplete || word === 'whole') assert.deepEqual([isComplete, bytes], [true, content.length])
      const kept = (await readFile(spool.path)).subarray(0, bytes)
      assert.ok(kept.equals(content.subarray(0, bytes)), `upload ${number} has other bytes than were sent`)
    }
  } finally {
    await store.close()
  }
}
