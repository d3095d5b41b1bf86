// Store assertions: assertions shared by tests of stores. Knows only the interface.
import assert from 'node:assert/strict'
import { type ErrorCode, isServiceError } from '../core/errors.ts'
import type { Store } from './store.ts'
import { readAll, type Sample } from './store-samples.testing.ts'

/** Declares a test of an empty store, which `open` opens again once it is closed. */
export type StoreTest = (title: string, body: (store: Store, open: () => Promise<Store>) => Promise<void>) => void

/** The ids of all datasets, or of those whose file name contains `name`, page by page. */
export async function idsOf(store: Store, limit = 1000, name: string | null = null): Promise<string[]> {
  const ids: string[] = []
  let after: string | null = null
  do {
    const page = await store.list({ limit, after, name, owner: '' })
    assert.ok(page.datasets.length <= limit)
    ids.push(...page.datasets.map(({ receipt }) => receipt.id))
    after = page.after
  } while (after !== null)
  return ids
}

/** Every file has the right bytes, and the receipt is the published one. */
export async function assertWhole(store: Store, { receipt, files }: Sample): Promise<void> {
  assert.deepEqual(await store.receipt(receipt.id), receipt)
  for (const [file, bytes] of files) {
    assert.ok((await readAll(await store.read(receipt, file))).equals(bytes), `${receipt.id} ${file}`)
  }
}

/** The dataset is not visible in any way. */
export async function assertAbsent(store: Store, { receipt, files }: Sample): Promise<void> {
  assert.equal(await store.receipt(receipt.id), null)
  for (const file of files.keys()) await assertNotFound(store.read(receipt, file))
  assert.equal((await idsOf(store, 1000, receipt.file.name)).includes(receipt.id), false)
}

export async function assertNotFound(running: Promise<unknown>): Promise<void> {
  await assertFails(running, 'DATASET_NOT_FOUND')
}

export async function assertFails(running: Promise<unknown>, code: ErrorCode): Promise<void> {
  await assert.rejects(running, (error) => isServiceError(error, code))
}
