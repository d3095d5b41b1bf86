// Take head: holds back the beginning of a stream until it can be looked at, and gives it back in front of the rest.

export interface Headed {
  /** The first bytes, at least `bytesMax` of them or the whole stream. */
  readonly head: Uint8Array
  readonly isWhole: boolean
  /** The whole stream, head included. */
  readonly chunks: AsyncIterable<readonly Uint8Array[]>
}

/** Reads until `bytesMax` bytes are there or the stream ends. */
export async function takeHead(source: AsyncIterable<readonly Uint8Array[]>, bytesMax: number): Promise<Headed> {
  const iterator = source[Symbol.asyncIterator]()
  const slices: Uint8Array[] = []
  let bytes = 0
  let isWhole = false
  while (bytes < bytesMax) {
    const next = await iterator.next()
    if (next.done) {
      isWhole = true
      break
    }
    for (const slice of next.value) {
      bytes += slice.length
      // Copied, because a slice is valid only until the next one is asked for.
      slices.push(Uint8Array.from(slice))
    }
  }
  return { head: Buffer.concat(slices), isWhole, chunks: rejoin(slices, iterator) }
}

async function* rejoin(slices: readonly Uint8Array[], iterator: AsyncIterator<readonly Uint8Array[]>) {
  try {
    yield slices
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value
  } finally {
    await iterator.return?.()
  }
}
