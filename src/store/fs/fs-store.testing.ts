// File-system store: a temporary directory for each test's store, and helpers shared by its tests.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type ErrorCode, isServiceError } from '../../core/errors.ts'
import type { Draft, Store, StoreLogger } from '../store.ts'
import { fill, type Sample } from '../store-samples.testing.ts'
import { createFsStore } from './fs-store.ts'

export interface Place {
  readonly dir: string
  /** Opens the store; the last one opened is closed when the test ends. */
  open(): Promise<Store>
  /** What was logged, as `message fields`. */
  readonly lines: readonly string[]
}

/** Creates a directory that is removed when the test ends. */
export async function place(t: TestContext, options: { readonly readAllMax?: number } = {}): Promise<Place> {
  const dir = await mkdtemp(join(tmpdir(), 'fs-store-'))
  const lines: string[] = []
  const log = (fields: object, message: string) => void lines.push(`${message} ${JSON.stringify(fields)}`)
  const logger: StoreLogger = { info: log, warn: log }
  let store: Store | null = null
  t.after(async () => {
    await store?.close()
    await rm(dir, { recursive: true })
  })
  return {
    dir,
    lines,
    async open() {
      store = await createFsStore({ dir, logger, ...options })
      return store
    },
  }
}
/** For assert.rejects(): checks the code of the error. */
export function failsWith(code: ErrorCode) {
  return (error: unknown) => isServiceError(error, code)
}
/** A draft with the files of a sample. */
export async function filledDraft(store: Store, wanted: Sample): Promise<Draft> {
  const draft = await store.draft()
  await fill(draft, wanted)
  return draft
}
