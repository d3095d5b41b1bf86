// Fair places: limits how many places one client may hold, so that the next one finds some. Does not know their use.

/** A client among which places are shared: an owner, or the network of an anonymous request. */
export function clientOf(owner: string, network: string | undefined): string {
  return owner === '' && network !== undefined ? `network ${network}` : `owner ${owner}`
}

export class FairPlaces {
  readonly #placesMax: number
  readonly #perFreePlace: number
  readonly #heldBy = new Map<string, number>()
  #heldCount = 0

  /**
   * @param perFreePlace A client may hold this many times the number of free places. With 3, of 64 places, a single
   * client may hold 48, and each of two such clients 27; with 1, a single client may hold half. There is always a place
   * for the next client. (Dynamic thresholds: Choudhury and Hahne, IEEE/ACM ToN 6(2), 1998.)
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

  /** Whether a client may hold one more, and no more than `clientMax` in total. */
  hasPlaceFor(client: string, clientMax = Number.POSITIVE_INFINITY): boolean {
    const held = this.heldBy(client)
    return this.freeCount > 0 && held < Math.min(clientMax, this.freeCount * this.#perFreePlace)
  }

  /** Holds a place for a client until it is released. Releasing twice frees only one. */
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
