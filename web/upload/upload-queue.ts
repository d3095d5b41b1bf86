// Upload queue: chosen files, and those being sent, two at a time, each with its phase, rate and outcome. Knows no element.

import { isFinished } from '../../src/core/upload-status.ts'
import { ApiError, cancelUpload, getUpload, UserFacingError } from '../api.ts'
import type { FieldChoices } from '../parts/declared-fields.ts'
import { sharedState } from '../shared-state.ts'
import { t } from '../texts.ts'
import { ensureReadable, Unreadable } from './chosen-files.ts'
import {
  type Fingerprint,
  fingerprintOf,
  forgetUpload,
  isSameFile,
  lockUpload,
  saveUpload,
  type UnfinishedUpload,
  unfinishedUploads,
} from './kept-uploads.ts'
import { endUpload } from './live.ts'
import { type OutgoingFile, resultOf, sendFile, type UploadResult, withRetries } from './send-file.ts'

export type Phase = 'ready' | 'waiting' | 'sending' | 'processing' | 'paused' | 'done' | 'failed' | 'canceled'

export interface QueuedUpload extends OutgoingFile {
  readonly number: number
  readonly name: string
  /** Null while it must be chosen again, and for what cannot be sent. */
  readonly file: File | null
  /** Tells whether a file is the same, once its upload has begun. */
  readonly fingerprint: Fingerprint | null
  /** What the user says about its columns, as the page shows it. */
  readonly choices: FieldChoices
  readonly phase: Phase
  /** True if its beginning shows that the service would refuse it. */
  readonly isRefused: boolean
  readonly result: UploadResult | null
  readonly error: unknown
}

/** Browsers open six connections to a server: each of these uploads takes two. */
const runningMax = 2

const nothingDeclared = { dialect: {}, choices: new Map(), schema: null }

const nothingSent = {
  isRefused: false,
  id: null,
  sentBytes: 0,
  rate: 0,
  isBroken: false,
  status: null,
  result: null,
  error: null,
  fingerprint: null,
}

class UploadQueue {
  readonly #state = sharedState<{ readonly uploads: readonly QueuedUpload[] }>({ uploads: [] })
  /** The uploads, with every change. */
  readonly use = this.#state.use
  readonly #controllers = new Map<number, AbortController>()
  #lastNumber = 0

  constructor() {
    // Only while leaving would interrupt something, or lose a file that was chosen.
    addEventListener('beforeunload', (event) => {
      if (this.#uploads.some(({ phase }) => ['ready', 'waiting', 'sending'].includes(phase))) event.preventDefault()
    })
    void this.#restore()
  }

  get #uploads(): readonly QueuedUpload[] {
    return this.#state.current().uploads
  }

  /** Nothing is sent before the user says so, except files whose upload has already begun. */
  async add(files: readonly File[], folders: ReadonlySet<File> = new Set()): Promise<void> {
    for (const [at, file] of files.entries()) {
      const { name, size } = file
      const known = { name, size, ...nothingDeclared, ...nothingSent }
      const fault = folders.has(file) ? t.folder : size === 0 ? t.emptyFile : null
      if (fault !== null) this.#add({ ...known, file: null, phase: 'failed', error: new UserFacingError(fault) }, at)
      else if (!(await this.#resumeWith(file))) this.#add({ ...known, file, phase: 'ready' }, at)
    }
  }

  declare(number: number, declared: Partial<Pick<QueuedUpload, 'dialect' | 'choices' | 'schema'>>): void {
    this.#update(number, declared)
  }

  setRefused(number: number, isRefused: boolean): void {
    if (this.#find(number)?.isRefused !== isRefused) this.#update(number, { isRefused })
  }

  send(...numbers: readonly number[]): void {
    for (const number of numbers) this.#update(number, { phase: 'waiting', error: null })
    this.#startNext()
  }

  /** Bytes that have arrived stay at the service. */
  pause(number: number): void {
    this.#controllers.get(number)?.abort(new Error('paused'))
    this.#update(number, { phase: 'paused', isBroken: false })
    this.#startNext()
  }

  cancel(number: number): void {
    this.#controllers.get(number)?.abort(new Error(t.phases.canceled))
    const id = this.#find(number)?.id ?? null
    if (id !== null) {
      void forgetUpload(id)
      endUpload(id)
      // It may have ended in the meantime.
      void cancelUpload(id).catch(() => {})
    }
    this.#update(number, { ...nothingSent, phase: 'canceled' })
    this.#startNext()
  }

  remove(number: number): void {
    this.#state.change({ uploads: this.#uploads.filter((upload) => upload.number !== number) })
  }

  #find(number: number): QueuedUpload | undefined {
    return this.#uploads.find((upload) => upload.number === number)
  }

  /** The last choice stands first, its files in the order in which the browser names them. */
  #add(upload: Omit<QueuedUpload, 'number'>, at: number): number {
    const number = ++this.#lastNumber
    this.#state.change({ uploads: this.#uploads.toSpliced(at, 0, { number, ...upload }) })
    return number
  }

  /** True for a file whose upload waits for it. */
  async #resumeWith(file: File): Promise<boolean> {
    const alike = (one: QueuedUpload) => one.file === null && one.name === file.name && one.size === file.size
    if (!this.#uploads.some(alike)) return false
    const chosen = await fingerprintOf(file)
    const found = this.#uploads.find(
      (one) => alike(one) && one.fingerprint !== null && isSameFile(one.fingerprint, chosen),
    )
    if (found === undefined) return false
    this.#update(found.number, { file })
    this.send(found.number)
    return true
  }

