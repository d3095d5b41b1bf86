// Watch upload: yields the status of an upload and each later one, from server-sent events or by polling. Knows no terminal.
import type { IncomingMessage } from 'node:http'
import { isFinished } from '../core/upload-status.ts'
import { ClientError, type Failure, isTransient } from './client-error.ts'
import { bytesOf, type Http } from './http.ts'
import { parseJson } from './members.ts'
import { readAs, type SentStatus, shapes } from './response-shapes.ts'
import { pause, pauseBefore, type RetryRules } from './retry.ts'

export interface WatchRules extends RetryRules {
  /** Polling interval without events. */
  readonly askEveryMs: number
}

const eventLengthMax = 4_194_304

/**
 * Yields the status, and each later one until the upload has ended. Reopens lost connections, as often in a row as the
 * rules allow, and continues after the last event.
 *
 * @throws {ClientError} as for any request
 */
export async function* watchUpload(
  http: Http,
  id: string,
  rules: WatchRules,
  signal: AbortSignal,
): AsyncGenerator<SentStatus> {
  const path = `/qas/uploads/${encodeURIComponent(id)}`
  let usesEvents = true
  /** The server has no more events, since the upload has ended. */
  let isEnded = false
  /** Id of the last event, or the last response. */
  let last: string | null = null
  async function* events(): AsyncGenerator<SentStatus> {
    const headers = { accept: 'text/event-stream', ...(last !== null && { 'last-event-id': last }) }
    const response = await http.ask({ method: 'GET', path: `${path}/events`, headers }, signal)
    try {
      isEnded = response.statusCode === 204
      usesEvents = isEnded || /^text\/event-stream\b/.test(response.headers['content-type'] ?? '')
      if (isEnded || !usesEvents) return
      for await (const event of eventsOf(response, signal)) {
        last = event.id ?? last
        yield readAs(shapes.status, parseJson(event.data))
      }
    } finally {
      response.destroy()
    }
    throw ClientError.of('cut', 'Cannot watch further: the events ended before the upload')
  }
  /** The current status, if it has changed. */
  async function* current(): AsyncGenerator<SentStatus> {
    const status = readAs(shapes.status, await http.json({ method: 'GET', path }, signal))
    const text = JSON.stringify(status)
    if (text !== last || isFinished(status)) yield status
    last = text
  }
  for (let failures = 0; !isEnded; ) {
    try {
      for await (const status of usesEvents ? events() : current()) {
        failures = 0
        yield status
        if (isFinished(status)) return
      }
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof ClientError)) throw error
      const { failure } = error
      failures += 1
      const pauseMs = failures > rules.retriesMax ? null : pauseBefore(failures, failure, rules)
      if (usesEvents && (hasNoEvents(failure) || (pauseMs === null && failure.kind === 'cut'))) {
        usesEvents = false
        failures = 0
        continue
      }
      if (!isTransient(failure) || pauseMs === null) throw error
      await pause(pauseMs, signal)
      continue
    }
    if (!isEnded && !usesEvents) await pause(rules.askEveryMs, signal)
  }
}

/** Events as in WHATWG HTML section 9.2: fields on lines, an event up to an empty line. */
async function* eventsOf(response: IncomingMessage, signal: AbortSignal) {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of bytesOf(response, signal)) {
    text += decoder.decode(chunk, { stream: true })
    const events = text.split(/\r\n\r\n|\n\n|\r\r/)
    text = events.pop() ?? ''
    for (const event of events) {
      const fields = event.split(/\r\n|\n|\r/).map((line) => /^([^:]*):? ?(.*)$/.exec(line) ?? [])
      const valuesOf = (name: string) => fields.filter(([, field]) => field === name).map(([, , value = '']) => value)
      const data = valuesOf('data')
      if (data.length > 0) yield { id: valuesOf('id').at(-1) ?? null, data: data.join('\n') }
    }
    if (text.length > eventLengthMax) {
      throw ClientError.of('wrong', `Cannot watch: an event is longer than ${eventLengthMax} characters`)
    }
  }
}

/** A server, or an intermediary, that sends none. */
function hasNoEvents(failure: Failure): boolean {
  if (failure.kind !== 'refused') return false
  if (failure.record?.exception.endsWith('.UploadNotFoundException')) return false
  if (failure.record?.exception.endsWith('.TooManyWatchersException')) return true
  return [404, 405, 406, 501].includes(failure.status)
}
