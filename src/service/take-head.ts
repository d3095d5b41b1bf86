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
  // One buffer that grows, never a list: a client may send single bytes, and a list of a million takes 200 MB.
  let held = Buffer.alloc(0)
  let bytes = 0
  let isWhole = false
  while (bytes < bytesMax) {
    const next = await iterator.next()
    if (next.done) {
      isWhole = true
      break
    }
    for (const slice of next.value) {
      if (bytes + slice.length > held.length) {
        const roomy = Buffer.allocUnsafeSlow(Math.max(2 * held.length, bytes + slice.length))
        held.copy(roomy, 0, 0, bytes)
        held = roomy
      }
      // Copied, because a slice is valid only until the next one is asked for.
      held.set(slice, bytes)
      bytes += slice.length
    }
  }
  const head = held.subarray(0, bytes)
  return { head, isWhole, chunks: rejoin(head, iterator) }
}

async function* rejoin(head: Uint8Array, iterator: AsyncIterator<readonly Uint8Array[]>) {
  try {
    if (head.length > 0) yield [head]
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value
  } finally {
    await iterator.return?.()
  }
}
