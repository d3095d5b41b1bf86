// Hash thread main: the program of the thread that hashes files, one batch at a time, in order of arrival.
import { parentPort, workerData } from 'node:worker_threads'
import { OwnDigest } from './file-digest.ts'
import type { HashAnswer, HashRequest } from './hash-request.ts'

const memory = Buffer.from(workerData as SharedArrayBuffer)
const digests = new Map<number, OwnDigest>()

parentPort?.on('message', (request: HashRequest) => {
  const answer = answerTo(request)
  if (answer !== null) parentPort?.postMessage(answer)
})

function answerTo({ kind, file, at, bytes }: HashRequest): HashAnswer | null {
  const digest = digests.get(file) ?? new OwnDigest()
  if (kind === 'add') {
    digests.set(file, digest)
    digest.add(memory.subarray(at, at + bytes))
    return 'added'
  }
  digests.delete(file)
  return kind === 'end' ? digest.end() : null
}
