// File-system move in: moves a finished draft to the place of its dataset, whatever is there. Does not sync.
import { access, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '../../core/storage-error.ts'
import { makeDirectory, removeTree, renameDirectory, syncDirectory } from '../../io/files/durable.ts'
import type { StoreLogger } from '../store.ts'
import { receiptName } from './fs-draft.ts'
import type { FsPaths } from './fs-paths.ts'

/** Error codes for a rename onto a directory that is not empty. */
const takenCodes: ReadonlySet<unknown> = new Set(['ENOTEMPTY', 'EEXIST', 'ENOTDIR', 'EPERM'])

export async function moveIn(paths: FsPaths, id: string, draftDir: string, logger: StoreLogger): Promise<void> {
  try {
    await renameDirectory(draftDir, paths.dataset(id))
  } catch (error) {
    if (!takenCodes.has(errorCode(error))) throw error
    await makeWay(paths, id, logger)
    await renameDirectory(draftDir, paths.dataset(id))
  }
}

/** Moves away anything there that is not a visible dataset: a leftover, or a dataset whose receipt cannot be read. */
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
  logger.warn({ id, aside }, 'dataset with unreadable receipt was set aside: it is published again')
}
