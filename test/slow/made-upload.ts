// Made upload: sends files that are generated while they are sent, and measures memory. Knows no expectations.
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { json } from 'node:stream/consumers'
import { type UploadResponse, uploadFraming } from '../support/client.ts'
import type { RunningService } from '../support/running-service.ts'

export const megabyte = 1_000_000

/** Highest resident memory of a process so far, in megabytes of 1,000,000 bytes. */
export function peakMegabytes(pid: number): number {
  const line = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return (Number(line?.[1] ?? 0) * 1_024) / megabyte
}

/** Sends a file; returns the response, a receipt or an error. */
export async function sendMade(
  service: RunningService,
  content: Iterable<string | Uint8Array>,
): Promise<{ readonly status: number; readonly answer: unknown }> {
  const { contentType, before, behind } = uploadFraming({})
  const url = new URL('/qas/uploadCsv', service.url)
  const outgoing = request(url, { method: 'POST', agent: false, headers: { 'content-type': contentType } })
  const answered = new Promise<{ status: number; answer: unknown }>((resolve, reject) => {
    outgoing.on('error', reject)
    outgoing.on('response', (incoming) => {
      json(incoming).then((answer) => resolve({ status: incoming.statusCode ?? 0, answer }), reject)
    })
  })
  let isAnswered = false
  const finish = () => {
    isAnswered = true
  }
  answered.then(finish, finish)
  outgoing.write(before)
  for (const piece of content) {
    // A refusal may arrive while the file is still being sent.
    if (isAnswered) break
    if (!outgoing.write(piece))
      await Promise.race([new Promise((resolve) => outgoing.once('drain', resolve)), answered])
  }
  outgoing.end(behind)
  return answered
}

/** The same for a file that must be accepted. */
export async function uploadMade(
  service: RunningService,
  content: Iterable<string | Uint8Array>,
): Promise<UploadResponse> {
  const { answer } = await sendMade(service, content)
  return answer as UploadResponse // other tests verify the type of responses
}

export function* repeated(head: string | Uint8Array, piece: string | Uint8Array, times: number) {
  yield head
  for (let i = 0; i < times; i++) yield piece
}
