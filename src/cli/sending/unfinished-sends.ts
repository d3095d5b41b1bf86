// Unfinished sends: remembers uploads that can be continued, each in a small file, until they are done. Knows no server.
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { hasMembers, parseJson } from '../../client/members.ts'
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

const keptMsMax = 30 * 86_400_000

/** Whether a file is unchanged is proved by the hash of its upload; these facts show most changes before. */
export async function identityOf(path: string) {
  const { size, mtimeMs } = await stat(path)
  return { bytes: size, mtimeMs }
}

/** How a file differs from its earlier state, in words; null if it does not. */
export function changeOf(was: FileIdentity, is: FileIdentity): string | null {
  if (was.bytes !== is.bytes) return `it had ${was.bytes} bytes and has ${is.bytes}`
  return was.mtimeMs === is.mtimeMs ? null : 'it was written to'
}

/** A directory of unfinished sends, readable only by its owner. Several processes may use it at once. */
export class UnfinishedSends {
  readonly #dir: string

  constructor(stateDir: string) {
    this.#dir = join(stateDir, 'csv-upload', 'unfinished-sends')
  }

  /** Resolves when the record is durable. @throws any error of writing it */
  async keep(send: UnfinishedSend): Promise<void> {
    await mkdir(this.#dir, { recursive: true, mode: 0o700 })
    await replaceFile(this.#pathOf(send.uploadId), JSON.stringify(send))
  }

  async forget(uploadId: string): Promise<void> {
    await rm(this.#pathOf(uploadId), { force: true }).catch(() => {})
  }

  /** All records, oldest first. Leaves out unreadable ones and deletes those that are too old. */
  async list(): Promise<readonly UnfinishedSend[]> {
    const sends: UnfinishedSend[] = []
    // Ids of uploads sort by time.
    for (const name of (await readdir(this.#dir).catch(() => [])).toSorted()) {
      const send = parseJson(await readFile(join(this.#dir, name), 'utf8').catch(() => ''))
      if (!isSend(send) || name !== `${send.uploadId}.json`) continue
      if (Date.now() - send.begunAt > keptMsMax) await this.forget(send.uploadId)
      else sends.push(send)
    }
    return sends
  }

  #pathOf(uploadId: string): string {
    return join(this.#dir, `${uploadId}.json`)
  }
}

const sendMembers = {
  uploadId: 'string',
  url: 'string',
  path: 'string',
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
