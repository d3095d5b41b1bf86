// Raw servers: hand-written servers on raw sockets that misbehave as real ones do.
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { ClientError, type Failure } from './client-error.ts'
import type { SendProgress } from './request-body.ts'
import type { RetryRules } from './retry.ts'
import type { OutgoingFile } from './upload.ts'

export const quickRules: RetryRules = { retriesMax: 3, pauseMsMin: 1, pauseMsMax: 4, retryAfterMsMax: 5_000 }

/** A server that passes each connection to the test, with its number from 0; closed after the test. */
export async function listen(t: TestContext, onConnection: (socket: Socket, index: number) => void) {
  let count = 0
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    onConnection(socket, count++)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('Cannot listen: no port')
  return { url: new URL(`http://127.0.0.1:${address.port}`), connections: () => count }
}

/** Calls back with everything received so far whenever more arrives. */
export function heard(socket: Socket, listener: (text: string) => void): void {
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
    listener(text)
  })
}

/** Responds with this JSON, as the service does. */
export function answer(socket: Socket, status: string, value: object, headers = ''): void {
  const body = JSON.stringify(value)
  socket.write(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`,
  )
}

export function record(status: number, message: string): object {
  return {
    timestamp: 1,
    status,
    error: 'Some Error',
    exception: 'csvupload.SomeException',
    message,
    path: '/qas/uploadCsv',
  }
}

/** A receipt for content with this SHA-256. */
export function receiptOf(sha256: string, bytes: number): object {
  const records = { total: 1, header: 0, blank: 0, skipped: 0, accepted: 1, rejected: 0 }
  const file = { name: 'a.csv', bytes, sha256 }
  return {
    id: '0'.repeat(32),
    duplicate: false,
    createdAt: 1,
    file,
    records,
    columns: [],
    rejects: { count: 0, reasons: {} },
    parts: [],
    notes: [],
  }
}

/** The failure with which a request ends. */
export async function failed(action: Promise<unknown>): Promise<Failure> {
  const error = await action.then(
    () => new Error('it did not fail'),
    (reason: unknown) => reason,
  )
  if (error instanceof ClientError) return error.failure
  throw error
}

export function newSending(): SendProgress {
  return { phase: 'asking', sentBytes: 0, skippedBytes: 0, attempt: 1, pause: null }
}

export function fileOf(content: Buffer, other: Partial<OutgoingFile> = {}): OutgoingFile {
  return { name: 'a.csv', bytes: content.length, open: (from) => pieces(content, from), declared: new Map(), ...other }
}

async function* pieces(content: Buffer, first = 0): AsyncGenerator<Buffer> {
  for (let from = first; from < content.length; from += 65_536) yield content.subarray(from, from + 65_536)
}
