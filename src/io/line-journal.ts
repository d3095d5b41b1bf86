// Line journal: lines of text in one file, each durable once it is added. Knows nothing of their meaning.
import { type FileHandle, open, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorCode } from '../core/storage-error.ts'

const fileMode = 0o600
/** Windows can neither open nor sync a directory. */
const hasDirectorySync = process.platform !== 'win32'

export class LineJournal implements AsyncDisposable {
  readonly #path: string
  #file: FileHandle
  #fileBytes: number
  #waiting: string[] = []
  /** The write that will include all of `#waiting`. */
  #next: Promise<void> | null = null
  #last: Promise<unknown> = Promise.resolve()

  private constructor(path: string, file: FileHandle, fileBytes: number) {
    this.#path = path
    this.#file = file
    this.#fileBytes = fileBytes
  }

  /**
   * Opens the journal, or creates it. `keep` gets its lines, without a last one cut short by a crash, and returns
   * those that stay.
   */
  static async open(path: string, keep: (lines: readonly string[]) => readonly string[]): Promise<LineJournal> {
    const text = await readFile(path, 'utf8').catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return ''
      throw error
    })
    const lines = keep(text.split('\n').slice(0, -1))
    return new LineJournal(path, ...(await writeWhole(path, lines)))
  }

  /** Adds a line, which is durable once this resolves. Lines added while others are being written share one sync. */
  add(line: string): Promise<void> {
    this.#waiting.push(line)
    this.#next ??= this.#inTurn(async () => {
      this.#next = null
      const text = this.#waiting
        .splice(0)
        .map((one) => `${one}\n`)
        .join('')
      await this.#file.appendFile(text)
      this.#fileBytes += Buffer.byteLength(text)
      await this.#file.datasync()
    })
    return this.#next
  }

  /** Replaces all lines with these if the file has grown beyond this number of bytes. */
  async replaceBeyond(bytes: number, lines: () => readonly string[]): Promise<void> {
    if (this.#fileBytes <= bytes) return
    await this.#inTurn(async () => {
      // An earlier caller has replaced them.
      if (this.#fileBytes <= bytes) return
      const [file, fileBytes] = await writeWhole(this.#path, lines())
      await this.#file.close()
      this.#file = file
      this.#fileBytes = fileBytes
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#last
    await this.#file.close()
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const mine = this.#last.then(work)
    this.#last = mine.catch(() => {})
    return mine
  }
}

/** Writes a file of these lines, durably, replaces any other with it, and keeps it open for more. */
async function writeWhole(path: string, lines: readonly string[]): Promise<[FileHandle, number]> {
  const text = lines.map((one) => `${one}\n`).join('')
  const fresh = `${path}.new`
  const file = await open(fresh, 'w', fileMode)
  try {
    await file.writeFile(text)
    await file.sync()
    await rename(fresh, path)
    if (hasDirectorySync) {
      await using directory = await open(dirname(path), 'r')
      await directory.sync()
    }
    return [file, Buffer.byteLength(text)]
  } catch (error) {
    await file.close()
    throw error
  }
}
