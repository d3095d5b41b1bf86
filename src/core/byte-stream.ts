// Byte stream: bytes that arrive in chunks, each only on request. Buffers none of them, and knows no client.

/** Each chunk belongs to the receiver, to keep or to release. A Node stream fits this type, too, but it reads ahead. */
export interface ByteStream extends AsyncIterable<Uint8Array>, AsyncDisposable {}

/**
 * How much of its file a stalled download holds: one block, as in `io/hashing/block-checksums.ts`, so that it can be verified in
 * place. Twice as much took a fifth less CPU time (2 × AMD EPYC, Node 24, 2026-11-21).
 */
const readBytesAtOnce = 65_536

/**
 * A reader that has taken 8 MB, more than the system buffers for a client, without a pause gets eight blocks at a time.
 * At most this many readers do so at once, so that stalled downloads together hold no more than 8 MB.
 */
const largeReadBytes = 8 * readBytesAtOnce
const largeReadsMax = 16
const quickMs = 20
const quickReadsMin = 128
let largeReads = 0

/** How much of a file to read next for one reader. */
class ReadSize {
  #quickReads = 0
  #isLarge = false

  get bytes(): number {
    return this.#isLarge ? largeReadBytes : readBytesAtOnce
  }

  /** @param ms Time between returning a chunk and the request for the next. */
  taken(ms: number): void {
    this.#quickReads = ms <= quickMs ? this.#quickReads + 1 : 0
    if (this.#quickReads === 0) this.end()
    else if (!this.#isLarge && this.#quickReads >= quickReadsMin && largeReads < largeReadsMax) {
      this.#isLarge = true
      largeReads += 1
    }
  }

  end(): void {
    if (this.#isLarge) largeReads -= 1
    this.#isLarge = false
  }
}

/** Creates a stream whose chunks are made on request. `release` may be called more than once. */
export function byteStream(chunks: AsyncGenerator<Uint8Array>, release: () => PromiseLike<void>): ByteStream {
  return {
    [Symbol.asyncIterator]: () => chunks,
    [Symbol.asyncDispose]: async () => {
      await chunks.return(undefined)
      // A generator that was never started has run no code, and return() runs none of it either.
      await release()
    },
  }
}

/** The part of Node's FileHandle that is used here. */
interface OpenFile {
  read(room: Uint8Array, offset: number, bytes: number, position: number): Promise<{ readonly bytesRead: number }>
  close(): Promise<void>
}

/**
 * Bytes start … end-1 of an open file, or fewer if it ends earlier. Closes the file at the end.
 *
 * @param nowMs A monotonic clock, in milliseconds.
 */
export function fileStream(
  file: OpenFile,
  range: { readonly start: number; readonly end: number },
  nowMs: () => number = () => performance.now(),
): ByteStream {
  return byteStream(chunksOf([file], range, nowMs), () => file.close())
}

/** All bytes of open files, one after the other, each of which is closed at its end. */
export function chunksOfFiles(files: AsyncIterable<OpenFile>): AsyncGenerator<Uint8Array> {
  return chunksOf(files, { start: 0, end: Number.POSITIVE_INFINITY }, () => performance.now())
}

async function* chunksOf(
  files: Iterable<OpenFile> | AsyncIterable<OpenFile>,
  { start, end }: { readonly start: number; readonly end: number },
  nowMs: () => number,
): AsyncGenerator<Uint8Array> {
  const size = new ReadSize()
  try {
    for await (const file of files) {
      try {
        for (let at = start; at < end; ) {
          const room = Buffer.allocUnsafeSlow(Math.min(size.bytes, end - at))
          const { bytesRead } = await file.read(room, 0, room.length, at)
          if (bytesRead === 0) break
          at += bytesRead
          const givenMs = nowMs()
          yield room.subarray(0, bytesRead)
          size.taken(nowMs() - givenMs)
        }
      } finally {
        await file.close()
      }
    }
  } finally {
    size.end()
  }
}

/**
 * Frees the memory of a chunk immediately. Left to the garbage collector, which counts it but cannot see that it is
 * garbage before it has marked everything, a body of 1 GB caused 40 full collections, a quarter of the server's CPU time
 * (2 cores, Node 24, 2026-11-20). The chunk must not be read afterwards; a slice of something larger is left alone.
 */
export function releaseChunk(chunk: Uint8Array): void {
  const { buffer } = chunk
  if (buffer instanceof ArrayBuffer && buffer.byteLength === chunk.length) buffer.transfer(0)
}
