import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { createFsStore } from './fs-store.ts'
import type { Store } from './store.ts'
import { storeContract } from './store-contract.ts'

storeContract('fs-store', async (t: TestContext) => {
  const dir = await mkdtemp(join(tmpdir(), 'fs-store-'))
  let store: Store | null = null
  t.after(async () => {
    await store?.close()
    await rm(dir, { recursive: true })
  })
  return async () => {
    store = await createFsStore({ dir })
    return store
  }
})
