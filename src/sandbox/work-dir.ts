// Work dir: the one directory that a child knows, with the files of its job under neutral names. Knows nothing of jobs.
import { chmodSync, chownSync, constants, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { chmod, copyFile, link, lstat, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Where a child may write, relative to its work directory. */
export const outputDir = 'out'

/**
 * Either two files that are there: no name in its work directory then ever stands for a file of somebody else, and the limit
 * on a file bounds what it can put on the disk. Or files that it makes.
 */
export type Writable = 'two files' | 'files it makes'

/** The two files: what it makes, and a copy of what it reads. */
export const outputPath = 'out/result'
export const copyPath = 'out/copy'

/** What a child may read, relative to its work directory. */
export function inputPath(index: number): string {
  return `in/${index}`
}

const modes = { directory: 0o710, readable: 0o444, writable: 0o660, writableDirectory: 0o770, taken: 0o600 }

/** What `blocks` of a file counts in, whatever the file system. Bytes. */
const blockBytes = 512

export class WorkDir {
  readonly dir: string
  #inputCount = 0

  /** Makes the directory. `userId` is who works at it; null where it is who we are. Waits for the disk: a child starts rarely. */
  constructor(dir: string, userId: number | null, writes: Writable) {
    this.dir = dir
    const own = (path: string, mode: number) => {
      if (userId !== null) chownSync(path, process.getuid?.() ?? 0, userId)
      // Not when it is made: there the umask would have its say.
      chmodSync(path, mode)
    }
    for (const path of [dir, join(dir, 'in'), join(dir, outputDir)]) mkdirSync(path)
    if (writes === 'two files') {
      for (const path of [outputPath, copyPath]) {
        writeFileSync(join(dir, path), '', { flag: 'wx' })
        own(join(dir, path), modes.writable)
      }
    }
    own(join(dir, outputDir), writes === 'two files' ? modes.directory : modes.writableDirectory)
    own(join(dir, 'in'), modes.directory)
    own(dir, modes.directory)
  }

  /**
   * Gives the child files to read, the first at `inputPath(0)`. They are the same files under another name where the file
   * system has such, so that they stay while they are read, and nobody can write to them any more.
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
   * Copies what the child has made to a new place, where it is ours alone, and empties the file it was made in. Moving that
   * would cost less, but whoever has opened a file may write to it for as long as he likes, whosever it is by then.
   *
   * @param toPath Null for what nobody wants.
   */
  async takeOutput(toPath: string | null): Promise<void> {
    // A child that runs as who we are may have removed it, or have put a link or a pipe in its place.
    const { O_RDWR, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants
    await using made = await open(join(this.dir, outputPath), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK)
    if (!(await made.stat()).isFile()) throw new Error('Cannot take what a child made: it is no file')
    if (toPath !== null) {
      await copyFile(`/proc/self/fd/${made.fd}`, toPath)
      await chmod(toPath, modes.taken)
    }
    await made.truncate()
  }

  /** What all that the child has written takes on the disk. The system's limits are for each file. */
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

  /** Takes the inputs away. */
  async clear(): Promise<void> {
    const input = Array.from({ length: this.#inputCount }, (_, i) => join(this.dir, inputPath(i)))
    this.#inputCount = 0
    await Promise.all(input.map((path) => rm(path, { force: true })))
  }

  /** Removes the directory. What withstands is left to the next start. */
  async remove(): Promise<void> {
    await rm(this.dir, { recursive: true, force: true }).catch(() => {})
  }
}
