// Rate meter: bytes a second, smoothed.

/** Share of the latest sample. */
const weight = 0.3
const sampleMs = 200

export class RateMeter {
  #lastMs = performance.now()
  #lastBytes: number
  #rate = 0

  constructor(bytes: number) {
    this.#lastBytes = bytes
  }

  rate(bytes: number): number {
    const nowMs = performance.now()
    const elapsedMs = nowMs - this.#lastMs
    if (elapsedMs < sampleMs) return this.#rate
    const sample = (Math.max(0, bytes - this.#lastBytes) / elapsedMs) * 1_000
    this.#rate = this.#rate === 0 ? sample : this.#rate * (1 - weight) + sample * weight
    this.#lastMs = nowMs
    this.#lastBytes = bytes
    return this.#rate
  }
}
