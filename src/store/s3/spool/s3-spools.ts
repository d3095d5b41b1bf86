// S3 spools: the unfinished uploads of a bucket, for all processes that use it. A process that takes one ends the claim of the one before.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { truncate, writeFile } from 'node:fs/promises'
import { ServiceError } from '../../../core/errors.ts'
import { throwStoreError } from '../../../core/storage-error.ts'
import { removeTree } from '../../fs/durable.ts'
import { isUploadId } from '../../name-rules.ts'
import type { SharedSpools, Spool, SpoolFacts, SpoolSight, Spools } from '../../spool.ts'
import type { Scratch } from '../scratch.ts'
import { type Kept, keptText, readKept, sightOf, spoolKey, spoolsPrefix } from './kept-spool.ts'
import { S3Spool, type SpoolPlaces } from './s3-spool.ts'

export class S3Spools implements Spools, SharedSpools {
  readonly found = []
  readonly #places: SpoolPlaces
  readonly #scratch: Pick<Scratch, 'newUploadPath'>
  readonly #keptOf = new WeakMap<SpoolSight, Kept>()

  constructor(places: SpoolPlaces, scratch: Pick<Scratch, 'newUploadPath'>) {
    this.#places = places
    this.#scratch = scratch
  }

  get shared(): SharedSpools {
    return this
  }

  get leaseMs(): number {
    return this.#places.leaseMs
  }

  async create(facts: SpoolFacts, expectedBytes: number | null): Promise<Spool> {
    assert(isUploadId(facts.id), `'${facts.id}' is no id of an upload`)
    const ours = { epoch: 1, hold: randomUUID(), writes: 1, holder: null, isSealed: false }
    const nothing = { bytes: 0, isComplete: false, chunks: [], status: null }
    const kept: Kept = { format: 1, facts, expectedBytes, changedAt: facts.createdAt, ...ours, ...nothing }
    const { objects } = this.#places
    const made = await this.#hold(kept, () => objects.put(spoolKey(facts.id), keptText(kept), { kind: 'absent' }))
    if (made === null) throw new ServiceError('STORE_FAILED', {}, new Error(`There is an upload '${facts.id}' already`))
    return made
  }

  async list(): Promise<ReadonlyMap<string, string>> {
    const versions = new Map<string, string>()
    for await (const { key, etag } of this.#places.objects.list(spoolsPrefix)) {
      const id = key.slice(spoolsPrefix.length)
      if (isUploadId(id)) versions.set(id, etag)
    }
    return versions
  }

  async look(id: string): Promise<SpoolSight | null> {
    const found = await this.#find(id)
    if (found === null) return null
    const sight = sightOf(found.kept, found.etag, this.#places.directory)
    this.#keptOf.set(sight, found.kept)
    return sight
  }

  async take(seen: SpoolSight): Promise<Spool | null> {
    const before = this.#keptOf.get(seen)
    assert(before !== undefined, 'an upload is looked at before it is taken')
    const { directory, objects } = this.#places
    const { facts, epoch, writes, isComplete } = before
    // Only complete uploads are worked on without a client.
    const holder = isComplete ? directory : null
    const taken = { epoch: epoch + 1, hold: randomUUID(), writes: writes + 1, holder, isSealed: false }
    const kept: Kept = { ...before, ...taken }
    const condition = { kind: 'same', etag: seen.version } as const
    return await this.#hold(kept, () => objects.put(spoolKey(facts.id), keptText(kept), condition))
  }

  async #find(id: string): Promise<{ readonly kept: Kept; readonly etag: string } | null> {
    if (!isUploadId(id)) return null
    const found = await this.#places.objects.get(spoolKey(id))
    if (found === null) return null
    const kept = readKept(found.body)
    if (kept === null) this.#places.logger.warn({ id }, 'cannot read unfinished upload: it is skipped')
    return kept === null ? null : { kept, etag: found.etag }
  }

  /** Creates the local file, then claims the upload; null if another process was faster. */
  async #hold(kept: Kept, write: () => Promise<string | null>): Promise<Spool | null> {
    const path = this.#scratch.newUploadPath(kept.facts.id)
    await writeFile(path, '', { flag: 'wx', mode: 0o600 }).catch(throwStoreError)
    try {
      await truncate(path, kept.bytes).catch(throwStoreError)
      const etag = await write()
      if (etag !== null) return new S3Spool(this.#places, path, kept, etag)
    } catch (error) {
      await removeTree(path)
      throw error
    }
    await removeTree(path)
    return null
  }
}
