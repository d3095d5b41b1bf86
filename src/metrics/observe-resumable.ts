// Observe resumable: counts uploads that arrive in several requests, and their outcomes. Knows no registry.
import type { NewResumable, ResumableUploads, UploadReply } from '../service/service.ts'

interface ResumableMeter {
  begun(): void
  /** A request has continued one after its first byte. */
  resumed(): void
  done(reply: UploadReply): void
  failed(error: unknown): void
}

/** Replies already counted: further requests may wait for the same one. */
const counted = new WeakSet<Promise<UploadReply>>()

export function observedResumable(resumable: ResumableUploads, meter: ResumableMeter): ResumableUploads {
  return {
    ...resumable,
    create: async (upload: NewResumable) => {
      const state = await resumable.create(upload)
      if (!upload.isOneRequest) meter.begun()
      return state
    },
    append: async (id, bytes) => {
      const appended = await resumable.append(id, bytes)
      const { reply } = appended
      if (bytes.offset > 0 && bytes.declaredBytes !== 0) meter.resumed()
      if (reply !== null && !counted.has(reply)) {
        counted.add(reply)
        reply.then(
          (one) => meter.done(one),
          (error) => meter.failed(error),
        )
      }
      return appended
    },
  }
}
