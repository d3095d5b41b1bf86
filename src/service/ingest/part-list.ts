// Part list: the Parquet files of one folder of a draft, in the order of their segments. Knows no types.
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Converter, ConvertOptions, ConvertResult, TargetColumn } from '../../columns/converter.ts'
import type { Part } from '../../core/receipt.ts'
import { throwStoreError } from '../../core/storage-error.ts'
import { OpenFile } from '../../io/files/open-file.ts'
import { backgroundSyncs } from '../../io/turns/semaphore.ts'
import type { DraftFiles } from '../../store/store.ts'
import type { CutSegment } from './write-segments.ts'

/**
 * A smaller part is synced with the whole dataset, where syncs run in parallel: there is no use in waiting for the disk
 * twice.
 */
const syncedBytesMin = 1_048_576

/** What depends on the segment alone. */
export type PartOptions = Omit<ConvertOptions, 'older'>

/** Parts are in the order of their segments, whatever order they are completed in. */
export class PartList {
  readonly #draft: DraftFiles
  readonly #folder: 'data' | 'rejects'
  readonly #parts: Part[] = []
  readonly #checksums: Buffer[] = []

  constructor(draft: DraftFiles, folder: 'data' | 'rejects') {
    this.#draft = draft
    this.#folder = folder
  }

  /**
   * A type mismatch leaves a part without some columns, or no part. An existing part is replaced; the columns for which `kept`
   * has positions may be copied from it.
   */
  async convert(
    { index, segment }: Pick<CutSegment, 'index' | 'segment'>,
    columns: readonly TargetColumn[],
    converter: Converter,
    signal: AbortSignal,
    { kept, ...others }: PartOptions & { readonly kept?: readonly (number | null)[] } = {},
  ): Promise<ConvertResult> {
    const file = `${this.#folder}/part-${String(index).padStart(5, '0')}.parquet`
    const path = join(this.#draft.dir, file)
    if (this.#folder !== 'data') await this.#draft.folder(this.#folder)
    const older = kept !== undefined && this.#parts[index] !== undefined ? { path, kept } : undefined
    const toPath = older === undefined ? path : `${path}.new`
    const options = { ...others, ...(older && { older }) }
    const result = await converter.convert(segment, columns, toPath, signal, options)
    const made = result.kind === 'part' ? result : result.rest
    if (made === undefined) return result
    if (older !== undefined) await rename(toPath, path).catch(throwStoreError)
    this.#parts[index] = { file, ...made.part }
    this.#checksums[index] = made.checksums
    if (result.kind === 'part' && made.part.bytes >= syncedBytesMin) await syncFile(path)
    if (result.kind === 'part') this.#draft.finished(file)
    return result
  }

  list(): readonly Part[] {
    return this.#parts
  }

  /** Checksums of the blocks of each part, in the same order. */
  checksums(): readonly Buffer[] {
    return this.#checksums
  }

  async clear(): Promise<void> {
    const parts = this.#parts.splice(0)
    this.#checksums.length = 0
    // A segment that did not fit leaves a hole, which `map` skips.
    await Promise.all(parts.map(({ file }) => rm(join(this.#draft.dir, file))))
  }
}

/** Runs in parallel with the conversion of the next segments, so that little is left to sync at the end. */
async function syncFile(path: string): Promise<void> {
  await using file = await OpenFile.open(path, 'r+')
  await backgroundSyncs.run(() => file.datasync()).catch(throwStoreError)
}
