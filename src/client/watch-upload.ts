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
  const watch = new Watch(http, id, signal)
  for (let failures = 0; !watch.isEnded; ) {
    try {
      for await (const status of watch.usesEvents ? watch.events() : watch.current()) {
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
      if (watch.usesEvents && (hasNoEvents(failure) || (pauseMs === null && failure.kind === 'cut'))) {
        watch.usesEvents = false
        failures = 0
        continue
      }
      if (!isTransient(failure) || pauseMs === null) throw error
      await pause(pauseMs, signal)
      continue
    }
    if (!watch.isEnded && !watch.usesEvents) await pause(rules.askEveryMs, signal)
  }
}

class Watch {
  usesEvents = true
  /** The server has no more events, since the upload has ended. */
  isEnded = false
  readonly #http: Http
  readonly #path: string
  readonly #signal: AbortSignal
  /** Id of the last event, or of the last response. */
  #last: string | null = null

  constructor(http: Http, id: string, signal: AbortSignal) {
    this.#http = http
    this.#path = `/qas/uploads/${encodeURIComponent(id)}`
    this.#signal = signal
  }

  async *events(): AsyncGenerator<SentStatus> {
    const headers = { accept: 'text/event-stream', ...(this.#last !== null && { 'last-event-id': this.#last }) }
    const response = await this.#http.ask({ method: 'GET', path: `${this.#path}/events`, headers }, this.#signal)
    try {
      this.isEnded = response.statusCode === 204
      if (this.isEnded) return
      if (!/^text\/event-stream\b/.test(response.headers['content-type'] ?? '')) {
        this.usesEvents = false
        return
      }
      for await (const { id, data } of eventsOf(response, this.#signal)) {
        this.#last = id ?? this.#last
        yield readAs(shapes.status, parseJson(data))
      }
    } finally {
      response.destroy()
    }
    throw ClientError.of('cut', 'Cannot watch further: the events ended before the upload')
  }

  /** The current status, if it has changed. */
  async *current(): AsyncGenerator<SentStatus> {
    const status = readAs(shapes.status, await this.#http.json({ method: 'GET', path: this.#path }, this.#signal))
    const text = JSON.stringify(status)
    if (text !== this.#last || isFinished(status)) yield status
    this.#last = text
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
