// Upload events: the status of an upload after every change, across broken connections. Uses fetch, since EventSource cannot send a key.
import { isFinished, type UploadStatus } from '../../src/core/upload-status.ts'
import { request } from '../api.ts'
import { Backoff, isTransient } from './backoff.ts'

/** The current status, and each change until the end. @throws the error of the request, unless it is temporary */
export async function* uploadEvents(id: string, signal: AbortSignal): AsyncGenerator<UploadStatus> {
  const backoff = new Backoff()
  let lastId: string | null = null
  for (;;) {
    try {
      const headers: Record<string, string> = { accept: 'text/event-stream' }
      if (lastId !== null) headers['last-event-id'] = lastId
      const response = await request(`/qas/uploads/${id}/events`, { headers, signal })
      if (response.body === null) return
      for await (const event of eventsOf(response.body)) {
        backoff.renew()
        lastId = event.id
        const status = JSON.parse(event.data) as UploadStatus // the shape that the service documents
        yield status
        if (isFinished(status)) return
      }
    } catch (error) {
      if (signal.aborted || !isTransient(error)) throw error
    }
    signal.throwIfAborted()
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
