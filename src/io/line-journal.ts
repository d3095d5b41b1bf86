// Line journal: lines of text in one file, each durable once it is added. Knows nothing of their meaning.
import { readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorCode } from '../core/storage-error.ts'
import { fileMode, hasDirectorySync } from './files/durable.ts'
import { OpenFile } from './files/open-file.ts'
import { Turns } from './turns/turns.ts'

interface JournalFile {
  readonly file: OpenFile
  readonly bytes: number
  /** Why it may not be durable; null if it is. */
  readonly failure: unknown
}

export class LineJournal implements AsyncDisposable {
  readonly #path: string
  #file: OpenFile
  /** Bytes of the lines that are durable. */
  #fileBytes: number
  /** True if a failed write may have left something behind them. */
  #isTorn = false
  /** Why the file may not be durable; null if it is. The next line has it written anew. */
  #failure: unknown
  #waiting: string[] = []
  /** The write that will include all of `#waiting`. */
  #next: Promise<void> | null = null
  readonly #turns = new Turns()

  private constructor(path: string, { file, bytes, failure }: JournalFile) {
    this.#path = path
    this.#file = file
    this.#fileBytes = bytes
    this.#failure = failure
  }

  /**
   * Opens the journal, or creates it. `keep` gets its lines, without a last one cut short by a crash, and returns
   * those that stay. If they cannot be written anew, as on a full disk, the file stays as it is.
   */
  static async open(path: string, keep: (lines: readonly string[]) => readonly string[]): Promise<LineJournal> {
    const text = await readFile(path, 'utf8').catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return ''
      throw error
    })
    const lines = keep(linesOf(text))
    const written = await writeWhole(path, lines).catch(async (failure: unknown) => {
      const bytes = bytesOf(linesOf(text)).length
      return { file: await OpenFile.open(path, 'r+'), bytes, failure }
    })
    return new LineJournal(path, written)
  }

  /** Adds a line, which is durable once this resolves. Lines added while others are being written share one sync. */
  add(line: string): Promise<void> {
    this.#waiting.push(line)
    this.#next ??= this.#turns.take(async () => {
      this.#next = null
      await this.#append(bytesOf(this.#waiting.splice(0)))
    })
    return this.#next
  }

  /** Replaces all lines with these if the file has grown beyond this number of bytes. */
  async replaceBeyond(bytes: number, lines: () => readonly string[]): Promise<void> {
    if (this.#fileBytes <= bytes) return
    await this.#turns.take(async () => {
      // An earlier caller has replaced them.
      if (this.#fileBytes <= bytes) return
      await this.#replace(lines())
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#turns.take(async () => {})
    await this.#file.close()
  }

  async #replace(lines: readonly string[]): Promise<void> {
    const { file, bytes, failure } = await writeWhole(this.#path, lines)
    await this.#file.close()
    this.#file = file
    this.#fileBytes = bytes
    this.#isTorn = false
    this.#failure = failure
    if (failure !== null) throw failure
  }

  async #append(bytes: Buffer): Promise<void> {
    if (this.#failure !== null) {
      const durable = (await readFile(this.#path)).subarray(0, this.#fileBytes)
      await this.#replace(linesOf(durable.toString()))
    }
    // Otherwise the beginning of a line that was not added would become part of the next one.
    if (this.#isTorn) await this.#file.truncate(this.#fileBytes)
    this.#isTorn = true
    await this.#file.write(bytes, this.#fileBytes)
    await this.#file.datasync()
    this.#isTorn = false
    this.#fileBytes += bytes.length
  }
}

/**
 * Writes a file of these lines, durably, and replaces any other with it. It stays open for more. After a rejection, the
 * other file is still there.
 */
async function writeWhole(path: string, lines: readonly string[]): Promise<JournalFile> {
  const bytes = bytesOf(lines)
  const fresh = `${path}.new`
  await using opened = new AsyncDisposableStack()
  await using directory = hasDirectorySync ? await OpenFile.open(dirname(path), 'r') : null
  opened.defer(() => rm(fresh, { force: true }))
  const file = opened.use(await OpenFile.create(fresh, fileMode, 'w'))
  await file.write(bytes, 0)
  await file.sync()
  await rename(fresh, path)
  opened.move()
  const failure: unknown = await directory?.sync().then(
    () => null,
    (error) => error,
  )
  return { file, bytes: bytes.length, failure: failure ?? null }
}

/** Without a last one that was cut short. */
function linesOf(text: string): readonly string[] {
  return text.split('\n').slice(0, -1)
}

function bytesOf(lines: readonly string[]): Buffer {
  return Buffer.from(lines.map((one) => `${one}\n`).join(''))
}
