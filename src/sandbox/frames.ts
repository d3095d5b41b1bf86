// Frames: messages on a stream of bytes, each behind its length. Knows nothing of what they say.
import { writeSync } from 'node:fs'

/**
 * Where a child writes its frames; it reads those of the service from standard input. Neither standard output nor standard
 * error: native libraries write to those of their own accord, and DuckDB can be told to.
 */
export const answerDescriptor = 3

/** The first frame of a child, once it can work. */
export const readyText = 'ready'

const lengthBytes = 4

/** A message as it travels: a length in 32 bits, little-endian, and its bytes. */
export function frameOf(payload: string | Uint8Array): Buffer {
  const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload
  const length = Buffer.alloc(lengthBytes)
  length.writeUInt32LE(bytes.length)
  return Buffer.concat([length, bytes])
}

/** Writes one frame; waits while nobody reads. */
export function writeFrame(descriptor: number, payload: string | Uint8Array): void {
  const frame = frameOf(payload)
  let written = 0
  while (written < frame.length) written += writeSync(descriptor, frame, written)
}

/**
 * The messages of a stream. One that is cut short at the end is left out.
 *
 * @param bytesMax Asked as soon as the length of a message is known: a longer one throws before any of it is kept.
 */
export async function* readFrames(
  stream: AsyncIterable<Buffer>,
  bytesMax: () => number,
): AsyncGenerator<Buffer, void, void> {
  const received = new ReceivedBytes()
  let payloadBytes: number | null = null
  for await (const chunk of stream) {
    received.add(chunk)
    while (received.length >= (payloadBytes ?? lengthBytes)) {
      const bytes = received.take(payloadBytes ?? lengthBytes)
      if (payloadBytes !== null) {
        payloadBytes = null
        yield bytes
        continue
      }
      payloadBytes = bytes.readUInt32LE(0)
      const limit = bytesMax()
      if (payloadBytes > limit)
        throw new Error(`Cannot read frame: it has ${payloadBytes} bytes, wanted at most ${limit}`)
    }
  }
}

/** Bytes in the order they came, joined once for each message. */
class ReceivedBytes {
  length = 0
  #chunks: Buffer[] = []

  add(chunk: Buffer): void {
    if (chunk.length === 0) return
    this.#chunks.push(chunk)
    this.length += chunk.length
  }

  take(count: number): Buffer {
    const first = this.#chunks[0]
    const all = first !== undefined && first.length >= count ? first : Buffer.concat(this.#chunks)
    const others = all === first ? this.#chunks.slice(1) : []
    const rest = all.subarray(count)
    this.#chunks = rest.length > 0 ? [rest, ...others] : others
    this.length -= count
    return all.subarray(0, count)
  }
}
