// Query process: one query child from its start to its end, with the directory that is its own. Knows no queue.
import { chmod, chown, copyFile, link, lstat, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { queryUserId } from '../sandbox/child-users.ts'
import { type Child, type Ending, startProcess } from '../sandbox/spawn-child.ts'
import { type Confinement, confinements } from './query-confinement.ts'
import { pieceBytesMax, type QueryJob, type QuerySettings, readyText, verdictBytesMax } from './query-job.ts'

export interface QueryProcessOptions extends QuerySettings {
  /** Directory for the directories of children, on the file system of the datasets. */
  readonly dir: string
  /** Processor time, its start included. Seconds. */
  readonly cpuSecondsMax: number
  /** The program of the child, for tests; a query's when left out. */
  readonly programPath?: string
}

const programPath = fileURLToPath(new URL('./query-main.ts', import.meta.url))

/** What Node and DuckDB reserve before they are asked for anything (0.6 GB), and room for JavaScript. Bytes. */
const reservedBytes = 800_000_000
const heapMegabytes = 128

/** What `blocks` of a file counts in, whatever the file system. Bytes. */
const blockBytes = 512

let childCount = 0

/** A child that answers one query. */
export class QueryProcess {
  /** True when it waits for its query, false when it ended before. */
  readonly ready: Promise<boolean>
  /** Resolves when it has ended and its directory is gone. */
  readonly gone: Promise<Ending>
  readonly #child: Child
  readonly #dir: string
  /** What its next frame may have at most: nothing is expected of a child that waits. Bytes. */
  #awaitedBytesMax = readyText.length
  readonly #frames: AsyncGenerator<Buffer, void, void>
  /** Asked for before there is a query: whatever a waiting child sends ends it. */
  readonly #verdict: Promise<Buffer | null>
  #isGone = false

  private constructor(child: Child, dir: string) {
    this.#child = child
    this.#frames = child.frames(() => this.#awaitedBytesMax)
    this.#dir = dir
    this.gone = child.gone.then(async (ending) => {
      this.#isGone = true
      await rm(dir, { recursive: true, force: true })
      return ending
    })
    this.ready = this.#readReady()
    this.#verdict = this.ready.then((isReady) => (isReady ? this.#next() : null))
  }

  async #readReady(): Promise<boolean> {
    const first = await this.#next()
    this.#awaitedBytesMax = 0
    if (first?.toString() === readyText) return true
    if (first !== null) this.kill('its first words were others than expected')
    await this.gone
    return false
  }

  /** Null where it ends first; a frame that is too long ends it. */
  async #next(): Promise<Buffer | null> {
    try {
      const { value } = await this.#frames.next()
      return value ?? null
    } catch (error) {
      this.kill(String(error))
      return null
    }
  }

  /** Starts a child in the way of that index among `confinements`; null where there are no more ways. */
  static async start(options: QueryProcessOptions, wayIndex: number): Promise<[QueryProcess, Confinement] | null> {
    const number = childCount++
    const userId = queryUserId(number)
    const way = confinements(userId)[wayIndex]
    if (way === undefined) return null
    const dir = join(options.dir, String(number))
    const spillDir = join(dir, 'spill')
    await mkdir(spillDir, { recursive: true, mode: 0o700 })
    if (way.hasOwnUser) {
      // It may look its files up, and write into the directory for what does not fit in memory; no more.
      await chmod(dir, 0o711)
      await chown(spillDir, userId, userId)
    }
    const settings: QuerySettings = { memoryBytesMax: options.memoryBytesMax, spillBytesMax: options.spillBytesMax }
    const child = startProcess({
      path: options.programPath ?? programPath,
      arguments: [JSON.stringify(settings)],
      heapMegabytes,
      limits: [
        `--data=${reservedBytes + options.memoryBytesMax}`,
        `--cpu=${options.cpuSecondsMax}`,
        `--fsize=${options.spillBytesMax}`,
        '--nofile=256',
      ],
      wrapper: way.wrapper,
      cwd: dir,
      // With a wrapper it is the wrapper that changes the user: before that it needs to be who we are.
      ...(way.hasOwnUser && way.wrapper.length === 0 && { userId }),
    })
    return [new QueryProcess(child, dir), way]
  }

  get isGone(): boolean {
    return this.#isGone
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  /**
   * Gives it files, under names of its own. They are the store's files by another name where the file system has such, so
   * that they stay until it ends, and nobody can write to them any more: DuckDB's list of allowed files allows writing.
   */
  async take(paths: readonly string[]): Promise<readonly string[]> {
    return Promise.all(
      paths.map(async (path, i) => {
        const name = `part-${i}.parquet`
        const own = join(this.#dir, name)
        await link(path, own).catch(() => copyFile(path, own))
        await chmod(own, 0o444)
        return name
      }),
    )
  }

  /**
   * What its directory for what does not fit in memory takes on the disk. The limits of DuckDB and of the system are for the
   * files that DuckDB counts and for each file; this is for all there are.
   */
  async spilledBytes(): Promise<number> {
    const spillDir = join(this.#dir, 'spill')
    const names = await readdir(spillDir, { recursive: true }).catch(() => [])
    const blocks = await Promise.all(
      names.map((name) =>
        lstat(join(spillDir, name)).then(
          (file) => file.blocks,
          () => 0,
        ),
      ),
    )
    return blocks.reduce((sum, count) => sum + count, 0) * blockBytes
  }

  /** Gives it its query, and its verdict back; null where it ends first. */
  run(job: QueryJob): Promise<Buffer | null> {
    this.#awaitedBytesMax = verdictBytesMax
    this.#child.send(job)
    return this.#verdict
  }

  /** A piece of its answer, once the verdict is known; null where it ends first. */
  next(): Promise<Buffer | null> {
    this.#awaitedBytesMax = pieceBytesMax
    return this.#next()
  }

  /** The first `reason` given is in the words of its ending. */
  kill(reason?: string): void {
    this.#child.kill(reason)
  }
}
