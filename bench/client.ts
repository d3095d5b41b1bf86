// Client: a process that uploads files and reports how long each took. Takes batches as lines of JSON on stdin.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'

/** One line of input: the files are sent `atOnce` at a time. The line of output has the replies in the same order. */
export interface Batch {
  readonly url: string
  readonly paths: readonly string[]
  readonly atOnce: number
  /** A Table Schema, sent before the file. */
  readonly schema?: string
}

export interface Reply {
  readonly status: number
  /** From the first byte sent to the last byte of the response. */
  readonly ms: number
  /** From the last byte sent to the last byte of the response. */
  readonly afterLastByteMs: number
  readonly datasetId: string | null
  readonly body: string
}

const boundary = 'csv-upload-bench-7f3a'
const part = (name: string) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"`
const beforeFile = `${part('file')}; filename="bench.csv"\r\nContent-Type: text/csv\r\n\r\n`
const after = `\r\n--${boundary}--\r\n`
const pieceBytes = 262_144

/**
 * Sends over a plain socket and reads the file on this thread, because the client shares the cores with the service:
 * Node's HTTP client takes twice the CPU time for 1 GB, and asynchronous reads would wake another thread each time.
 */
async function send(url: string, path: string, schema?: string): Promise<Reply> {
  const before = schema === undefined ? beforeFile : `${part('schema')}\r\n\r\n${schema}\r\n${beforeFile}`
  const { hostname, port, pathname } = new URL(url)
  const pieces = requestPieces(path, before, (fileBytes) => [
    `POST ${pathname} HTTP/1.1`,
    `Host: ${hostname}:${port}`,
    `Content-Type: multipart/form-data; boundary=${boundary}`,
    `Content-Length: ${before.length + fileBytes + after.length}`,
    'Connection: close',
  ])
  // Read before the clock starts, as in a client that sends data from memory.
  let piece = pieces.next()
  const socket = connect(Number(port), hostname)
  const answer = readToEnd(socket)
  const startedMs = performance.now()
  let sent = Promise.resolve()
  for (; !piece.done; piece = pieces.next()) {
    await sent
    sent = write(socket, piece.value)
  }
  await sent
  const sentMs = performance.now()
  const [first = '', ...rest] = (await answer).split('\r\n\r\n')
  const answeredMs = performance.now()
  const body = unchunk(rest.join('\r\n\r\n'))
  const { id } = JSON.parse(body) as { id?: string }
  const status = Number(first.split(' ')[1])
  return { status, ms: answeredMs - startedMs, afterLastByteMs: answeredMs - sentMs, datasetId: id ?? null, body }
}

/** Head and body in pieces. A piece must be sent before the next but one is requested, which reuses its memory. */
function* requestPieces(
  path: string,
  before: string,
  headLines: (fileBytes: number) => readonly string[],
): Generator<Uint8Array> {
  const file = openSync(path, 'r')
  try {
    const memories = [Buffer.alloc(pieceBytes), Buffer.alloc(pieceBytes)] as const
    let left = fstatSync(file).size
    let filled = memories[0].write(`${headLines(left).join('\r\n')}\r\n\r\n${before}`)
    for (let turn: 0 | 1 = 0; ; turn = turn === 0 ? 1 : 0) {
      const memory = memories[turn]
      const count = readSync(file, memory, filled, Math.min(left, pieceBytes - filled - after.length), null)
      if (count === 0 && left > 0) throw new Error(`Cannot send ${path}: it was truncated meanwhile`)
      left -= count
      filled += count
      if (left === 0) filled += memory.write(after, filled)
      yield memory.subarray(0, filled)
      if (left === 0) return
      filled = 0
    }
  } finally {
    closeSync(file)
  }
}

function write(socket: Socket, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => socket.write(bytes, (error) => (error ? reject(error) : resolve())))
}

async function readToEnd(socket: Socket): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk as Buffer)
  // One byte per character, because chunk lengths are in bytes.
  return Buffer.concat(chunks).toString('latin1')
}

function unchunk(body: string): string {
  let text = ''
  for (let rest = body; ; ) {
    const lineEnd = rest.indexOf('\r\n')
    const length = Number.parseInt(rest.slice(0, lineEnd), 16)
    if (!(length > 0)) return Buffer.from(text, 'latin1').toString()
    text += rest.slice(lineEnd + 2, lineEnd + 2 + length)
    rest = rest.slice(lineEnd + 4 + length)
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const { url, paths, atOnce, schema } = JSON.parse(line) as Batch
  const replies: Reply[] = []
  let next = 0
  const worker = async () => {
    for (let i = next++; i < paths.length; i = next++) replies[i] = await send(url, paths[i] as string, schema)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  process.stdout.write(`${JSON.stringify(replies)}\n`)
}
