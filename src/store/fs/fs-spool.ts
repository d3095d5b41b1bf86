// File-system spool: uploads below `uploads/<id>`: facts that never change, bytes, and a state that is written to two slots in turn.
import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BorrowedBytes } from '../../core/borrowed-bytes.ts'
import type { ServiceError } from '../../core/errors.ts'
import { errorCode, throwStoreError, toStoreError } from '../../core/storage-error.ts'
import { BufferedWriter } from '../../io/buffered-writer.ts'
import { OpenFile } from '../../io/files/open-file.ts'
import { withChecksum, withoutChecksum } from '../checksum-line.ts'
import { isUploadId } from '../name-rules.ts'
import type { Spool, SpoolFacts, SpoolState, Spools, SpoolWriter } from '../spool.ts'
import type { StoreLogger } from '../store.ts'
import { directoryMode, fileMode, removeTree, type SharedDirectory, syncDirectory, syncFile } from './durable.ts'
import type { FsPaths } from './fs-paths.ts'

/** Of two valid slots, the one with the higher number counts; a torn write leaves the other as it was. */
const slotBytes = 512
const slotTextBytes = slotBytes - 32

/** The same as for an original: little is left to sync when an offset is acknowledged. */
const syncEveryBytes = 64 * 1024 * 1024

/** Content of a slot. */
interface Slot extends SpoolState {
  /** Increases with every write; its parity selects the slot. */
  readonly number: number
}

export interface FsSpoolPlaces {
  readonly paths: FsPaths
  readonly uploads: SharedDirectory
  readonly incoming: SharedDirectory
  readonly logger: StoreLogger
}

/**
 * Finds the uploads of a data directory, and removes anything that is not one: a crash leaves nothing like that, but a
 * failing disk may. What cannot be read now, such as another user's files, is left to the next start.
 */
export async function openSpools(places: FsSpoolPlaces): Promise<Spools> {
  const { paths, logger } = places
  const found: Spool[] = []
  for (const id of await readdir(paths.uploads)) {
    if (!isUploadId(id)) continue
    const dir = paths.upload(id)
    const spool = await readSpool(dir, id, places).catch((error: unknown) => {
      logger.warn({ id, error }, 'cannot read unfinished upload: it is skipped')
      return undefined
    })
    if (spool) found.push(spool)
    if (spool !== null) continue
    logger.warn({ id }, 'cannot read unfinished upload: it is removed')
    await removeTree(dir)
  }
  found.sort((a, b) => a.facts.createdAt - b.facts.createdAt)
  return { found, shared: null, create: (facts, expectedBytes) => createSpool(places, facts, expectedBytes) }
}

async function createSpool(places: FsSpoolPlaces, facts: SpoolFacts, expectedBytes: number | null): Promise<Spool> {
  assert(isUploadId(facts.id), `'${facts.id}' is no id of an upload`)
  const made = places.paths.newPath()
  const slot: Slot = { number: 0, bytes: 0, expectedBytes, isComplete: false, changedAt: facts.createdAt }
  try {
    await mkdir(made, { mode: directoryMode })
    const files = [
      [bytesName, Buffer.alloc(0)],
      [factsName, withChecksum(Buffer.from(JSON.stringify(facts)))],
      [stateName, Buffer.concat([slotOf(slot), Buffer.alloc(slotBytes)])],
    ] as const
    for (const [name, content] of files) {
      const path = join(made, name)
      await writeFile(path, content, { flag: 'wx', mode: fileMode })
      await syncFile(path)
    }
    await syncDirectory(made)
    const dir = places.paths.upload(facts.id)
    await rename(made, dir)
    await Promise.all([places.uploads.sync(), places.incoming.sync()])
    return new FsSpool(dir, facts, slot, places)
  } catch (error) {
    await removeTree(made).catch(() => {})
    throw toStoreError(error)
  }
}

const [bytesName, factsName, stateName] = ['bytes', 'facts', 'state']

/** Null if it is incomplete or damaged. @throws {Error} if it cannot be read */
async function readSpool(dir: string, id: string, places: FsSpoolPlaces): Promise<Spool | null> {
  const [facts, slots, size] = await Promise.all([
    readFile(join(dir, factsName)).then(withoutChecksum),
    readFile(join(dir, stateName)),
    stat(join(dir, bytesName)).then((one) => one.size),
  ]).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return [null, null, 0] as const
    throw error
  })
  if (facts === null || slots === null) return null
  const slot = [0, 1]
    .map((index) => readSlot(slots.subarray(index * slotBytes, (index + 1) * slotBytes)))
    .reduce((a, b) => (a === null || (b !== null && b.number > a.number) ? b : a))
  // The checksum shows that this is what was written.
  const known = JSON.parse(facts.toString()) as SpoolFacts
  return slot === null || known.id !== id || size < slot.bytes ? null : new FsSpool(dir, known, slot, places)
}

