// Event stream: the status of an upload as server-sent events (WHATWG HTML, section 9.2). Knows no route.
import { byteStream } from '../../core/byte-stream.ts'
import { isFinished, type UploadStatus } from '../../core/upload-status.ts'
import type { UploadWatch } from '../../service/service.ts'
import { uploadStatusJson, uploadTag } from './upload-json.ts'

/** Proxies cut off a connection that is silent for a minute, some for half a minute. */
const heartbeatMs = 15_000
/** How long a browser waits before it reconnects. */
const retryMs = 2_000

/** The bytes are rendered once and sent to every watcher of an upload. */
const rendered = new WeakMap<UploadStatus, Uint8Array>()

/** The id of the event for this status. */
export function eventId(status: UploadStatus): string {
  return uploadTag(status).slice(1, -1)
}

/**
 * Sends the current status, unless the client has it, and each later one until the upload has ended. Disposes the
 * watch.
 *
 * @param lastId Id of the last event that the client received; null for none.
 * @param stop Aborted when the client stops reading.
 */
export function statusEvents(watch: UploadWatch, lastId: string | null, stop: AbortSignal) {
  async function* events(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(`retry: ${retryMs}\n\n`)
    let status = watch.status()
    if (eventId(status) !== lastId) yield eventOf(status)
    while (!isFinished(status) && !stop.aborted) {
      const beat = AbortSignal.any([stop, AbortSignal.timeout(heartbeatMs)])
      while (!isFinished(status) && !beat.aborted) {
        const next = await watch.changed(status.version, beat)
        if (next.version !== status.version) yield eventOf(next)
        status = next
      }
      if (!isFinished(status) && !stop.aborted) yield Buffer.from(':\n\n')
    }
  }
  return byteStream(events(), async () => watch[Symbol.dispose]())
}

function eventOf(status: UploadStatus): Uint8Array {
  const known = rendered.get(status)
  if (known !== undefined) return known
  const text = `id: ${eventId(status)}\ndata: ${JSON.stringify(uploadStatusJson(status))}\n\n`
  // A part of a larger buffer, so its memory is not released after one of its readers has received it.
  const room = Buffer.alloc(Buffer.byteLength(text) + 1)
  const bytes = room.subarray(0, room.write(text))
  rendered.set(status, bytes)
  return bytes
}
