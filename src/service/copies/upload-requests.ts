// Upload requests: which uploads are still to be copied, each as an empty file in one directory. Knows nothing of copying.
import { access, mkdir, opendir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { throwStoreError } from '../../core/storage-error.ts'
import { directoryMode, fileMode, syncDirectory } from '../../io/files/durable.ts'
import { OpenFile } from '../../io/files/open-file.ts'
import { KeyedMutex } from '../../io/keyed-mutex.ts'

/** However often the same bytes are sent, a name is one file. */
export class UploadRequests {
  readonly #dir: string
  readonly #turns = new KeyedMutex()
  /** Uploads in progress. */
  readonly #holders = new Set<{ readonly name: string }>()

  private constructor(dir: string) {
    this.#dir = dir
  }

  static async open(dir: string): Promise<UploadRequests> {
    await mkdir(dir, { recursive: true, mode: directoryMode })
    await syncDirectory(dirname(dir))
    return new UploadRequests(dir)
  }

  /**
   * Resolves once a crash cannot lose the request, to a function that releases it: until then, nothing deletes it.
   * @throws {ServiceError} DISK_FULL, TOO_MANY_OPEN_FILES, STORE_FAILED
   */
  async hold(name: string): Promise<() => void> {
    const holder = { name }
    this.#holders.add(holder)
    try {
      await this.#turns.take(name, async () => {
        await using file = await OpenFile.create(join(this.#dir, name), fileMode, 'w')
        await file.sync()
        await syncDirectory(this.#dir)
      })
      return () => void this.#holders.delete(holder)
    } catch (error) {
      this.#holders.delete(holder)
      return throwStoreError(error)
    }
  }

  isHeld(name: string): boolean {
    return this.#holders.values().some((one) => one.name === name)
  }

  /** Waits for a deletion in progress. */
  has(name: string): Promise<boolean> {
    const isThere = () => access(join(this.#dir, name)).then(() => true)
    return this.#turns.take(name, () => isThere().catch(() => false))
  }

  /** All names, in no order, some of which may be gone. */
  async *names(): AsyncGenerator<string> {
    for await (const { name } of await opendir(this.#dir)) yield name
  }

  /** Deletes a request durably, unless an upload holds it or it is wanted. Both are asked in one step. */
  async delete(name: string, isWanted: () => boolean): Promise<void> {
    await this.#turns.take(name, async () => {
      if (isWanted() || this.isHeld(name)) return
      await rm(join(this.#dir, name), { force: true })
      await syncDirectory(this.#dir)
    })
  }
}
