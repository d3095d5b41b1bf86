// Resumable: sends the requests of resumable uploads, and breaks them off at given bytes.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Answer, Client } from './client.ts'

export const tus = { 'tus-resumable': '1.0.0' } as const
export const tusBytes = { ...tus, 'content-type': 'application/offset+octet-stream' } as const

/** Creates an upload by tus; returns its path. */
export async function create(
  client: Client,
  bytes: number | null,
  metadata: Readonly<Record<string, string>> = { filename: 'sample.csv' },
): Promise<string> {
  const pairs = Object.entries(metadata).map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
  const length = bytes === null ? { 'upload-defer-length': '1' } : { 'upload-length': String(bytes) }
  const headers = { ...tus, ...length, 'upload-metadata': pairs.join(','), 'content-length': 0 }
  const answer = await client.ask('POST', '/qas/uploads', undefined, headers)
  assert.equal(answer.status, 201, answer.body.toString())
  return answer.headers.location!
}

/** Adds bytes by tus. */
export async function patch(
  client: Client,
  path: string,
  offset: number,
  content: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const sent = { ...tusBytes, 'upload-offset': String(offset), ...headers }
  return await client.ask('PATCH', path, Buffer.from(content), sent)
}

/** The offset of an upload, by tus. */
export async function offsetOf(client: Client, path: string): Promise<number> {
  const answer = await client.ask('HEAD', path, undefined, tus)
  assert.equal(answer.status, 200, `HEAD ${path}`)
  return Number(answer.headers['upload-offset'])
}

/** Sends a request with only some bytes of its body; the connection stays open. */
export async function begin(
  url: string,
  method: string,
  path: string,
  headers: Readonly<Record<string, string | number>>,
  content: Uint8Array,
): Promise<Socket> {
  const { hostname, port, host } = new URL(url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.on('error', () => {})
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`), content]))
  return socket
}

/** Everything received on a connection until it ends, or until a text is found. */
export async function textOf(socket: Socket, end?: string): Promise<string> {
  let text = ''
  for await (const chunk of socket.setEncoding('latin1')) {
    text += chunk
    if (end !== undefined && text.includes(end)) break
  }
  return text
}
