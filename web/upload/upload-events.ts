// Upload events: events of the service, across broken connections. Uses fetch, since EventSource cannot send a key.
import { isFinished, type UploadStatus } from '../../src/core/upload-status.ts'
import { request } from '../api.ts'
import { Backoff, isTransient } from './backoff.ts'

/** The current status of an upload, and each change until the end. @throws as `eventsAt` */
export async function* uploadEvents(id: string, signal: AbortSignal): AsyncGenerator<UploadStatus> {
  for await (const { data } of eventsAt(`/qas/uploads/${id}/events`, signal)) {
    if (data === null) continue
    const status = JSON.parse(data) as UploadStatus // the shape that the service documents
    yield status
    if (isFinished(status)) return
  }
}

/** The events at an address; one without data for each break. @throws the error of the request, unless it is temporary */
export async function* eventsAt(path: string, signal: AbortSignal) {
  const backoff = new Backoff()
  let lastId: string | null = null
  for (;;) {
    try {
      const headers = { accept: 'text/event-stream', ...(lastId !== null && { 'last-event-id': lastId }) }
      const { body } = await request(path, { headers, signal })
      if (body === null) return
      for await (const one of eventsOf(body)) {
        backoff.reset()
        lastId = one.id
        yield one
      }
    } catch (error) {
      if (signal.aborted || !isTransient(error)) throw error
    }
    yield { event: 'break', id: null, data: null }
    await backoff.wait(signal)
  }
}

/** Events of a stream, as far as the service uses them: each field on one line. */
export async function* eventsOf(body: ReadableStream<Uint8Array>) {
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let held = ''
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      held += decoder.decode(read.value, { stream: true })
      const blocks = held.split('\n\n')
      held = blocks.pop() ?? ''
      for (const block of blocks) {
        const fields = new Map(block.split('\n').map((line) => line.split(/: ?(.*)/s, 2) as [string, string]))
        const [event = 'message', id = null, data] = ['event', 'id', 'data'].map((name) => fields.get(name))
        if (data !== undefined) yield { event, id, data }
      }
    }
  } catch (error) {
    // A connection that breaks ends the stream: the next one has the rest.
    if (!(error instanceof TypeError)) throw error
  } finally {
    await reader.cancel().catch(() => {})
  }
}
