// File-system replacement: puts a whole dataset in the place of a damaged one so that a crash leaves one of them. No directory
// can be renamed over another, so the new one waits in `replacing/`, from which the next start completes what was begun.
import { access, readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '../../core/storage-error.ts'
import { forEachLimit } from '../../io/for-each-limit.ts'
import { isDatasetId } from '../name-rules.ts'
import { makeDirectory, syncDirectory } from './durable.ts'
import type { FsPaths } from './fs-paths.ts'
import { readReceipt } from './fs-sweep.ts'

/**
 * Puts a finished draft, synced, in the place of a dataset; the damaged one is at `asidePath` then, which must not exist
 * before. What moved is not synced yet. After a failure the damaged one is in its place again, and the draft in its own.
 */
export async function replaceDataset(paths: FsPaths, id: string, draftDir: string, asidePath: string): Promise<void> {
  const [datasetDir, stagedDir] = [paths.dataset(id), join(paths.replacing, id)]
  await makeDirectory(paths.replacing)
  await using undo = new AsyncDisposableStack()
  await rename(draftDir, stagedDir)
  // By a rename: a staged dataset of which something has been removed must never be found by the next start.
  undo.defer(() => rename(stagedDir, draftDir))
  await syncDirectory(paths.replacing)
  await rename(datasetDir, asidePath)
  undo.defer(() => rename(asidePath, datasetDir))
  await rename(stagedDir, datasetDir)
  undo.move()
}

/** Completes what a crash interrupted: what waits was whole and durable before it came there. */
export async function completeReplacements(paths: FsPaths): Promise<void> {
  for (const id of (await namesIn(paths.replacing)).filter(isDatasetId)) {
    const [stagedDir, datasetDir] = [join(paths.replacing, id), paths.dataset(id)]
    const isWhole = await readReceipt(stagedDir, id).then(
      () => true,
      () => false,
    )
    if (isWhole) await rename(datasetDir, paths.newPath()).catch(ignoreMissing)
    // One that cannot be read any more is better than nothing, and worse than the one it was to replace.
    await rename(stagedDir, isWhole || !(await isThere(datasetDir)) ? datasetDir : paths.newPath())
    await syncReplacement(paths)
  }
}

/** Makes the moves of replacements durable. */
export async function syncReplacement({ datasets, incoming, replacing }: FsPaths): Promise<void> {
  await forEachLimit([datasets, incoming, replacing], 3, syncDirectory)
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
