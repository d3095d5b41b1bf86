// Hash thread: hashes files on a thread of its own, where there is a core for it, and small ones here. For when and why, see
// docs/decisions/hash-thread.md.
import { Worker } from 'node:worker_threads'
import { errorCode, toStoreError } from '../../core/storage-error.ts'
import { bufferMemory } from '../buffer-pool.ts'
import { type FileDigest, OwnDigest } from './file-digest.ts'
import type { HashAnswer, HashRequest } from './hash-request.ts'

/** A file whose first batch has fewer bytes is hashed here: to hand it over takes as long. */
const batchBytesMin = 262_144

interface Waiting {
  answered(answer: HashAnswer): void
  lost(error: unknown): void
}

interface Running {
  readonly worker: Worker
  /** Why it has ended; null until then. */
  loss: unknown
}

/** One thread for any number of files. It starts when it is first needed, and again after it has ended. */
export class HashThread {
  readonly #memory: SharedArrayBuffer
  readonly #program: URL
  #running: Running | null = null
  #fileCount = 0
  /** In the order of their requests. */
  #waiting: Waiting[] = []

  /** @param memory Where the bytes of files lie while they are hashed. @param program Only tests have another. */
  constructor(memory: SharedArrayBuffer, program = new URL('./hash-thread-main.ts', import.meta.url)) {
    this.#memory = memory
    this.#program = program
  }

  /** Of a new file. What is added has to lie in the memory, and to stay as it is until the promise resolves. */
  digest(): FileDigest {
    const running = this.#running ?? this.#start()
    const file = this.#fileCount++
    let isOpen = true
    const post = (kind: HashRequest['kind'], bytes?: Uint8Array) => {
      const request: HashRequest = { kind, file, at: bytes?.byteOffset ?? 0, bytes: bytes?.length ?? 0 }
      running.worker.postMessage(request)
    }
    return {
      add: (bytes) => {
        if (bytes.buffer !== this.#memory) throw new Error('Cannot hash: the bytes lie in other memory')
        if (running.loss !== null) return null
        post('add', bytes)
        return new Promise((resolve) => this.#wait({ answered: () => resolve(), lost: () => resolve() }))
      },
      end: () => {
        if (running.loss !== null) throw lostError(running.loss)
        isOpen = false
        post('end')
        return new Promise((resolve, reject) => {
          const answered = (answer: HashAnswer) => {
            if (answer === 'added') reject(lostError(new Error('an answer came that belongs to another request')))
            else resolve({ sha256: answer.sha256, checksums: Buffer.from(answer.checksums) })
          }
          this.#wait({ answered, lost: (error) => reject(lostError(error)) })
        })
      },
      [Symbol.dispose]: () => {
        if (isOpen && running.loss === null) post('drop')
        isOpen = false
      },
    }
  }

  /** Ends the thread: its files fail. */
  async close(): Promise<void> {
    await this.#running?.worker.terminate()
  }

  #start(): Running {
    const worker = new Worker(this.#program, { workerData: this.#memory })
    const running: Running = { worker, loss: null }
    this.#running = running
    worker.on('message', (answer: HashAnswer) => {
      this.#waiting.shift()?.answered(answer)
      // It keeps the process alive only while somebody waits for it.
      if (this.#waiting.length === 0) worker.unref()
    })
    worker.on('error', (error) => this.#lose(running, error))
    worker.on('exit', (code) => this.#lose(running, new Error(`it ended with exit code ${code}`)))
    worker.unref()
    return running
  }

  #wait(waiting: Waiting): void {
    if (this.#waiting.length === 0) this.#running?.worker.ref()
    this.#waiting.push(waiting)
  }

  /** An error is followed by the exit: what comes first counts. */
  #lose(running: Running, error: unknown): void {
    if (running.loss !== null) return
    running.loss = error
    this.#running = null
    for (const { lost } of this.#waiting.splice(0)) lost(error)
  }
}

/** A lack of descriptors, for which a thread could not start, keeps its own code. */
function lostError(cause: unknown): Error {
  const error = new Error('the thread that hashes files has ended', { cause })
  return toStoreError(Object.assign(error, { code: errorCode(cause) }))
}

const hashThread = bufferMemory instanceof SharedArrayBuffer ? new HashThread(bufferMemory) : null

/**
 * The digest of a file that is written through buffers of the pool, to be given these as they fill. Null where there is no
 * thread: then bytes are best hashed as they come, while they are in the cache of the core.
 */
export function batchDigest(thread: HashThread | null = hashThread): FileDigest | null {
  if (thread === null) return null
  let chosen: FileDigest | null = null
  return {
    add: (bytes) => {
      chosen ??= bytes.length < batchBytesMin ? new OwnDigest() : thread.digest()
      return chosen.add(bytes)
    },
    end: () => (chosen ?? new OwnDigest()).end(),
    [Symbol.dispose]: () => chosen?.[Symbol.dispose](),
  }
}
