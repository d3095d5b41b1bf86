// Hash thread: hashes files on a separate thread if there is a core for it, and small files on this one. For when and
// why, see docs/decisions/hash-thread.md.
import { Worker } from 'node:worker_threads'
import { errorCode, toStoreError } from '../../core/storage-error.ts'
import { bufferMemory } from '../buffer-pool.ts'
import { type FileDigest, OwnDigest } from './file-digest.ts'
import type { HashRequest, HashResponse } from './hash-thread-main.ts'

/** A file whose first batch has fewer bytes is hashed on this thread: handing it over takes as long. */
const batchBytesMin = 262_144

interface PendingHash {
  answered(answer: HashResponse): void
  lost(error: unknown): void
}

/** A thread with the requests that it has not answered: a late answer can only settle one of its own. */
interface HashWorker {
  readonly worker: Worker
  /** Why it has ended; null until then. */
  loss: unknown
  /** In order of their requests. */
  readonly waiting: PendingHash[]
}

/** One thread for any number of files. It starts on first use, and again after it has ended. */
export class HashThread {
  readonly #memory: SharedArrayBuffer
  readonly #program: URL
  #running: HashWorker | null = null
  #fileCount = 0

  /** @param memory Contains the bytes of files while they are hashed. @param program Only tests use another. */
  constructor(memory: SharedArrayBuffer, program = new URL('./hash-thread-main.ts', import.meta.url)) {
    this.#memory = memory
    this.#program = program
  }

  /**
   * The digest of a new file. Added bytes must be in the memory, and must not change until the promise resolves.
   * @throws {Error} if the system has no memory or place for a thread
   */
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
        return new Promise((resolve) => wait(running, { answered: () => resolve(), lost: () => resolve() }))
      },
      end: () => {
        if (running.loss !== null) throw lostError(running.loss)
        isOpen = false
        post('end')
        return new Promise((resolve, reject) => {
          const answered = (answer: HashResponse) => {
            if (answer === 'added') reject(lostError(new Error('an answer belongs to another request')))
            else resolve({ sha256: answer.sha256, checksums: Buffer.from(answer.checksums) })
          }
          wait(running, { answered, lost: (error) => reject(lostError(error)) })
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

  #start(): HashWorker {
    const worker = new Worker(this.#program, { workerData: this.#memory })
    const running: HashWorker = { worker, loss: null, waiting: [] }
    this.#running = running
    worker.on('message', (answer: HashResponse) => {
      running.waiting.shift()?.answered(answer)
      // The thread keeps the process alive only while an answer is awaited.
      if (running.waiting.length === 0) worker.unref()
    })
    worker.on('error', (error) => this.#lose(running, error))
    worker.on('exit', (code) => this.#lose(running, new Error(`it ended with exit code ${code}`)))
    worker.unref()
    return running
  }

  /** An error is followed by the exit: the first of them counts. */
  #lose(running: HashWorker, error: unknown): void {
    if (running.loss !== null) return
    running.loss = error
    this.#running = null
    for (const { lost } of running.waiting.splice(0)) lost(error)
  }
}

function wait({ worker, waiting }: HashWorker, request: PendingHash): void {
  if (waiting.length === 0) worker.ref()
  waiting.push(request)
}

/** If a lack of descriptors kept the thread from starting, the error keeps the code for that. */
function lostError(cause: unknown): Error {
  const error = new Error('the thread that hashes files has ended', { cause })
  return toStoreError(Object.assign(error, { code: errorCode(cause) }))
}

const hashThread = bufferMemory instanceof SharedArrayBuffer ? new HashThread(bufferMemory) : null

/**
 * The digest of a file that is written through buffers of the pool; add each buffer when it is full. Null if there is
 * no thread: then it is best to hash bytes as they arrive, while they are in the cache of the core.
 */
export function batchDigest(thread: HashThread | null = hashThread): FileDigest | null {
  if (thread === null) return null
  let chosen: FileDigest | null = null
  const choose = (bytes: Uint8Array) => {
    if (bytes.length < batchBytesMin) return new OwnDigest()
    try {
      return thread.digest()
    } catch {
      return new OwnDigest()
    }
  }
  return {
    add: (bytes) => {
      chosen ??= choose(bytes)
      return chosen.add(bytes)
    },
    end: () => (chosen ?? new OwnDigest()).end(),
    [Symbol.dispose]: () => chosen?.[Symbol.dispose](),
  }
}
