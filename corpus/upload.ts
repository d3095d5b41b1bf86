// Upload: sends a file to the service over a plain socket, in writes of any size, and reads what else it has to say.
import { connect } from 'node:net'

/** An upload that takes longer counts as hung. */
export const hangMs = 30_000

export interface Answer {
  /** 0 where no answer came. */
  readonly status: number
  readonly ms: number
  /** Members of the JSON body; empty where it is none. */
  readonly body: Readonly<Record<string, unknown>>
}

export interface Sending {
  readonly fileName: string
  readonly bytes: Uint8Array
  /** Text of the part `dialect`, sent before the file. */
  readonly dialect?: string
  /** Bytes of the next write, asked before each; left out: all in one. */
  readonly nextWriteBytes?: () => number
}

const boundary = 'csv-upload-corpus-5e1c'

/** Uploads a file as a browser would write it. */
export async function upload(url: string, sending: Sending): Promise<Answer> {
  const body = Buffer.concat([
    ...(sending.dialect === undefined ? [] : [partHead('name="dialect"'), Buffer.from(sending.dialect), lineEnd]),
    partHead(`name="file"; filename="${sending.fileName.replaceAll('"', '%22')}"`, 'text/csv'),
    sending.bytes,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ])
  const { hostname, port } = new URL(url)
  const head = [
    'POST /qas/uploadCsv HTTP/1.1',
    `Host: ${hostname}:${port}`,
    `Content-Type: multipart/form-data; boundary=${boundary}`,
    `Content-Length: ${body.length}`,
    'Connection: close',
  ]
  const startedMs = performance.now()
  const answer = await converse(Number(port), hostname, writesOf(`${head.join('\r\n')}\r\n\r\n`, body, sending))
  return { ...parse(answer), ms: performance.now() - startedMs }
}

/** Fetches bytes of a dataset; an answer other than 200 is an error. */
export async function download(url: string, path: string): Promise<Buffer> {
  const response = await fetch(url + path, { signal: AbortSignal.timeout(hangMs) })
  const bytes = Buffer.from(await response.arrayBuffer())
  if (response.status !== 200) throw new Error(`GET ${path} answered ${response.status}: ${bytes.subarray(0, 300)}`)
  return bytes
}

const lineEnd = Buffer.from('\r\n')

function partHead(disposition: string, contentType = 'application/json'): Buffer {
  return Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\nContent-Type: ${contentType}\r\n\r\n`,
  )
}

function* writesOf(head: string, body: Buffer, { nextWriteBytes }: Sending): Generator<Uint8Array> {
  yield Buffer.from(head)
  for (let at = 0; at < body.length; ) {
    const end = Math.min(body.length, at + (nextWriteBytes?.() ?? body.length))
    yield body.subarray(at, end)
    at = end
  }
}

/** Resolves to all that was answered; a service may answer and close before everything is sent. */
function converse(port: number, host: string, writes: Iterable<Uint8Array>): Promise<Buffer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const socket = connect({ port, host, noDelay: true })
    const finish = () => {
      clearTimeout(timer)
      socket.destroy()
      resolve(Buffer.concat(chunks))
    }
    const timer = setTimeout(finish, hangMs)
    socket
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', finish)
      .on('error', finish)
      .on('close', finish)
    const iterator = writes[Symbol.iterator]()
    const writeNext = (): void => {
      const next = iterator.next()
      if (next.done !== true && !socket.destroyed) socket.write(next.value, writeNext)
    }
    writeNext()
  })
}

function parse(answer: Buffer): Omit<Answer, 'ms'> {
  const headEnd = answer.indexOf('\r\n\r\n')
  const head = answer.subarray(0, Math.max(0, headEnd)).toString('latin1')
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0)
  const rest = answer.subarray(headEnd + 4)
  try {
    const text = (/^transfer-encoding: chunked/im.test(head) ? unchunk(rest) : rest).toString()
    const body: unknown = JSON.parse(text)
    const isObject = typeof body === 'object' && body !== null
    return { status, body: isObject ? (body as Record<string, unknown>) : {} }
  } catch {
    return { status, body: {} }
  }
}

function unchunk(body: Buffer): Buffer {
  const chunks: Buffer[] = []
  for (let at = 0; ; ) {
    const end = body.indexOf('\r\n', at)
    const length = Number.parseInt(body.toString('latin1', at, end), 16)
    if (end < 0 || !(length > 0)) return Buffer.concat(chunks)
    chunks.push(body.subarray(end + 2, end + 2 + length))
    at = end + 2 + length + 2
  }
}