function slotOf(slot: Slot): Buffer {
  return withChecksum(Buffer.from(JSON.stringify(slot).padEnd(slotTextBytes)))
}

function readSlot(written: Buffer): Slot | null {
  const text = withoutChecksum(written)
  return text === null ? null : (JSON.parse(text.toString()) as Slot)
}

class FsSpool implements Spool {
  readonly facts: SpoolFacts
  readonly path: string
  readonly commitEveryBytes = syncEveryBytes
  /** Never aborted: the directory belongs to this process alone. */
  readonly lost = new AbortController().signal
  readonly #dir: string
  readonly #places: FsSpoolPlaces
  #slot: Slot
  #isWriting = false
  /** Set once it is unknown what is on disk. */
  #failure: ServiceError | null = null

  constructor(dir: string, facts: SpoolFacts, slot: Slot, places: FsSpoolPlaces) {
    this.facts = facts
    this.path = join(dir, bytesName)
    this.#dir = dir
    this.#slot = slot
    this.#places = places
  }

  get state(): SpoolState {
    const { bytes, expectedBytes, isComplete, changedAt } = this.#slot
    return { bytes, expectedBytes, isComplete, changedAt }
  }

  async open(): Promise<SpoolWriter> {
    assert(!this.#isWriting, 'a spool has one writer at a time')
    if (this.#failure !== null) throw this.#failure
    this.#isWriting = true
    await using opened = new AsyncDisposableStack()
    opened.defer(async () => {
      this.#isWriting = false
    })
    const bytes = opened.use(await BufferedWriter.resume(this.path, this.#slot.bytes, { syncEveryBytes }))
    const state = await OpenFile.open(join(this.#dir, stateName), 'r+').catch(throwStoreError)
    opened.defer(() => state.close())
    return new FsSpoolWriter(bytes, (change) => this.#commit(state, bytes, change), opened.move())
  }

  async fetch(): Promise<void> {}

  async isOurs(): Promise<boolean> {
    return true
  }

  reports(): void {}

  async seal(): Promise<void> {}

  async release(): Promise<void> {}

  async remove(): Promise<void> {
    const { paths, uploads, incoming, logger } = this.#places
    const aside = paths.newPath()
    await rename(this.#dir, aside).catch(throwStoreError)
    await Promise.all([uploads.sync(), incoming.sync()])
    await removeTree(aside).catch((error) =>
      logger.warn({ path: aside, error }, 'cannot remove leftover: the next start will'),
    )
  }

  async #commit(
    state: OpenFile,
    bytes: BufferedWriter,
    change: Partial<Pick<SpoolState, 'expectedBytes' | 'isComplete'>>,
  ): Promise<SpoolState> {
    if (this.#failure !== null) throw this.#failure
    const slot = { ...this.#slot, ...change, number: this.#slot.number + 1, bytes: bytes.bytes, changedAt: Date.now() }
    try {
      await bytes.sync()
      await state.write(slotOf(slot), (slot.number % 2) * slotBytes).catch(throwStoreError)
      await state.datasync().catch(throwStoreError)
    } catch (error) {
      const failure = toStoreError(error)
      // A full disk loses only bytes that the next writer cuts off and writes again.
      if (failure.code !== 'DISK_FULL') this.#failure = failure
      throw failure
    }
    this.#slot = slot
    return this.state
  }
}

class FsSpoolWriter implements SpoolWriter {
  readonly #bytes: BufferedWriter
  readonly #commit: (change: Partial<SpoolState>) => Promise<SpoolState>
  readonly #opened: AsyncDisposableStack
  #last: Promise<unknown> = Promise.resolve()

  constructor(
    bytes: BufferedWriter,
    commit: (change: Partial<SpoolState>) => Promise<SpoolState>,
    opened: AsyncDisposableStack,
  ) {
    this.#bytes = bytes
    this.#commit = commit
    this.#opened = opened
  }

  get bytes(): number {
    return this.#bytes.bytes
  }

  get readableBytes(): number {
    return this.#bytes.writtenBytes
  }

  write(slices: readonly BorrowedBytes[]): Promise<void> {
    return this.#afterLast(() => this.#bytes.write(slices))
  }

  flush(): Promise<void> {
    return this.#afterLast(() => this.#bytes.flush())
  }

  commit(change: Partial<SpoolState> = {}): Promise<SpoolState> {
    return this.#afterLast(() => this.#commit(change))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#afterLast(() => this.#opened.disposeAsync())
  }

  #afterLast<Result>(work: () => Promise<Result>): Promise<Result> {
    const mine = this.#last.then(work)
    this.#last = mine.catch(() => {})
    return mine
  }
}
