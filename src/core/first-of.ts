// First of: counts items, and keeps the first of them.
export class FirstOf<Item> {
  count = 0
  readonly first: Item[] = []
  readonly #keptMax: number

  constructor(keptMax: number) {
    this.#keptMax = keptMax
  }

  add(item: Item): void {
    this.addAll([item])
  }

  /** @param count If `items` are the first of more. */
  addAll(items: readonly Item[], count = items.length): void {
    this.count += count
    this.first.push(...items.slice(0, this.#keptMax - this.first.length))
  }
}
