// Work dir: the one directory that a confined child knows, with the files of its job under neutral names. Knows nothing of jobs.
import { chmodSync, chownSync, constants, mkdirSync, writeFileSync } from 'node:fs'
import { chmod, copyFile, link, open, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** What a child may write, relative to its work directory: what it makes, and a copy of what it reads. */
export const outputPath = 'made/out'
export const copyPath = 'made/copy'

/** What a child may read, relative to its work directory. */
export function inputPath(index: number): string {
  return `in/${index}`
}

/**
 * A child looks its files up and reads them; it writes into the two that are there, and makes none. So no name in its work directory
 * ever stands for a file of somebody else, and what it can put on the disk has a bound.
 */
const workDir = { directory: 0o710, readable: 0o444, writable: 0o660, taken: 0o600 }

export class WorkDir {
  readonly dir: string
  readonly #hasOwnUser: boolean
  #inputCount = 0

  /** Makes the directory. `userId` is who works at it; null where it is who we are. Waits for the disk: a child starts rarely. */
  constructor(dir: string, userId: number | null) {
    this.dir = dir
    this.#hasOwnUser = userId !== null
    const directories = [dir, join(dir, 'in'), join(dir, 'made')]
    const files = [outputPath, copyPath].map((path) => join(dir, path))
    for (const path of directories) mkdirSync(path)
    for (const path of files) writeFileSync(path, '', { flag: 'wx' })
    for (const path of [...files, ...directories]) {
      if (userId !== null) chownSync(path, process.getuid?.() ?? 0, userId)
      // Not when it is made: there the umask would have its say.
      chmodSync(path, files.includes(path) ? workDir.writable : workDir.directory)
    }
  }

  /**
   * Lays files out, the first at `inputPath(0)`. They are the same files under another name where the file system has such;
   * whoever has a user of its own may then read them there and nowhere else.
   */
  async lay(paths: readonly string[]): Promise<void> {
    this.#inputCount = paths.length
    await Promise.all(
      paths.map(async (path, i) => {
        const input = join(this.dir, inputPath(i))
        await link(path, input).catch(() => copyFile(path, input, constants.COPYFILE_EXCL))
        if (this.#hasOwnUser) await chmod(input, workDir.readable)
      }),
    )
  }

  /**
   * Copies what the child has made to a new place, where it is ours alone, and empties the file it was made in. Moving that
   * would cost less, but whoever has opened a file may write to it for as long as he likes, whosever it is by then.
   *
   * @param toPath Null for what nobody wants.
   */
  async take(toPath: string | null): Promise<void> {
    // A child that runs as who we are may have removed it, or have put a link or a pipe in its place.
    const { O_RDWR, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants
    await using made = await open(join(this.dir, outputPath), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK)
    if (!(await made.stat()).isFile()) throw new Error('Cannot take what a child made: it is no file')
    if (toPath !== null) {
      await copyFile(`/proc/self/fd/${made.fd}`, toPath)
      await chmod(toPath, workDir.taken)
    }
    await made.truncate()
  }

  /** Takes away what was laid out. */
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
