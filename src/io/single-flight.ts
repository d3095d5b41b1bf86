// Single flight: runs work once for several callers that request it at the same time, for as long as any of them waits.
import { unlessAborted } from './turns/unless-aborted.ts'

interface Flight<Result> {
  readonly result: Promise<Result>
  readonly controller: AbortController
  waiting: number
}

export class SingleFlight<Result> {
  readonly #runningByKey = new Map<string, Flight<Result>>()

  /**
   * The result of `work`, or of the same work started by another caller. Rejects with the reason of `signal` if that is
   * aborted; the signal passed to `work` is aborted once no caller is waiting.
   */
  async run(key: string, work: (signal: AbortSignal) => Promise<Result>, signal: AbortSignal): Promise<Result> {
    signal.throwIfAborted()
    const running = this.#runningByKey.get(key) ?? this.#begin(key, work)
    running.waiting += 1
    try {
      return await unlessAborted(running.result, signal)
    } finally {
      running.waiting -= 1
      if (running.waiting === 0) {
        // The next caller starts over.
        this.#end(key, running)
        running.controller.abort(new Error('No caller waits for it any more'))
      }
    }
  }

  #begin(key: string, work: (signal: AbortSignal) => Promise<Result>): Flight<Result> {
    const controller = new AbortController()
    const running = { result: work(controller.signal), controller, waiting: 0 }
    this.#runningByKey.set(key, running)
    const end = () => this.#end(key, running)
    running.result.then(end, end)
    return running
  }

  #end(key: string, running: Flight<Result>): void {
    if (this.#runningByKey.get(key) === running) this.#runningByKey.delete(key)
  }
}
