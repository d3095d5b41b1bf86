// S3 draft: a local draft whose files are sent to the bucket under their own attempt, large ones while they are still
// being written. Knows no receipt.
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { uuidV7 } from '../../core/ids.ts'
import { throwStoreError } from '../../core/storage-error.ts'
import type { StoredFile } from '../../core/stored-files.ts'
import { forEachLimit } from '../../io/for-each-limit.ts'
import type { DatasetFile, Draft } from '../store.ts'
import { type Attempt, beganAt, fileKey, pendingKey } from './s3-keys.ts'
import type { S3Objects } from './s3-objects.ts'
import { attemptMsMax, sweepAttempt } from './s3-sweep.ts'
import type { LocalDraft } from './scratch.ts'
import { partBytes, SentFile } from './sent-file.ts'

const filesAtOnceMax = 4
/**
 * Files of an attempt older than this are sent again: the attempt may be swept before its receipt is written.
 * Milliseconds.
 */
const sentMsMax = attemptMsMax / 2

/**
 * Whatever is sent while the draft is made is a head start: if it fails, it is sent again with the whole draft. A draft
 * that has only small files sends nothing early.
 */
export class S3Draft implements Draft {
  readonly dir: string
  readonly folder: Draft['folder']
  readonly #local: LocalDraft
  readonly #objects: S3Objects
  /** Is given the work that continues after disposing. */
  readonly #inBackground: (work: Promise<void>) => void
  #ended = new AbortController()
  #attempt: Promise<Attempt> | null = null
  readonly #growing = new Map<DatasetFile, SentFile>()
  /** Complete files that wait for their turn. */
  readonly #waiting = new Set<DatasetFile>()
  /** Files in the bucket, with the stamp of the local file at that time. */
  readonly #sent = new Map<DatasetFile, string>()
  #turn: Promise<void> | null = null
  /** Nothing more is sent early. */
  #isClosed = false

  constructor(local: LocalDraft, objects: S3Objects, inBackground: (work: Promise<void>) => void) {
    this.dir = local.dir
    this.folder = local.folder
    this.#local = local
    this.#objects = objects
    this.#inBackground = inBackground
  }

  grew(file: DatasetFile, bytes: number): void {
    if (this.#isClosed) return
    const growing = this.#growing.get(file) ?? this.#toSend(file)
    this.#growing.set(file, growing)
    growing.grow(bytes)
  }

  finished(file: DatasetFile): void {
    if (this.#isClosed) return
    this.#waiting.add(file)
    this.#turn ??= this.#sendFinished().finally(() => {
      this.#turn = null
    })
  }

  /**
   * Sends exactly these files to the bucket and returns their attempt, which then belongs to the caller.
   *
   * @param id Of the dataset whose receipt will name it.
   * @throws {ServiceError} STORE_UNAVAILABLE, STORE_FAILED
   */
  async send(id: string, files: readonly StoredFile[]): Promise<Attempt> {
    this.#isClosed = true
    await this.#turn
    const early = await this.#attempt?.catch(() => null)
    if (early != null && this.#objects.now() - beganAt(early) > sentMsMax) await this.#drop()
    const attempt = await this.#begun(id)
    await this.#dropOthers(attempt, new Set(files.map(({ file }) => file)))
    await forEachLimit(files, filesAtOnceMax, async ({ file, bytes }) => {
      const sent = this.#sent.get(file)
      if (sent === undefined || sent !== (await versionOf(join(this.dir, file))).version) await this.#send(file, bytes)
    })
    this.#attempt = null
    return attempt
  }

  /** Files that were sent but never became a dataset are removed from the bucket in the background. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    if (this.#attempt !== null || this.#growing.size > 0) this.#inBackground(this.#drop())
    await this.#local[Symbol.asyncDispose]()
  }

  /** One after the other, which leaves most of the memory for parts to files that grow. */
  async #sendFinished(): Promise<void> {
    for (const file of this.#waiting) {
      if (this.#isClosed) return
      this.#waiting.delete(file)
      this.#sent.delete(file)
      try {
        const { bytes, version } = await versionOf(join(this.dir, file))
        if (this.#attempt === null && bytes <= partBytes) continue
        await this.#send(file, bytes)
        this.#sent.set(file, version)
      } catch {
        // The end of the draft tries again, and reports the problem.
      }
    }
  }

  async #send(file: DatasetFile, bytes: number): Promise<void> {
    const growing = this.#growing.get(file)
    if (growing === undefined) {
      await using whole = this.#toSend(file)
      return await whole.finish(bytes)
    }
    await growing.finish(bytes)
    this.#growing.delete(file)
    await growing[Symbol.asyncDispose]()
  }

  #toSend(file: DatasetFile): SentFile {
    const key = async () => fileKey(await this.#begun(), file)
    return new SentFile({ objects: this.#objects, key, signal: this.#ended.signal }, join(this.dir, file))
  }

  /** Begins an attempt if there is none, and records it in the bucket before it has any file. */
  async #begun(id = ''): Promise<Attempt> {
    const isNew = this.#attempt === null
    this.#attempt ??= this.#begin(id)
    try {
      const attempt = await this.#attempt
      if (!isNew && id !== '') await this.#objects.put(pendingKey(attempt), Buffer.from(id))
      return attempt
    } catch (error) {
      if (isNew) this.#attempt = null
      throw error
    }
  }

  async #begin(id: string): Promise<Attempt> {
    const attempt = uuidV7(this.#objects.now())
    await this.#objects.put(pendingKey(attempt), Buffer.from(id))
    return attempt
  }

  /** Removes from the bucket files that the dataset turned out not to have. */
  async #dropOthers(attempt: Attempt, files: ReadonlySet<DatasetFile>): Promise<void> {
    for (const [file, growing] of this.#growing) {
      if (files.has(file)) continue
      this.#growing.delete(file)
      await growing[Symbol.asyncDispose]()
    }
    const others = [...this.#sent.keys()].filter((file) => !files.has(file))
    if (others.length > 0) await this.#objects.delete(others.map((file) => fileKey(attempt, file)))
  }

  async #drop(): Promise<void> {
    this.#ended.abort()
    await this.#turn
    for (const growing of this.#growing.values()) await growing[Symbol.asyncDispose]()
    this.#growing.clear()
    this.#sent.clear()
    const attempt = await this.#attempt?.catch(() => null)
    this.#attempt = null
    this.#ended = new AbortController()
    if (attempt != null) await sweepAttempt(this.#objects, attempt)
  }
}

/** Stamp of a file; it changes when the file is written again. @throws {ServiceError} STORE_FAILED */
async function versionOf(path: string): Promise<{ readonly bytes: number; readonly version: string }> {
  const { ino, size, mtimeNs } = await stat(path, { bigint: true }).catch(throwStoreError)
  return { bytes: Number(size), version: `${ino} ${size} ${mtimeNs}` }
}
