// Shared places: how many of a number of places one party may hold, so that there is one for who comes next. Knows nothing of their use.

/**
 * Among whom places are shared: an owner, or a network where nobody is asked who they are.
 */
export function partyOf(owner: string, network: string | undefined): string {
  return owner === '' && network !== undefined ? networkStart + network : `owner ${owner}`
}

export function isNetwork(party: string): boolean {
  return party.startsWith(networkStart)
}

const networkStart = 'network '

export class SharedPlaces {
  readonly #placesMax: number
  readonly #perFreePlace: number
  readonly #heldBy = new Map<string, number>()
  #heldCount = 0

  /**
   * @param perFreePlace A party may hold so many times the places that are free: with 3, of 64 places 48 when it is alone
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

  heldBy(party: string): number {
    return this.#heldBy.get(party) ?? 0
  }

  /** Whether a party may hold one more, and `partyMax` in all at most. */
  hasPlaceFor(party: string, partyMax = Number.POSITIVE_INFINITY): boolean {
    const held = this.heldBy(party)
    return this.freeCount > 0 && held < Math.min(partyMax, this.freeCount * this.#perFreePlace)
  }

  /** Holds a place for a party until it is released. Releasing twice frees once. */
  hold(party: string): () => void {
    let isHeld = true
    this.#add(party, 1)
    return () => {
      if (isHeld) this.#add(party, -1)
      isHeld = false
    }
  }

  #add(party: string, count: number): void {
    const held = this.heldBy(party) + count
    this.#heldCount += count
    if (held > 0) this.#heldBy.set(party, held)
    else this.#heldBy.delete(party)
  }
}