  /** Uploads that were unfinished when the page was closed, each once no other tab works on it. */
  async #restore(): Promise<void> {
    await Promise.all((await unfinishedUploads()).map((unfinished) => this.#restoreUpload(unfinished)))
  }

  async #restoreUpload({ id, dialect, fingerprint }: UnfinishedUpload): Promise<void> {
    const { signal } = new AbortController()
    const release = await lockUpload(id, signal)
    release?.()
    const asked = withRetries(
      () => {},
      signal,
      () => getUpload(id),
    )
    const status = await asked.catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 410) void forgetUpload(id)
      return null
    })
    if (status === null) return
    // The other tab may have finished or cancelled it.
    if (!(await unfinishedUploads()).some((one) => one.id === id)) return
    if (isFinished(status)) void forgetUpload(id)
    if (status.phase === 'failed' || status.phase === 'expired') return
    const { name, size } = fingerprint
    const sentBytes = status.bytes.received
    const known = {
      ...nothingSent,
      name,
      size,
      file: null,
      fingerprint,
      ...nothingDeclared,
      dialect,
      id,
      status,
      sentBytes,
    }
    if (status.phase === 'done') {
      this.#add({ ...known, phase: 'done', result: resultOf(status) }, 0)
      return
    }
    // Of a file that has arrived, nothing is needed any more.
    const file = sentBytes === size ? new File([], name) : null
    const number = this.#add({ ...known, phase: 'paused', file }, 0)
    if (sentBytes === size) this.send(number)
  }

  #startNext(): void {
    const running = this.#uploads.filter(({ phase }) => phase === 'sending' || phase === 'processing').length
    const waiting = this.#uploads.filter(({ phase }) => phase === 'waiting').toSorted((a, b) => a.number - b.number)
    for (const upload of waiting.slice(0, Math.max(0, runningMax - running))) void this.#run(upload)
  }

  async #run(upload: QueuedUpload): Promise<void> {
    const { number, size, file } = upload
    if (file === null) return
    const controller = new AbortController()
    const { signal } = controller
    this.#controllers.set(number, controller)
    this.#update(number, { phase: 'sending' })
    const update = (change: Partial<QueuedUpload>) => this.#update(number, change)
    try {
      await ensureReadable(file)
      const onBegun = (id: string) => this.#saveUnfinished(upload, file, id)
      const result = await sendFile({ upload, file, update, onBegun, signal })
      const id = this.#find(number)?.id ?? null
      if (id !== null) void forgetUpload(id)
      update({ phase: 'done', result, sentBytes: size })
    } catch (error) {
      if (!signal.aborted) this.#failed(number, error)
    }
    this.#startNext()
  }

  async #saveUnfinished({ number, dialect }: QueuedUpload, file: File, id: string): Promise<void> {
    const fingerprint = await fingerprintOf(file)
    this.#update(number, { fingerprint })
    await saveUpload({ id, fingerprint, dialect, begunAt: Date.now() })
  }

  /** An upload that the service has refused starts over when it is retried. */
  #failed(number: number, error: unknown): void {
    const id = this.#find(number)?.id ?? null
    if (error instanceof Unreadable) {
      // An upload that has begun goes on if the same file is back and chosen again.
      this.#update(number, { phase: id === null ? 'failed' : 'paused', file: null, error, isBroken: false })
      return
    }
    const isOver = error instanceof ApiError && error.status >= 400 && error.status < 500
    if (id !== null && isOver) void forgetUpload(id)
    this.#update(number, { phase: 'failed', error, isBroken: false, ...(isOver && { id: null, sentBytes: 0 }) })
  }

  #update(number: number, change: Partial<QueuedUpload>): void {
    const uploads = this.#uploads.map((upload) => (upload.number === number ? { ...upload, ...change } : upload))
    this.#state.change({ uploads })
  }
}

/** The uploads of this tab. */
export const queue = new UploadQueue()
