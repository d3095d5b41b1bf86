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

export class TextReader {
  readonly #layout: RecordLayout
  /** In the order of their requests, in which the worker replies. */
  readonly #waiting: ((readings: readonly TextReading[] | null) => void)[] = []
  #worker: Worker | null = null

  constructor(layout: RecordLayout) {
    this.#layout = layout
  }

  /** Null if no worker is available: the service then reports the result. */
  read(texts: readonly string[]): Promise<readonly TextReading[] | null> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      this.#started().postMessage({ kind: 'texts', layout: this.#layout, texts } satisfies TextsRequest)
    })
  }

  close(): void {
    this.#worker?.terminate()
    this.#worker = null
    this.#resolveNull()
  }

  #started(): Worker {
    if (this.#worker !== null) return this.#worker
    const worker = checkWorker()
    worker.onmessage = ({ data }: MessageEvent<TextsReply>) => this.#waiting.shift()?.(data.readings)
    worker.onerror = () => this.#resolveNull()
    this.#worker = worker
    return worker
  }

  #resolveNull(): void {
    for (const resolve of this.#waiting.splice(0)) resolve(null)
  }
}
