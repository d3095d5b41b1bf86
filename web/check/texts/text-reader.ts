// Text reader: reads texts as records of a dataset in a worker, which stays as long as it is used. Knows no element.
import { checkWorker } from '../run-check.ts'
import type { RecordLayout, TextReading } from './read-texts.ts'

export interface TextsRequest {
  readonly kind: 'texts'
  readonly layout: RecordLayout
  readonly texts: readonly string[]
}

export interface TextsReply {
  /** Null if they could not be read at all. */
  readonly readings: readonly TextReading[] | null
}

/** Starts a worker with the first texts. */
export function textReader(layout: RecordLayout) {
  /** In the order of their requests, in which the worker replies. */
  const waiting: ((readings: TextsReply['readings']) => void)[] = []
  const resolveNull = () => {
    for (const resolve of waiting.splice(0)) resolve(null)
  }
  let worker: Worker | null = null
  const start = () => {
    const started = checkWorker()
    started.onmessage = ({ data }: MessageEvent<TextsReply>) => waiting.shift()?.(data.readings)
    started.onerror = resolveNull
    return started
  }
  return {
    /** Null if no worker is available: the service then reports the result. */
    read: (texts: readonly string[]) =>
      new Promise<TextsReply['readings']>((resolve) => {
        waiting.push(resolve)
        worker ??= start()
        worker.postMessage({ kind: 'texts', layout, texts } satisfies TextsRequest)
      }),
    close() {
      worker?.terminate()
      worker = null
      resolveNull()
    },
  }
}
