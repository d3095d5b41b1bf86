// S3 spool: one unfinished upload in a bucket, as seen by the process that took it last. Each write of its object depends on the one before.
import assert from 'node:assert/strict'
import { crc32 } from 'node:zlib'
import { ServiceError } from '../../../core/errors.ts'
import { throwStoreError } from '../../../core/storage-error.ts'
import { OpenFile } from '../../../io/files/open-file.ts'
import { forEachLimit } from '../../../io/for-each-limit.ts'
import { removeTree } from '../../fs/durable.ts'
import type { Spool, SpoolFacts, SpoolState, SpoolWriter } from '../../spool.ts'
import type { StoreLogger } from '../../store.ts'
import { partBytes, withPart } from '../part-buffers.ts'
import type { S3Objects } from '../s3-objects.ts'
import {
  type Chunk,
  chunksPrefix,
  type Kept,
  type KeptChange,
  keptText,
  readKept,
  shortStatus,
  spoolKey,
  stateOf,
} from './kept-spool.ts'
import { openSpoolWriter } from './s3-spool-writer.ts'

export interface SpoolPlaces {
  readonly objects: S3Objects
  /** Id of the directory of this process. */
  readonly directory: string
  readonly leaseMs: number
  readonly logger: StoreLogger
}

/** An upload that this process works on is reported this often if anything about it has changed. Milliseconds. */
const reportEveryMs = 2_000
/** Fraction of a lease after which it is renewed. */
const renewedPart = 1 / 3
const chunksAtOnceMax = 4
/** How often a broken response is requested again. */
const readsMax = 5
/**
 * An upload may have this many chunks shorter than a part for each part, and some to spare. With more, the earlier bytes
 * are fetched, so that the chunks can be joined.
 */
const chunksPerPart = 2
const spareChunks = 64

export class S3Spool implements Spool {
  readonly path: string
  readonly commitEveryBytes = partBytes
  readonly #places: SpoolPlaces
  readonly #lost = new AbortController()
  #kept: Kept
  #etag: string
  /** Bytes before this offset are only in the bucket. */
  #localFrom: number
  #fetching: Promise<void> | null = null
  #isWriting = false
  #status: (() => { readonly version: number }) | null = null
  #reportedVersion = 0
  #writtenAtMs = performance.now()
  #last: Promise<unknown> = Promise.resolve()
  #beats: NodeJS.Timeout | null = null

  /**
   * @param path Of a file that is as long as the upload; bytes that arrived before this process took it are still to be
   * fetched.
   */
  constructor(places: SpoolPlaces, path: string, kept: Kept, etag: string) {
    this.#places = places
    this.path = path
    this.#kept = kept
    this.#etag = etag
    this.#localFrom = kept.bytes
    if (kept.holder !== null) this.#beat()
  }

  get facts(): SpoolFacts {
    return this.#kept.facts
  }

