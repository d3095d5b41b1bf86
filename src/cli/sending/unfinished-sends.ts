// Unfinished sends: remembers uploads that can be continued, each in a small file, until they are done. Knows no server.
import { createHash } from 'node:crypto'
import { mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { hasMembers } from '../../client/members.ts'
import { replaceFile } from '../save-file.ts'

/** An upload that has begun. It contains no keys: the user must provide them again. */
export interface UnfinishedSend extends FileIdentity {
  readonly uploadId: string
  /** URL of the server that has it. */
  readonly url: string
  /** Absolute path of the file. */
  readonly path: string
  /** What was declared about the file, as JSON text by part name. */
  readonly declared: Readonly<Record<string, string>>
  /** Epoch milliseconds. */
  readonly begunAt: number
}

type FileIdentity = Readonly<Awaited<ReturnType<typeof identityOf>>>

const headBytes = 65_536
/** Beyond this number, the oldest records are deleted. */
const sendsMax = 200
const keptMsMax = 30 * 86_400_000
const recordBytesMax = 65_536

/** Facts that show whether a file is unchanged; `head` is the SHA-256 of its first 64 KiB. @throws any error of reading it */
export async function identityOf(path: string) {
  const { size, mtimeMs } = await stat(path)
  await using file = await open(path)
  const head = Buffer.alloc(Math.min(headBytes, size))
  const { bytesRead } = await file.read(head, 0, head.length, 0)
  return { bytes: size, mtimeMs, head: createHash('sha256').update(head.subarray(0, bytesRead)).digest('hex') }
}

/** How a file differs from its earlier state, in words; null if it does not. */
export function changeOf(was: FileIdentity, is: FileIdentity): string | null {
  if (was.bytes !== is.bytes) return `it had ${was.bytes} bytes and has ${is.bytes}`
  if (was.head !== is.head) return 'it begins differently'
  return was.mtimeMs === is.mtimeMs ? null : 'it was written to'
}

/** A directory of unfinished sends, readable only by its owner. Several processes may use it at once. */
export class UnfinishedSends {
  readonly #dir: string | null

  /** @param stateDir Parent directory; null to remember nothing. */
  constructor(stateDir: string | null) {
    this.#dir = stateDir === null ? null : join(stateDir, 'csv-upload', 'unfinished-sends')
  }

  /** Resolves when the record is durable. @throws any error of writing it */
  async keep(send: UnfinishedSend): Promise<void> {
    if (this.#dir === null) throw new Error('Cannot remember the upload: neither XDG_STATE_HOME nor HOME is set')
    await mkdir(this.#dir, { recursive: true, mode: 0o700 })
    await replaceFile(this.#pathOf(send.uploadId), JSON.stringify(send))
    // Ids of uploads sort by time.
    const names = await this.#names()
    for (const name of names.slice(0, -sendsMax)) await rm(join(this.#dir, name), { force: true })
  }

  async forget(uploadId: string): Promise<void> {
    if (this.#dir !== null) await rm(this.#pathOf(uploadId), { force: true }).catch(() => {})
  }

  /** All records, oldest first. Leaves out unreadable ones and deletes those that are too old. */
  async list(): Promise<readonly UnfinishedSend[]> {
    if (this.#dir === null) return []
    const sends: UnfinishedSend[] = []
    for (const name of await this.#names()) {
      const send = await readSend(join(this.#dir, name))
      if (send === null) continue
      if (Date.now() - send.begunAt > keptMsMax) await this.forget(send.uploadId)
      else sends.push(send)
    }
    return sends
  }

  async #names(): Promise<readonly string[]> {
    const names = await readdir(this.#dir ?? '').catch(() => [])
    return names.filter((name) => name.endsWith('.json')).toSorted()
  }

  #pathOf(uploadId: string): string {
    return join(this.#dir ?? '', `${uploadId}.json`)
  }
}

async function readSend(path: string): Promise<UnfinishedSend | null> {
  try {
    if ((await stat(path)).size > recordBytesMax) return null
    const value: unknown = JSON.parse(await readFile(path, 'utf8'))
    return isSend(value) && path.endsWith(`${value.uploadId}.json`) ? value : null
  } catch {
    return null
  }
}

const sendMembers = {
  uploadId: 'string',
  url: 'string',
  path: 'string',
  head: 'string',
  bytes: 'number',
  mtimeMs: 'number',
  begunAt: 'number',
  declared: 'object',
} as const

function isSend(value: unknown): value is UnfinishedSend {
  if (!hasMembers(value, sendMembers)) return false
  const { uploadId, declared } = value as UnfinishedSend // of these members
  return /^[\w-]{1,100}$/.test(uploadId) && Object.values(declared).every((one) => typeof one === 'string')
}
