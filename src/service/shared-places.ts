// Shared places: how many of a number of places one client may hold, so that there is one for who comes next. Knows nothing of their use.

/** Among whom places are shared: an owner, or the network of an anonymous request. */
export function clientOf(owner: string, network: string | undefined): string {
  return owner === '' && network !== undefined ? `network ${network}` : `owner ${owner}`
}

export class SharedPlaces {
  readonly #placesMax: number
  readonly #perFreePlace: number
  readonly #heldBy = new Map<string, number>()
  #heldCount = 0

  /**
   * @param perFreePlace A client may hold so many times the places that are free: with 3, of 64 places 48 when it is alone
   *   and 27 when there are two such; with 1, half of them when it is alone. There is always a place for who comes next.
   *   (Dynamic thresholds: Choudhury and Hahne, IEEE/ACM ToN 6(2), 1998.)
   */
  constructor(placesMax: number, perFreePlace: number) {
    this.#placesMax = placesMax
    this.#perFreePlace = perFreePlace
  }

  get freeCount(): number {
    return this.#placesMax - this.#heldCount
  }

  heldBy(client: string): number {
    return this.#heldBy.get(client) ?? 0
  }

  /** Whether a client may hold one more, and `clientMax` in all at most. */
  hasPlaceFor(client: string, clientMax = Number.POSITIVE_INFINITY): boolean {
    const held = this.heldBy(client)
    return this.freeCount > 0 && held < Math.min(clientMax, this.freeCount * this.#perFreePlace)
  }

  /** Holds a place for a client until it is released. Releasing twice frees once. */
  hold(client: string): () => void {
    let isHeld = true
    this.#add(client, 1)
    return () => {
      if (isHeld) this.#add(client, -1)
      isHeld = false
    }
  }

  #add(client: string, count: number): void {
    const held = this.heldBy(client) + count
    this.#heldCount += count
    if (held > 0) this.#heldBy.set(client, held)
    else this.#heldBy.delete(client)
  }
}
