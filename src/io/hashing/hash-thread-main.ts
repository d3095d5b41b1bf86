// Hash thread main: the program of the thread that hashes files, one batch at a time, in order of arrival; its requests.
import { parentPort, workerData } from 'node:worker_threads'
import { type Digest, OwnDigest } from './file-digest.ts'

export interface HashRequest {
  /** `add` and `end` are answered in the order in which they are sent; `drop` is not answered. */
  readonly kind: 'add' | 'end' | 'drop'
  readonly file: number
  /** Offset of the added bytes in the shared memory. */
  readonly at: number
  /** Number of added bytes. */
  readonly bytes: number
}

/** In the digest, the `Buffer` has become a `Uint8Array` in transit. */
export type HashResponse = 'added' | (Omit<Digest, 'checksums'> & { readonly checksums: Uint8Array })

const memory = Buffer.from(workerData as SharedArrayBuffer)
const digests = new Map<number, OwnDigest>()

parentPort?.on('message', (request: HashRequest) => {
  const answer = responseTo(request)
  if (answer !== null) parentPort?.postMessage(answer)
})

function responseTo({ kind, file, at, bytes }: HashRequest): HashResponse | null {
  const digest = digests.get(file) ?? new OwnDigest()
  if (kind === 'add') {
    digests.set(file, digest)
    digest.add(memory.subarray(at, at + bytes))
    return 'added'
  }
  digests.delete(file)
  return kind === 'end' ? digest.end() : null
}
