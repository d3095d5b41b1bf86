// Running uploads: those in progress, whoever sends them: found by a periodic list, and followed by their events.
import { isFinished, type UploadStatus } from '../../src/core/upload-status.ts'
import { listUploads } from '../api.ts'
import { uploadEvents } from './upload-events.ts'

/** Interval between searches for new ones; shorter if not all can be followed. */
const lookMs = 5_000
const crowdedLookMs = 1_000
/** Browsers open six connections to a server: four are for the uploads of this page. */
const followedMax = 1

export class RunningUploads {
  #known = new Map<string, UploadStatus>()
  readonly #followed = new Set<string>()
  readonly #stop = new AbortController()
  readonly #isOwn: (id: string) => boolean
  readonly #onChange: (running: readonly UploadStatus[]) => void

  /** @param isOwn True for uploads that are followed elsewhere. */
  constructor(isOwn: (id: string) => boolean, onChange: (running: readonly UploadStatus[]) => void) {
    this.#isOwn = isOwn
    this.#onChange = onChange
    void this.#look()
  }

  close(): void {
    this.#stop.abort()
  }

  async #look(): Promise<void> {
    const { signal } = this.#stop
    const found = document.hidden ? null : await listUploads(signal).catch(() => [])
    if (signal.aborted) return
    if (found !== null) {
      const running = found.filter((status) => !isFinished(status))
      this.#known = new Map(running.map((status) => [status.id, status]))
      this.#changed()
      for (const { id } of running) void this.#follow(id)
    }
    const isCrowded = [...this.#known.keys()].some((id) => !this.#followed.has(id) && !this.#isOwn(id))
    setTimeout(() => signal.aborted || void this.#look(), isCrowded ? crowdedLookMs : lookMs)
  }

  async #follow(id: string): Promise<void> {
    if (this.#followed.size >= followedMax || this.#followed.has(id) || this.#isOwn(id)) return
    this.#followed.add(id)
    try {
      for await (const status of uploadEvents(id, this.#stop.signal)) {
        if (isFinished(status)) this.#known.delete(id)
        else this.#known.set(id, status)
        this.#changed()
      }
    } catch {
      // It is gone: the next list shows that.
    }
    this.#followed.delete(id)
  }

  #changed(): void {
    this.#onChange([...this.#known.values()])
  }
}
