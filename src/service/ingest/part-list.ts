// Part list: the Parquet files of one folder of a draft, in the order of their segments. Knows no types.
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Converter, ConvertResult, TargetColumn } from '../../convert/convert.ts'
import type { Part } from '../../core/receipt.ts'
import { throwStoreError } from '../../core/storage-error.ts'
import { OpenFile } from '../../io/files/open-file.ts'
import { checksumsOfFile } from '../../io/hashing/block-checksums.ts'
import { backgroundSyncs } from '../../io/turns/few-at-once.ts'
import type { DraftFiles } from '../../store/store.ts'
import type { CutSegment } from './write-segments.ts'

/** A smaller part waits for the sync of the whole dataset, which is side by side: there is no use in waiting for the disk twice. */
const syncedBytesMin = 1_048_576

/** Parts are in the order of their segments whatever the order they are done in. */
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
   * A misfit leaves a part without some columns, or none. A part that is there already is replaced; the columns that
   * `kept` gives places for may be taken over from it.
   */
  async convert(
    { index, segment }: Pick<CutSegment, 'index' | 'segment'>,
    columns: readonly TargetColumn[],
    converter: Converter,
    signal: AbortSignal,
    kept?: readonly (number | null)[],
  ): Promise<ConvertResult> {
    const file = `${this.#folder}/part-${String(index).padStart(5, '0')}.parquet`
    const path = join(this.#draft.dir, file)
    if (this.#folder !== 'data') await this.#draft.folder(this.#folder)
    const older = kept !== undefined && this.#parts[index] !== undefined ? { path, kept } : undefined
    const toPath = older === undefined ? path : `${path}.new`
    const result = await converter.convert(segment, columns, toPath, signal, older)
    const made = result.kind === 'part' ? result : result.rest
    if (made === undefined) return result
    if (older !== undefined) await rename(toPath, path).catch(throwStoreError)
    this.#parts[index] = { file, ...made.part }
    // Now, while the system still has the part in memory.
    this.#checksums[index] = made.checksums ?? (await checksumsOfFile(path))
    if (result.kind === 'part' && made.part.bytes >= syncedBytesMin) await syncFile(path)
    if (result.kind === 'part') this.#draft.finished(file)
    return result
  }

  list(): readonly Part[] {
    return this.#parts
  }

  /** Of the blocks of each part, in the same order. */
  checksums(): readonly Buffer[] {
    return this.#checksums
  }

  async clear(): Promise<void> {
    const parts = this.#parts.splice(0)
    this.#checksums.length = 0
    // A hole is left where a segment did not fit; `map` passes over it.
    await Promise.all(parts.map(({ file }) => rm(join(this.#draft.dir, file))))
  }
}

/** Beside the conversion of the next segments, so that little is left to sync at the end. */
async function syncFile(path: string): Promise<void> {
  await using file = await OpenFile.open(path, 'r+')
  await backgroundSyncs.run(() => file.datasync()).catch(throwStoreError)
}