  get state(): SpoolState {
    return stateOf(this.#kept)
  }

  get lost(): AbortSignal {
    return this.#lost.signal
  }

  reports(status: () => { readonly version: number }): void {
    this.#status = status
  }

  fetch(signal: AbortSignal): Promise<void> {
    this.#fetching ??= this.#fetch(signal).catch((error) => {
      this.#fetching = null
      throw error
    })
    return this.#fetching
  }

  async isOurs(): Promise<boolean> {
    if (this.lost.aborted) return false
    // Between two of our own writes.
    return await this.#inTurn(async () => {
      const found = await this.#places.objects.head(spoolKey(this.facts.id))
      if (found?.etag === this.#etag) return true
      return await this.#findOwn()
    })
  }

  async open(): Promise<SpoolWriter> {
    assert(!this.#isWriting, 'a spool has one writer at a time')
    this.lost.throwIfAborted()
    this.#isWriting = true
    try {
      const { bytes, chunks, epoch } = this.#kept
      if (chunks.length > spareChunks + (chunksPerPart * bytes) / partBytes) await this.fetch(this.lost)
      this.#beat()
      const { objects } = this.#places
      return await openSpoolWriter({
        objects,
        path: this.path,
        id: this.facts.id,
        epoch,
        bytes,
        chunks,
        isLocal: (offset) => offset >= this.#localFrom,
        commit: (change) => this.#commit(change),
        ended: () => {
          this.#isWriting = false
          if (!this.state.isComplete) this.#rest()
        },
      })
    } catch (error) {
      this.#isWriting = false
      this.#rest()
      throw error
    }
  }

  async seal(): Promise<void> {
    await this.#write({ isSealed: true })
  }

  async release(): Promise<void> {
    this.#rest()
    try {
      if (!this.lost.aborted && this.#kept.holder !== null) await this.#write({ holder: null, isSealed: false })
    } catch (error) {
      if (!this.lost.aborted) this.#places.logger.warn({ error, id: this.facts.id }, 'cannot leave an upload to others')
    }
    // Everything that is still done with it here fails.
    this.#lose()
    await this.#removeLocal()
  }

  /** The bytes first: what a crash leaves is then found, and removed again. */
  async remove(): Promise<void> {
    this.#rest()
    const { objects } = this.#places
    const { id } = this.facts
    await this.#inTurn(async () => {
      await objects.delete(await Array.fromAsync(objects.list(chunksPrefix(id)), ({ key }) => key))
      await objects.delete([spoolKey(id)])
    })
    this.#lose()
    await this.#removeLocal()
  }

  async #removeLocal(): Promise<void> {
    const { path } = this
    await removeTree(path).catch((error) =>
      this.#places.logger.warn({ path, error }, 'cannot remove leftover: the next start will'),
    )
  }

  async #commit(change: KeptChange): Promise<SpoolState> {
    // Once it has its last bytes, it is read here; until then, it waits for its client, who may go to any process.
    const isResting = change.isComplete === false
    await this.#write({ ...change, changedAt: Date.now(), holder: isResting ? null : this.#places.directory })
    return this.state
  }

  /**
   * Writes its object, unless another process has done so. @throws {ServiceError} UPLOAD_TAKEN_OVER, STORE_UNAVAILABLE,
   * STORE_FAILED
   */
  async #write(change: KeptChange): Promise<void> {
    await this.#inTurn(async () => {
      const key = spoolKey(this.facts.id)
      for (;;) {
        this.lost.throwIfAborted()
        const status = this.#status?.() ?? null
        const shown = status === null ? this.#kept.status : shortStatus(status)
        const kept: Kept = { ...this.#kept, ...change, writes: this.#kept.writes + 1, status: shown }
        const etag = await this.#places.objects.put(key, keptText(kept), { kind: 'same', etag: this.#etag })
        if (etag === null) {
          if (await this.#findOwn()) continue
          this.lost.throwIfAborted()
          throw new ServiceError('UPLOAD_TAKEN_OVER', {})
        }
        this.#kept = kept
        this.#etag = etag
        this.#reportedVersion = status?.version ?? 0
        this.#writtenAtMs = performance.now()
        return
      }
    })
  }

  /**
   * Checks whether the object is a write of ours whose response was lost; if not, another process has taken the upload.
   */
  async #findOwn(): Promise<boolean> {
    const found = await this.#places.objects.get(spoolKey(this.facts.id))
    const kept = found === null ? null : readKept(found.body)
    if (found === null || kept?.hold !== this.#kept.hold) {
      this.#lose()
      return false
    }
    this.#etag = found.etag
    this.#kept = { ...this.#kept, writes: Math.max(kept.writes, this.#kept.writes) }
    return true
  }

  #lose(): void {
    this.#rest()
    this.#lost.abort(new ServiceError('UPLOAD_TAKEN_OVER', {}))
  }

  /** Renews the lease, and reports the progress. */
  #beat(): void {
    const { leaseMs, logger } = this.#places
    let isBeating = false
    this.#beats ??= setInterval(
      async () => {
        const isDue = performance.now() - this.#writtenAtMs > leaseMs * renewedPart
        const hasNews = this.#status !== null && this.#status().version !== this.#reportedVersion
        if (isBeating || !(isDue || hasNews)) return
        isBeating = true
        try {
          await this.#write({ holder: this.#places.directory })
        } catch (error) {
          if (!this.lost.aborted)
            logger.warn({ error, id: this.facts.id }, 'cannot report an upload to other processes')
        } finally {
          isBeating = false
        }
      },
      Math.min(reportEveryMs, leaseMs * renewedPart),
    ).unref()
  }

  #rest(): void {
    if (this.#beats !== null) clearInterval(this.#beats)
    this.#beats = null
  }

  async #fetch(signal: AbortSignal): Promise<void> {
    const missing: { readonly offset: number; readonly chunk: Chunk }[] = []
    let offset = 0
    for (const chunk of this.#kept.chunks) {
      if (offset >= this.#localFrom) break
      missing.push({ offset, chunk })
      offset += chunk.bytes
    }
    if (missing.length === 0) return
    await using file = await OpenFile.open(this.path, 'r+').catch(throwStoreError)
    await forEachLimit(missing, chunksAtOnceMax, async ({ offset: at, chunk }) => {
      signal.throwIfAborted()
      this.lost.throwIfAborted()
      await withPart(chunk.bytes, async (part) => {
        await this.#read(chunk, part)
        await file.write(part, at).catch(throwStoreError)
      })
    })
    this.#localFrom = 0
  }

  async #read({ name, crc }: Chunk, into: Buffer): Promise<void> {
    const key = chunksPrefix(this.facts.id) + name
    for (let reads = 1; ; reads += 1) {
      const problem = await this.#tryToRead(key, into)
      if (problem === null && crc32(into) === crc) return
      if (reads < readsMax) continue
      throw new ServiceError('STORE_FAILED', {}, problem ?? new Error(`Cannot read '${key}': its bytes are other ones`))
    }
  }

  async #tryToRead(key: string, into: Buffer): Promise<unknown> {
    const chunks = await this.#places.objects.read(key, 0, into.length)
    if (chunks === null) throw new ServiceError('STORE_FAILED', {}, new Error(`Cannot read '${key}': it is not there`))
    let at = 0
    try {
      for await (const bytes of chunks) at += Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).copy(into, at)
    } catch (error) {
      return error
    }
    return at === into.length ? null : new Error(`Cannot read '${key}': it has ${at} bytes, wanted ${into.length}`)
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const mine = this.#last.then(work)
    this.#last = mine.catch(() => {})
    return mine
  }
}
