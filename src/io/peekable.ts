// Peekable: items that arrive one by one, of which the next can be seen before it is taken.

export class Peekable<Item> implements AsyncDisposable {
  readonly #items: AsyncIterator<Item>
  #next: Item | null = null
  #isThrough = false

  constructor(items: AsyncIterable<Item>) {
    this.#items = items[Symbol.asyncIterator]()
  }

  /** The next item, which stays the next; null at the end. */
  async peek(): Promise<Item | null> {
    if (this.#next === null && !this.#isThrough) {
      const next = await this.#items.next()
      if (next.done) this.#isThrough = true
      else this.#next = next.value
    }
    return this.#next
  }

  /** The next item, after which another one is the next; null at the end. */
  async take(): Promise<Item | null> {
    const next = await this.peek()
    this.#next = null
    return next
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#items.return?.()
  }
}

/** The items of an ascending list that come before a record. */
export async function* below<One extends { readonly record: number }>(list: Peekable<One>, record: number) {
  for (let next = await list.peek(); next !== null && next.record < record; next = await list.peek()) {
    await list.take()
    yield next
  }
}

/** The item of a record, after those before it are skipped; null if there is none. */
export async function entryAt<One extends { readonly record: number }>(list: Peekable<One>, record: number) {
  for await (const _ of below(list, record));
  return (await list.peek())?.record === record ? await list.take() : null
}
