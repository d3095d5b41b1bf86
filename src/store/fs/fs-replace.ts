// File-system replacement: replaces a damaged dataset so that a crash leaves one of the two. No directory can be
// renamed over another, so the new one waits in `replacing/`, from which the next start completes the replacement.
import { renameSync } from 'node:fs'
import { access, readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '../../core/storage-error.ts'
import { makeDirectory, syncDirectory } from '../../io/files/durable.ts'
import { forEachLimit } from '../../io/for-each-limit.ts'
import { isDatasetId } from '../name-rules.ts'
import { readReceipt } from './fs-draft.ts'
import type { FsPaths } from './fs-paths.ts'

/**
 * Moves a finished, synced draft to the place of a dataset, and the damaged dataset to `asidePath`, which must not
 * exist. The moves are not synced yet. After a failure, both are back in their places.
 *
 * @param exchanging Runs the exchange of the two, which is synchronous so that no reader finds neither.
 */
export async function replaceDataset(
  paths: FsPaths,
  id: string,
  { draftDir, asidePath }: { readonly draftDir: string; readonly asidePath: string },
  exchanging: (exchange: () => void) => Promise<void>,
): Promise<void> {
  const [datasetDir, stagedDir] = [paths.dataset(id), join(paths.replacing, id)]
  await makeDirectory(paths.replacing)
  await using undo = new AsyncDisposableStack()
  await rename(draftDir, stagedDir)
  // By a rename: the next start must never find a staged dataset from which something has been removed.
  undo.defer(() => rename(stagedDir, draftDir))
  await syncDirectory(paths.replacing)
  await exchanging(() => {
    using back = new DisposableStack()
    renameSync(datasetDir, asidePath)
    back.defer(() => renameSync(asidePath, datasetDir))
    renameSync(stagedDir, datasetDir)
    back.move()
  })
  undo.move()
}

/** Completes replacements that a crash interrupted: everything that waits is complete and durable. */
export async function completeReplacements(paths: FsPaths): Promise<void> {
  for (const id of (await namesIn(paths.replacing)).filter(isDatasetId)) {
    const [stagedDir, datasetDir] = [join(paths.replacing, id), paths.dataset(id)]
    const isWhole = await readReceipt(stagedDir, id).then(
      () => true,
      () => false,
    )
    if (isWhole) await rename(datasetDir, paths.newPath()).catch(ignoreMissing)
    // An unreadable dataset is better than none, and worse than the one it was to replace.
    await rename(stagedDir, isWhole || !(await isThere(datasetDir)) ? datasetDir : paths.newPath())
    await forEachLimit([paths.datasets, paths.incoming, paths.replacing], 3, syncDirectory)
  }
}

async function namesIn(dir: string): Promise<readonly string[]> {
  return await readdir(dir).catch((error) => {
    ignoreMissing(error)
    return []
  })
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

function ignoreMissing(error: unknown): void {
  if (errorCode(error) !== 'ENOENT') throw error
}
