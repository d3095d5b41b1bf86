// Open file: a file by its descriptor. Calls that may wait for the disk run on other threads. Opening an existing file
// and closing run on this thread, because handing them over takes longer; so do short calls while nothing else waits
// for the disk. Knows nothing of the content.
import {
  closeSync,
  fdatasync,
  fstatSync,
  fsync,
  ftruncate,
  open,
  openSync,
  type Stats,
  writev,
  writevSync,
} from 'node:fs'
import { shortCalls } from './short-calls.ts'

type Done<Result> = (error: Error | null, result: Result) => void

function called<Result>(call: (done: Done<Result>) => void): Promise<Result> {
  return new Promise((resolve, reject) => {
    call((error, result) => (error === null ? resolve(result) : reject(error)))
  })
}

/** A longer write takes about as long as handing it over. */
const shortBytesMax = 65_536

/** Writes bytes, on this thread if they are few. Returns how many were written. */
async function written(bytes: number, here: () => number, call: (done: Done<number>) => void): Promise<number> {
  if (bytes <= shortBytesMax) return await shortCalls.run(here, () => handedOver(call))
  return await handedOver(call)
}

/** Makes a call on another thread that may wait for the disk. */
async function handedOver<Result>(call: (done: Done<Result>) => void): Promise<Result> {
  shortCalls.begin()
  try {
    return await called(call)
  } finally {
    shortCalls.end()
  }
}

export class OpenFile implements AsyncDisposable {
  readonly #fd: number
  #running = 0
  #closed: Promise<void> | null = null
  #whenIdle: (() => void) | null = null

  private constructor(fd: number) {
    this.#fd = fd
  }

  /** Creates a file. With `wx`, nothing may exist under its name, not even a link. */
  static async create(path: string, mode: number, flags: 'wx' | 'w' = 'wx'): Promise<OpenFile> {
    const fd = await shortCalls.run(
      () => openSync(path, flags, mode),
      () => called<number>((done) => open(path, flags, mode, done)),
    )
    return new OpenFile(fd)
  }

  static async open(path: string, flags: string | number): Promise<OpenFile> {
    return new OpenFile(openSync(path, flags))
  }

  stat(): Stats {
    return fstatSync(this.#fd)
  }

  /** Writes all of the bytes, even if a full disk or a signal cuts a write short. */
  write(bytes: Uint8Array, position: number): Promise<void> {
    return this.writeSlices([bytes], position)
  }

  /** Writes all bytes of the slices, one slice after another. */
  writeSlices(slices: readonly Uint8Array[], position: number): Promise<void> {
    return this.#use(async (fd) => {
      let rest = slices.filter(({ length }) => length > 0)
      for (let at = position; rest.length > 0; ) {
        const [batch, from] = [rest, at]
        const bytesWritten = await written(
          batch.reduce((sum, { length }) => sum + length, 0),
          () => writevSync(fd, batch, from),
          (done) => writev(fd, batch, from, done),
        )
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

  /** Closes the file once all calls in progress have ended. May be called again. */
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
    // The descriptor may by now belong to another file.
    if (this.#closed !== null) throw new Error('Cannot use a file: it is closed')
    this.#running += 1
    try {
      return await work(this.#fd)
    } finally {
      this.#running -= 1
      if (this.#running === 0) this.#whenIdle?.()
    }
  }

  #call(call: (fd: number, done: (error: Error | null) => void) => void): Promise<void> {
    return this.#use((fd) => handedOver<void>((done) => call(fd, (error) => done(error, undefined))))
  }
}

/** The slices without their first bytes. */
export function behind(slices: readonly Uint8Array[], bytes: number): Uint8Array[] {
  let left = bytes
  return slices.flatMap((slice) => {
    const rest = slice.subarray(Math.min(left, slice.length))
    left -= slice.length - rest.length
    return rest.length > 0 ? [rest] : []
  })
}
