// In front: yields some given items, then those of an iterator. Knows nothing of what they are.

/**
 * Yields `first`, then the rest of `rest`. If it is ended early, or if `first` fails, both are released. It is a class,
 * since a generator would take part in every item of `rest`.
 */
export function prepend<Item>(
  first: Iterable<Item> | AsyncIterable<Item>,
  rest: AsyncIterator<Item>,
): AsyncIterableIterator<Item> {
  return new InFront(Symbol.asyncIterator in first ? first[Symbol.asyncIterator]() : first[Symbol.iterator](), rest)
}

type AnyIterator<Item> = Iterator<Item> | AsyncIterator<Item>

class InFront<Item> implements AsyncIterableIterator<Item> {
  /** Null once all of it has been yielded. */
  #first: AnyIterator<Item> | null
  readonly #rest: AsyncIterator<Item>

  constructor(first: AnyIterator<Item>, rest: AsyncIterator<Item>) {
    this.#first = first
    this.#rest = rest
  }

  next(): Promise<IteratorResult<Item>> {
    return this.#first === null ? this.#rest.next() : this.#nextOf(this.#first)
  }

  async return(): Promise<IteratorResult<Item>> {
    const first = this.#first
    this.#first = null
    await first?.return?.()
    await this.#rest.return?.()
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<Item> {
    return this
  }

  async #nextOf(first: AnyIterator<Item>): Promise<IteratorResult<Item>> {
    try {
      const next = await first.next()
      if (!next.done) return next
    } catch (error) {
      await this.return()
      throw error
    }
    this.#first = null
    return await this.#rest.next()
  }
}
