// Client: a process that uploads files as told, one JSON line of standard input a batch, and says how long each took.
import { createReadStream, statSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { createInterface } from 'node:readline'

/** One line in: the files are sent `atOnce` at a time. One line out: the replies in the order of the files. */
export interface Batch {
  readonly url: string
  readonly paths: readonly string[]
  readonly atOnce: number
}

export interface Reply {
  readonly status: number
  /** From the first byte sent to the last byte of the answer. */
  readonly ms: number
  readonly datasetId: string | null
  readonly body: string
}

const boundary = 'csv-upload-bench-7f3a'
const agent = new Agent({ keepAlive: true })

function send(url: string, path: string): Promise<Reply> {
  const before = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="bench.csv"\r\nContent-Type: text/csv\r\n\r\n`
  const after = `\r\n--${boundary}--\r\n`
  return new Promise((resolve, reject) => {
    const headers = {
      'Content-Type': `multipart/form-data; boundary=${boundary}`,
      'Content-Length': Buffer.byteLength(before) + statSync(path).size + after.length,
    }
    const started = performance.now()
    const outgoing = request(url, { method: 'POST', headers, agent }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('error', reject)
      answer.on('end', () => {
        const body = Buffer.concat(chunks).toString()
        const { id } = JSON.parse(body) as { id?: string }
        resolve({ status: answer.statusCode ?? 0, ms: performance.now() - started, datasetId: id ?? null, body })
      })
    })
    outgoing.on('error', reject)
    outgoing.write(before)
    const file = createReadStream(path, { highWaterMark: 262_144 })
    file.on('error', reject)
    file.pipe(outgoing, { end: false })
    file.on('end', () => outgoing.end(after))
  })
}

for await (const line of createInterface({ input: process.stdin })) {
  const { url, paths, atOnce } = JSON.parse(line) as Batch
  const replies: Reply[] = []
  let next = 0
  const worker = async () => {
    for (let i = next++; i < paths.length; i = next++) replies[i] = await send(url, paths[i] as string)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  process.stdout.write(`${JSON.stringify(replies)}\n`)
}
agent.destroy()
