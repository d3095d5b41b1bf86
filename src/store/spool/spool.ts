// Spool: the bytes of an upload that may arrive in several requests, durable up to a known offset. Below `uploads/<id>`,
// on the disk of the process that began it: facts that never change, bytes, and a state that is written to two slots in
// turn.
import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BorrowedBytes } from '../../core/borrowed-bytes.ts'
import type { ServiceError } from '../../core/errors.ts'
import { errorCode, throwStoreError, toStoreError } from '../../core/storage-error.ts'
import { BufferedWriter } from '../../io/buffered-writer.ts'
import {
  directoryMode,
  fileMode,
  removeTree,
  SharedDirectory,
  syncDirectory,
  syncFile,
} from '../../io/files/durable.ts'
import { OpenFile } from '../../io/files/open-file.ts'
import { Turns } from '../../io/turns/turns.ts'
import { withChecksum, withoutChecksum } from '../checksum-line.ts'
import { isUploadId } from '../name-rules.ts'

/** Facts that are fixed when an upload begins. */
export interface SpoolFacts {
  /** A UUID in lower case. */
  readonly id: string
  /** Empty without authentication. */
  readonly owner: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Anything else that the reader needs, as a JSON value; at most 4 MB. */
  readonly details: unknown
}

/** The progress of an upload. Everything in it survives a crash and power loss. */
export interface SpoolState {
  /** Number of bytes so far, and the offset of the next one. */
  readonly bytes: number
  /** Expected total; null while it is unknown. */
  readonly expectedBytes: number | null
  /** All bytes have arrived, and none can be added. */
  readonly isComplete: boolean
  /** Epoch milliseconds of the last change. */
  readonly changedAt: number
}

/** What a commit may change; fewer `bytes` than there are drop those after them. */
type SpoolChange = Partial<Pick<SpoolState, 'bytes' | 'expectedBytes' | 'isComplete'>>

/**
 * Of two valid slots, the one with the higher number counts, if the file has all its bytes; a torn write leaves the
 * other as it was.
 */
const slotBytes = 512
const slotTextBytes = slotBytes - 32

/** The same as for an original: little is left to sync when an offset is acknowledged. */
const syncEveryBytes = 64 * 1024 * 1024

/** Content of a slot. */
interface Slot extends SpoolState {
  /** Increases with every write; its parity selects the slot. */
  readonly number: number
}

export interface SpoolPlaces {
  readonly paths: {
    readonly uploads: string
    /** An unused path in `incoming`, which a start empties. */
    newPath(): string
  }
  readonly incoming: SharedDirectory
  readonly logger: { warn(fields: object, message: string): void }
}

interface OpenPlaces extends SpoolPlaces {
  readonly uploads: SharedDirectory
}

/** The unfinished uploads of a store. */
export class Spools implements AsyncDisposable {
  /** Those found when the store was opened, in order of creation. */
  readonly found: readonly Spool[]
  readonly #places: OpenPlaces

  private constructor(found: readonly Spool[], places: OpenPlaces) {
    this.found = found
    this.#places = places
  }

  /**
   * Finds the uploads of a data directory, and removes anything that is not one: a crash leaves nothing like that, but a
   * failing disk may. What cannot be read now, such as another user's files, is left to the next start.
   */
  static async open(given: SpoolPlaces): Promise<Spools> {
    const { paths, logger } = given
    await using opened = new AsyncDisposableStack()
    const places = { ...given, uploads: opened.use(await SharedDirectory.open(paths.uploads)) }
    const found: Spool[] = []
    for (const id of await readdir(paths.uploads)) {
      if (!isUploadId(id)) continue
      const path = join(paths.uploads, id)
      const spool = await readSpool(path, id, places).catch((error: unknown) => {
        logger.warn({ id, error }, 'cannot read unfinished upload: it is skipped')
        return undefined
      })
      if (spool) found.push(spool)
      if (spool !== null) continue
      logger.warn({ id }, 'cannot read unfinished upload: it is removed')
      await removeTree(path)
    }
    found.sort((a, b) => a.facts.createdAt - b.facts.createdAt)
    opened.move()
    return new Spools(found, places)
  }

  /**
   * Begins one; durable once it resolves. @throws {ServiceError} DISK_FULL, STORE_UNAVAILABLE, TOO_MANY_OPEN_FILES,
   * STORE_FAILED
   */
  async create(facts: SpoolFacts, expectedBytes: number | null): Promise<Spool> {
    assert(isUploadId(facts.id), `'${facts.id}' is no id of an upload`)
    const places = this.#places
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
      const dir = join(places.paths.uploads, facts.id)
      await rename(made, dir)
      await Promise.all([places.uploads.sync(), places.incoming.sync()])
      return new Spool(dir, facts, slot, places)
    } catch (error) {
      await removeTree(made).catch(() => {})
      throw toStoreError(error)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#places.uploads[Symbol.asyncDispose]()
  }
}

const [bytesName, factsName, stateName] = ['bytes', 'facts', 'state']

