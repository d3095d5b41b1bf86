// Outgoing upload: one file being sent, resumable if it is large, remembered until it is done. Prints nothing.
import { basename, resolve } from 'node:path'
import type { Client } from '../../client/client.ts'
import { ClientError } from '../../client/client-error.ts'
import type { SendProgress } from '../../client/request-body.ts'
import type { SentReceipt } from '../../client/response-shapes.ts'
import { endsUpload } from '../../client/resumable-upload.ts'
import { outcomeOf } from '../command-error.ts'
import { exitCodes } from '../exit-codes.ts'
import { messageOf } from '../system-messages.ts'
import { fileAt, type NamedFile } from './files-to-send.ts'
import { changeOf, identityOf, type UnfinishedSend, type UnfinishedSends } from './unfinished-sends.ts'

/** Smaller files are sent again, which is faster than resuming them. Bytes. */
export const resumableBytesMin = 8_388_608

/** An upload to continue. */
interface UnfinishedUpload {
  readonly uploadId: string
  /** Why it cannot be continued; null if it can. */
  readonly problem: Error | null
}

export class OutgoingUpload {
  readonly file: NamedFile
  readonly sending: SendProgress = { phase: 'asking', sentBytes: 0, skippedBytes: 0, attempt: 1, pause: null }
  /** The part of the receipt that is needed at the end; the receipts of many files are not held in memory. */
  records: SentReceipt['records'] | null = null
  verdict: SentReceipt['verdict']
  error: unknown = null
  tookMs = 0
  /** True while the upload is remembered. */
  canContinue = false
  #uploadId: string | null
  readonly #problem: Error | null
  #beganMs = 0

  constructor(file: NamedFile, continued: UnfinishedUpload | null) {
    this.file = file
    this.#uploadId = continued?.uploadId ?? null
    this.#problem = continued?.problem ?? null
    this.canContinue = continued !== null
  }

  /**
   * Resolves with null if it failed; `error` has the reason. Rejects only if the whole command ends.
   *
   * @param stoppedBy Why further requests are pointless, if they are.
   */
  async run(
    client: Client,
    unfinished: UnfinishedSends,
    signal: AbortSignal,
    stoppedBy: unknown,
  ): Promise<SentReceipt | null> {
    this.#beganMs = performance.now()
    try {
      if (this.#problem !== null) await this.#forget(unfinished)
      const problem = this.#problem ?? stoppedBy
      if (problem) throw problem
      const sent = await this.#send(client, unfinished)
      this.tookMs = performance.now() - this.#beganMs
      this.records = sent.records
      this.verdict = sent.verdict
      return sent
    } catch (error) {
      signal.throwIfAborted()
      this.error = error
      return null
    }
  }

  get isRunning(): boolean {
    return this.#beganMs > 0 && !this.isDone
  }

  get isDone(): boolean {
    return this.records !== null || this.error !== null
  }

  /** A failure that, after all retries, would affect all files. */
  get stopsAll(): boolean {
    if (!(this.error instanceof ClientError)) return false
    return this.error.failure.kind === 'unreachable' || outcomeOf(this.error).code === exitCodes.refusedKey
  }

  async #send(client: Client, unfinished: UnfinishedSends): Promise<SentReceipt> {
    const { file, sending } = this
    const { bytes, path } = file
    if (bytes === null || path === null) return await client.send(file, sending)
    if (this.#uploadId === null && bytes < resumableBytesMin) return await client.send(file, sending)
    const identity = await identityOf(path)
    const onBegun = async (uploadId: string) => {
      await this.#forget(unfinished)
      this.#uploadId = uploadId
      const declared = Object.fromEntries(file.declared)
      const begun = { uploadId, url: client.url.href, path, declared, begunAt: Date.now(), ...identity }
      // If it cannot be remembered, only this process can resume it.
      this.canContinue = await unfinished.keep(begun).then(
        () => true,
        () => false,
      )
    }
    try {
      const sent = await client.sendResumable({ ...file, bytes }, sending, { id: this.#uploadId, onBegun })
      await this.#forget(unfinished)
      return sent ?? (await client.send(file, sending))
    } catch (error) {
      if (error instanceof ClientError && endsUpload(error.failure)) await this.#forget(unfinished)
      throw error
    }
  }

  async #forget(unfinished: UnfinishedSends): Promise<void> {
    if (this.#uploadId !== null) await unfinished.forget(this.#uploadId)
    this.canContinue = false
  }
}

/**
 * The unfinished uploads to a server, and the other servers that have some.
 *
 * @param paths Files whose uploads to continue; empty for all.
 */
export async function uploadsToContinue(
  unfinished: readonly UnfinishedSend[],
  serverUrl: string,
  paths: readonly string[],
) {
  const chosen = paths.map((path) => resolve(path))
  const sends = unfinished.filter(({ path }) => chosen.length === 0 || chosen.includes(path))
  const otherUrls = new Set(sends.flatMap(({ url }) => (url === serverUrl ? [] : [url])))
  return { uploads: await Promise.all(sends.filter(({ url }) => url === serverUrl).map(uploadOf)), otherUrls }
}

async function uploadOf(send: UnfinishedSend): Promise<OutgoingUpload> {
  const { uploadId, path } = send
  const declared = new Map(Object.entries(send.declared))
  try {
    const change = changeOf(send, await identityOf(path))
    const file = await fileAt(path, declared)
    const message = `Cannot continue: the file has changed since its upload began (${change}); send it again`
    return new OutgoingUpload(file, { uploadId, problem: change === null ? null : new Error(message) })
  } catch (error) {
    const gone: NamedFile = { as: path, name: basename(path), declared, bytes: null, path, open: () => process.stdin }
    return new OutgoingUpload(gone, { uploadId, problem: new Error(messageOf(error)) })
  }
}
