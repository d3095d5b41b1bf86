// tus client: sends a file by tus 1.0 over plain sockets, and breaks connections at given offsets. Knows no service.
import { once } from 'node:events'
import { open, stat } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'

const pieceBytes = 262_144

export interface TusSent {
  /** The URL of the upload. */
  readonly url: string
  readonly ms: number
  /** Bytes of the file written to connections, including those lost with them. */
  readonly sentBytes: number
  /** After each break: from reconnecting until the service asks for bytes, in milliseconds. */
  readonly comeBackMs: readonly number[]
}

/**
 * Sends a file; resolves when the last request has its response.
 *
 * @param endpoint Where uploads are created.
 * @param breaks Offsets, in order, at which the connection is broken.
 * @param begun The URL of an existing upload; by default, a new one is created.
 */
export async function sendByTus(
  endpoint: string,
  path: string,
  breaks: readonly number[],
  begun?: string,
): Promise<TusSent> {
  const { size } = await stat(path)
  await using file = await open(path)
  const startedMs = performance.now()
  const url = begun ?? (await createByTus(endpoint, size))
  const piece = Buffer.alloc(pieceBytes)
  const comeBackMs: number[] = []
  let sentBytes = 0
  for (let turn = 0; turn <= breaks.length; turn += 1) {
    const backMs = performance.now()
    const offset = turn === 0 ? 0 : await offsetByTus(url)
    const end = breaks[turn] ?? size
    const socket = await patchByTus(url, offset, size - offset)
    if (turn > 0) comeBackMs.push(performance.now() - backMs)
    const answer = textOf(socket)
    for (let at = offset; at < end; ) {
      const { bytesRead } = await file.read(piece, 0, Math.min(pieceBytes, end - at), at)
      await write(socket, Buffer.from(piece.subarray(0, bytesRead)))
      sentBytes += bytesRead
      at += bytesRead
    }
    if (end < size) socket.destroy()
    else checkStatus(await answer, 204)
  }
  return { url, ms: performance.now() - startedMs, sentBytes, comeBackMs }
}

/** Creates an upload; returns its URL. */
export async function createByTus(endpoint: string, bytes: number): Promise<string> {
  const headers = { 'tus-resumable': '1.0.0', 'upload-length': String(bytes) }
  const answer = await fetch(endpoint, { method: 'POST', headers })
  const location = answer.headers.get('location')
  if (answer.status !== 201 || location === null) throw new Error(`Cannot create an upload: ${answer.status}`)
  return new URL(location, endpoint).href
}

async function offsetByTus(url: string): Promise<number> {
  const answer = await fetch(url, { method: 'HEAD', headers: { 'tus-resumable': '1.0.0' } })
  const offset = Number(answer.headers.get('upload-offset') ?? 'none')
  if (Number.isNaN(offset)) throw new Error(`Cannot continue an upload: ${answer.status}`)
  return offset
}

/** Sends the head of a request that adds bytes; resolves when the service asks for them. */
export async function patchByTus(url: string, offset: number, bytes: number): Promise<Socket> {
  const { hostname, port, host, pathname } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  const head = [
    `PATCH ${pathname} HTTP/1.1`,
    `Host: ${host}`,
    'Tus-Resumable: 1.0.0',
    'Content-Type: application/offset+octet-stream',
    `Upload-Offset: ${offset}`,
    `Content-Length: ${bytes}`,
    'Expect: 100-continue',
    'Connection: close',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  const [first] = (await once(socket, 'data')) as [Buffer]
  checkStatus(first.toString('latin1'), 100)
  return socket
}

async function textOf(socket: Socket): Promise<string> {
  let text = ''
  socket.on('data', (chunk) => (text += chunk.toString('latin1')))
  await once(socket, 'close')
  return text
}

function checkStatus(answer: string, status: number): void {
  if (answer.startsWith(`HTTP/1.1 ${status} `)) return
  throw new Error(`Cannot send: the response is '${answer.slice(0, 500)}', expected ${status}`)
}

export async function write(socket: Socket, bytes: Uint8Array): Promise<void> {
  if (!socket.write(bytes)) await Promise.race([once(socket, 'drain'), once(socket, 'close')])
  if (socket.destroyed) throw new Error('Cannot send: the connection has ended')
}