/** Null if it is incomplete or damaged. @throws {Error} if it cannot be read */
async function readSpool(dir: string, id: string, places: OpenPlaces): Promise<Spool | null> {
  const [facts, slots, size] = await Promise.all([
    readFile(join(dir, factsName)).then(withoutChecksum),
    readFile(join(dir, stateName)),
    stat(join(dir, bytesName)).then((one) => one.size),
  ]).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return [null, null, 0] as const
    throw error
  })
  if (facts === null || slots === null) return null
  // A state may have been written though its commit failed; then bytes that it counts may have been cut off since.
  const [slot] = [0, 1]
    .map((index) => readSlot(slots.subarray(index * slotBytes, (index + 1) * slotBytes)))
    .filter((one) => one !== null && one.bytes <= size)
    .toSorted((a, b) => b!.number - a!.number)
  // The checksum shows that this is what was written.
  const known = JSON.parse(facts.toString()) as SpoolFacts
  return !slot || known.id !== id ? null : new Spool(dir, known, slot, places)
}

function slotOf(slot: Slot): Buffer {
  return withChecksum(Buffer.from(JSON.stringify(slot).padEnd(slotTextBytes)))
}

function readSlot(written: Buffer): Slot | null {
  const text = withoutChecksum(written)
  return text === null ? null : (JSON.parse(text.toString()) as Slot)
}

/** One upload. Only its facts and state are held in memory. */
export class Spool {
  readonly facts: SpoolFacts
  /** Absolute path of the bytes; while a writer is active, there may be more than `state.bytes`. */
  readonly path: string
  /** After this many bytes, it is worth making an offset durable while more arrive. */
  readonly commitEveryBytes = syncEveryBytes
  readonly #dir: string
  readonly #places: OpenPlaces
  #slot: Slot
  #isWriting = false
  /** Set once it is unknown what is on disk. */
  #failure: ServiceError | null = null

  constructor(dir: string, facts: SpoolFacts, slot: Slot, places: OpenPlaces) {
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

  /**
   * Opens it for more bytes, after those of `state`; one writer at a time.
   * @throws {ServiceError} STORE_UNAVAILABLE, TOO_MANY_OPEN_FILES, STORE_FAILED
   */
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
    return new SpoolWriter(bytes, (change) => this.#commit(state, bytes, change), opened.move())
  }

  /** Removes it, durably once it resolves. A second name of its file, such as an original, stays. */
  async remove(): Promise<void> {
    const { uploads, incoming, logger } = this.#places
    const aside = this.#places.paths.newPath()
    await rename(this.#dir, aside).catch(throwStoreError)
    await Promise.all([uploads.sync(), incoming.sync()])
    await removeTree(aside).catch((error) =>
      logger.warn({ path: aside, error }, 'cannot remove leftover: the next start will'),
    )
  }

  async #commit(state: OpenFile, bytes: BufferedWriter, change: SpoolChange): Promise<SpoolState> {
    if (this.#failure !== null) throw this.#failure
    const number = this.#slot.number + 1
    const slot = { ...this.#slot, bytes: bytes.bytes, ...change, number, changedAt: Date.now() }
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

/** Appends bytes to a spool. Calls may overlap; they run one after the other. Disposing drops uncommitted bytes. */
export class SpoolWriter implements AsyncDisposable {
  readonly #bytes: BufferedWriter
  readonly #commit: (change: SpoolChange) => Promise<SpoolState>
  readonly #opened: AsyncDisposableStack
  readonly #turns = new Turns()

  constructor(
    bytes: BufferedWriter,
    commit: (change: SpoolChange) => Promise<SpoolState>,
    opened: AsyncDisposableStack,
  ) {
    this.#bytes = bytes
    this.#commit = commit
    this.#opened = opened
  }

  /** Size of the whole spool: bytes committed before and bytes added since. */
  get bytes(): number {
    return this.#bytes.bytes
  }

  /** The part of it that can be read at the path of the spool. */
  get readableBytes(): number {
    return this.#bytes.writtenBytes
  }

  /** Appends; the caller may reuse the slices once this resolves. @throws {ServiceError} DISK_FULL, STORE_FAILED */
  write(slices: readonly BorrowedBytes[]): Promise<void> {
    return this.#turns.take(() => this.#bytes.write(slices))
  }

  /** Resolves when everything added can be read at the path of the spool. */
  flush(): Promise<void> {
    return this.#turns.take(() => this.#bytes.flush())
  }

  /**
   * Makes everything added durable, and then the state that includes it. After a failure other than a full disk, the
   * spool accepts no more bytes until the store is opened again, because it is unknown what a failed sync has lost.
   * @throws {ServiceError} DISK_FULL, STORE_UNAVAILABLE, STORE_FAILED
   */
  commit(change: SpoolChange = {}): Promise<SpoolState> {
    return this.#turns.take(() => this.#commit(change))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#turns.take(() => this.#opened.disposeAsync())
  }
}
