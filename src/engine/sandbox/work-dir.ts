// Work dir: the directory a child works in, with the files of its job under neutral names. Knows nothing of jobs.
import { chmodSync, chownSync, constants, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { chmod, copyFile, link, lstat, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Where a child may write, relative to its work directory. */
export const outputDir = 'out'

/**
 * Either one file that exists already: then no name in the work directory can stand for another file, and the limit on file
 * sizes bounds what the child can write. Or any files it creates.
 */
export type Writable = 'one file' | 'files it makes'

/** The one file. */
export const outputPath = 'out/result'

/** What a child may read, relative to its work directory. */
export function inputPath(index: number): string {
  return `in/${index}`
}

const modes = { directory: 0o710, readable: 0o444, writable: 0o660, writableDirectory: 0o770, taken: 0o600 }

/** The unit of a file's `blocks`, on every file system. Bytes. */
const blockBytes = 512

export class WorkDir {
  readonly dir: string
  readonly #userId: number | null
  #inputCount = 0

  /** Creates the directory, synchronously, as children start rarely. `userId` is who works in it; null for our own user. */
  constructor(dir: string, userId: number | null, writes: Writable) {
    this.dir = dir
    this.#userId = userId
    for (const path of [dir, join(dir, 'in'), join(dir, outputDir)]) mkdirSync(path)
    if (writes === 'one file') this.#createOutput()
    this.#own(join(dir, outputDir), writes === 'one file' ? modes.directory : modes.writableDirectory)
    this.#own(join(dir, 'in'), modes.directory)
    this.#own(dir, modes.directory)
  }

  #createOutput(): void {
    writeFileSync(join(this.dir, outputPath), '', { flag: 'wx' })
    this.#own(join(this.dir, outputPath), modes.writable)
  }

  #own(path: string, mode: number): void {
    if (this.#userId !== null) chownSync(path, process.getuid?.() ?? 0, this.#userId)
    // Not on creation, where the umask would apply.
    chmodSync(path, mode)
  }

  /**
   * Gives the child files to read, the first at `inputPath(0)`. They are hard links if the file system has them, so that
   * they outlive a deletion, and are read-only from now on.
   */
  async addInputs(paths: readonly string[]): Promise<void> {
    this.#inputCount = paths.length
    await Promise.all(
      paths.map(async (path, i) => {
        const input = join(this.dir, inputPath(i))
        await link(path, input).catch(() => copyFile(path, input, constants.COPYFILE_EXCL))
        await chmod(input, modes.readable)
      }),
    )
  }

  /**
   * Moves the result to where the child finds no names, and gives the child an empty file. A copy would cost a tenth of
   * a download, and protect no one: only the child that made a result could still have it open.
   *
   * @param toPath Null to drop the result.
   */
  async takeOutput(toPath: string | null): Promise<void> {
    const made = join(this.dir, outputPath)
    if (toPath === null) await rm(made, { force: true })
    else {
      const taken = join(this.dir, 'taken')
      await rename(made, taken)
      // A child that runs as our own user may have replaced it by a link or a pipe.
      if (!(await lstat(taken)).isFile()) {
        await rm(taken, { recursive: true })
        throw new Error('Cannot take the result of a child: it is not a file')
      }
      await chmod(taken, modes.taken)
      await rename(taken, toPath).catch(async () => {
        // Work directories may be on a file system of their own.
        await copyFile(taken, toPath)
        await rm(taken)
      })
    }
    this.#createOutput()
  }

  /** Disk space taken by all that the child has written; the system's limit is per file. */
  async writtenBytes(): Promise<number> {
    const names = await readdir(join(this.dir, outputDir), { recursive: true }).catch(() => [])
    const blocksOf = (name: string) =>
      lstat(join(this.dir, outputDir, name)).then(
        (file) => file.blocks,
        () => 0,
      )
    const blocks = await Promise.all(names.map(blocksOf))
    return blocks.reduce((sum, count) => sum + count, 0) * blockBytes
  }

  get exists(): boolean {
    return existsSync(join(this.dir, 'in')) && existsSync(join(this.dir, outputDir))
  }

  /** Removes the inputs. */
  async clear(): Promise<void> {
    const input = Array.from({ length: this.#inputCount }, (_, i) => join(this.dir, inputPath(i)))
    this.#inputCount = 0
    await Promise.all(input.map((path) => rm(path, { force: true })))
  }

  /** Removes the directory, as far as possible; the next start removes the rest. */
  async remove(): Promise<void> {
    await rm(this.dir, { recursive: true, force: true }).catch(() => {})
  }
}
