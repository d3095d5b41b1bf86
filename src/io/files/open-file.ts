// Open file: a file by its descriptor. What may wait for the disk is handed to other threads; opening what exists and closing
// is done here, since handing it over takes longer. Knows nothing of what it holds.
import { closeSync, fdatasync, fstatSync, fsync, ftruncate, open, openSync, type Stats, write, writev } from 'node:fs'

type Done<Result> = (error: Error | null, result: Result) => void

function called<Result>(call: (done: Done<Result>) => void): Promise<Result> {
  return new Promise((resolve, reject) => {
    call((error, result) => (error === null ? resolve(result) : reject(error)))
  })
}

export class OpenFile implements AsyncDisposable {
  readonly #fd: number
  #running = 0
  #closed: Promise<void> | null = null
  #whenIdle: (() => void) | null = null

  private constructor(fd: number) {
    this.#fd = fd
  }

  /** Creates a file, which must not exist, not even as a link, unless it is to be replaced. */
  static async create(path: string, mode: number, flags: 'wx' | 'w' = 'wx'): Promise<OpenFile> {
    return new OpenFile(await called<number>((done) => open(path, flags, mode, done)))
  }

  /** Opens a file, or a directory, that exists. */
  static async open(path: string, flags: string | number): Promise<OpenFile> {
    return new OpenFile(openSync(path, flags))
  }

  stat(): Stats {
    return fstatSync(this.#fd)
  }

  /** Writes all of the bytes: a full disk or a signal may cut a write short. */
  write(bytes: Uint8Array, position: number): Promise<void> {
    return this.#use(async (fd) => {
      for (let from = 0; from < bytes.length; ) {
        const at = from
        from += await called<number>((done) => write(fd, bytes, at, bytes.length - at, position + at, done))
      }
    })
  }

  /** Writes slices one behind the other, all of their bytes. */
  writeSlices(slices: readonly Uint8Array[], position: number): Promise<void> {
    return this.#use(async (fd) => {
      let rest = slices.filter(({ length }) => length > 0)
      for (let at = position; rest.length > 0; ) {
        const [batch, from] = [rest, at]
        const bytesWritten = await called<number>((done) => writev(fd, batch, from, done))
        at += bytesWritten
        rest = behind(rest, bytesWritten)
      }
    })
  }

  sync(): Promise<void> {
    return this.#call(fsync)
  }

  datasync(): Promise<void> {
    return this.#call(fdatasync)
  }

  truncate(length: number): Promise<void> {
    return this.#call((fd, done) => ftruncate(fd, length, done))
  }

  /** Closes it once nothing that was begun is going on any more. May be called again. */
  close(): Promise<void> {
    this.#closed ??= this.#closeIdle()
    return this.#closed
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #closeIdle(): Promise<void> {
    if (this.#running > 0) {
      await new Promise<void>((resolve) => {
        this.#whenIdle = resolve
      })
    }
    closeSync(this.#fd)
  }

  async #use<Result>(work: (fd: number) => Promise<Result>): Promise<Result> {
    this.#begin()
    try {
      return await work(this.#fd)
    } finally {
      this.#end()
    }
  }

  /** As above, for a single call. */
  #call(call: (fd: number, done: (error: Error | null) => void) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#begin()
      call(this.#fd, (error) => {
        this.#end()
        if (error === null) resolve()
        else reject(error)
      })
    })
  }

  #begin(): void {
    // The descriptor may be another file's by now.
    if (this.#closed !== null) throw new Error('Cannot use a file: it is closed')
    this.#running += 1
  }

  #end(): void {
    this.#running -= 1
    if (this.#running === 0) this.#whenIdle?.()
  }
}

/** What follows the first bytes of slices. */
export function behind(slices: readonly Uint8Array[], bytes: number): Uint8Array[] {
  let left = bytes
  return slices.flatMap((slice) => {
    const rest = slice.subarray(Math.min(left, slice.length))
    left -= slice.length - rest.length
    return rest.length > 0 ? [rest] : []
  })
}
