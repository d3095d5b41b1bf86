// Text reader: reads texts as records of a dataset in a worker, which stays as long as it is used. Knows no element.
import { checkWorker } from '../run-check.ts'
import type { RecordLayout, TextReading } from './read-texts.ts'

export interface TextsRequest {
  readonly kind: 'texts'
  readonly number: number
  readonly layout: RecordLayout
  readonly texts: readonly string[]
}

export interface TextsReply {
  readonly number: number
  /** Null if they could not be read at all. */
  readonly readings: readonly TextReading[] | null
}

export class TextReader {
  readonly #layout: RecordLayout
  readonly #waiting = new Map<number, (readings: readonly TextReading[] | null) => void>()
  #worker: Worker | null = null
  #lastNumber = 0

  constructor(layout: RecordLayout) {
    this.#layout = layout
  }

  /** Null if no worker is available: the service then reports the result. */
  read(texts: readonly string[]): Promise<readonly TextReading[] | null> {
    const number = ++this.#lastNumber
    return new Promise((resolve) => {
      this.#waiting.set(number, resolve)
      this.#started().postMessage({ kind: 'texts', number, layout: this.#layout, texts } satisfies TextsRequest)
    })
  }

  close(): void {
    this.#worker?.terminate()
    this.#worker = null
    this.#giveUp()
  }

  #started(): Worker {
    if (this.#worker !== null) return this.#worker
    const worker = checkWorker()
    worker.onmessage = ({ data: { number, readings } }: MessageEvent<TextsReply>) => {
      this.#waiting.get(number)?.(readings)
      this.#waiting.delete(number)
    }
    worker.onerror = () => this.#giveUp()
    this.#worker = worker
    return worker
  }

  #giveUp(): void {
    for (const resolve of this.#waiting.values()) resolve(null)
    this.#waiting.clear()
  }
}
