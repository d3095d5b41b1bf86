// Progress: progress, rate and remaining time on one line. Samples amounts; does not know what they count.
import { shownBytes, shownTime } from './format-amounts.ts'
import type { Terminal } from './terminal.ts'

const drawEveryMs = 100
/** Rates cover about this many milliseconds: long enough to be steady, short enough to be current. */
const rateMsMin = 3_000

/** Draws `line()` ten times a second until it is disposed, if the terminal shows progress. */
export function drawProgress(terminal: Terminal, line: () => string): Disposable {
  if (!terminal.showsProgress) return { [Symbol.dispose]() {} }
  const timer = setInterval(() => terminal.setStatus(line()), drawEveryMs)
  return {
    [Symbol.dispose]() {
      clearInterval(timer)
      terminal.setStatus('')
    },
  }
}

/** Bytes per second, over the last few seconds. */
export class RateMeter {
  readonly #seen: { readonly ms: number; readonly bytes: number }[] = []

  /** Takes the current count; returns the rate, or null while there are too few samples. */
  rate(bytes: number, nowMs: number = performance.now()): number | null {
    const last = this.#seen.at(-1)
    // Something was restarted: earlier samples no longer count.
    if (last !== undefined && bytes < last.bytes) this.#seen.length = 0
    this.#seen.push({ ms: nowMs, bytes })
    while (this.#seen.length > 2 && nowMs - this.#seen[1]!.ms > rateMsMin) this.#seen.shift()
    const first = this.#seen[0]!
    return nowMs - first.ms < 2 * drawEveryMs ? null : ((bytes - first.bytes) / (nowMs - first.ms)) * 1_000
  }
}

/** `45 % of 200 MB · 87.3 MB/s · 12 s left`; without a total, the count and its rate. */
export function progressText(bytes: number, totalBytes: number | null, rate: number | null): string {
  const done =
    totalBytes === null
      ? shownBytes(bytes)
      : `${Math.floor((bytes / Math.max(1, totalBytes)) * 100)} % of ${shownBytes(totalBytes)}`
  if (rate === null || rate <= 0) return done
  const speed = `${done} · ${shownBytes(rate)}/s`
  return totalBytes === null
    ? speed
    : `${speed} · ${shownTime(Math.max(1_000, ((totalBytes - bytes) / rate) * 1_000))} left`
}
