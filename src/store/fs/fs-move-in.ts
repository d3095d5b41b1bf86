// File-system move in: moves a finished draft to the place of its dataset, whatever stands there. Syncs no names of its own.
import { access, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '../../core/storage-error.ts'
import type { StoreLogger } from '../store.ts'
import { makeDirectory, syncDirectory } from './durable.ts'
import { receiptName } from './fs-draft.ts'
import type { FsPaths } from './fs-paths.ts'
import { removeTree } from './fs-sweep.ts'

/** How systems say that a directory with entries stands at the target of a rename. */
const takenCodes: ReadonlySet<unknown> = new Set(['ENOTEMPTY', 'EEXIST', 'ENOTDIR', 'EPERM'])

export async function moveIn(paths: FsPaths, id: string, draftDir: string, logger: StoreLogger): Promise<void> {
  try {
    await rename(draftDir, paths.dataset(id))
  } catch (error) {
    if (!takenCodes.has(errorCode(error))) throw error
    await makeWay(paths, id, logger)
    await rename(draftDir, paths.dataset(id))
  }
}

/** Moves away what stands there without being a visible dataset: a leftover, or one whose receipt cannot be read. */
async function makeWay(paths: FsPaths, id: string, logger: StoreLogger): Promise<void> {
  const path = paths.dataset(id)
  const isDamaged = await access(join(path, receiptName)).then(
    () => true,
    () => false,
  )
  if (!isDamaged) {
    const leftover = paths.newPath()
    await rename(path, leftover)
    await removeTree(leftover).catch((error: unknown) => {
      logger.warn({ path: leftover, error }, 'cannot remove leftover: the next start will')
    })
    return
  }
  await makeDirectory(paths.damaged)
  const aside = paths.aside(id)
  await rename(path, aside)
  await syncDirectory(paths.damaged)
  logger.warn({ id, aside }, 'dataset with unreadable receipt was set aside: it is published anew')
}
