// Frames: length-prefixed messages on a byte stream. Knows nothing of their content.
import { writeSync } from 'node:fs'

/**
 * The descriptor a child writes its frames to; it reads those of the service from standard input. Standard output and
 * standard error will not do: native libraries write there, and SQL can make DuckDB write there.
 */
export const resultDescriptor = 3

/** The first frame of every child, and the one after each answer: it can work now. */
export const readyText = 'ready'

/** The frame in place of that after the last answer: the child should be replaced. */
export const spentText = 'spent'

const lengthBytes = 4

/** A message on the wire: its length in 32 bits, little-endian, and its bytes. */
export function frameOf(payload: string | Uint8Array): Buffer {
  const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload
  const length = Buffer.alloc(lengthBytes)
  length.writeUInt32LE(bytes.length)
  return Buffer.concat([length, bytes])
}

/** Writes one frame; blocks while nobody reads. */
export function writeFrame(descriptor: number, payload: string | Uint8Array): void {
  const frame = frameOf(payload)
  let written = 0
  while (written < frame.length) written += writeSync(descriptor, frame, written)
}

/**
 * Yields the messages of a stream; an incomplete one at the end is dropped.
 *
 * @param bytesMax Called when the length of a message is known. A longer message throws before any of it is buffered.
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
        throw new Error(`Cannot read frame: it has ${payloadBytes} bytes, expected at most ${limit}`)
    }
  }
}

/** Buffered chunks, joined once per message. */
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

/**
 * Calls back with each message of the service, parsed from JSON. Ends this process when the service is gone: there is
 * nobody left to work for, and nothing to clean up.
 */
export function listenToParent(onMessage: (message: unknown) => void): void {
  // systemd signals every process of a service at once, but uploads in progress still need their children.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})
  const exit = () => process.kill(process.pid, 'SIGKILL')
  void listen(onMessage).then(exit, exit)
}

async function listen(onMessage: (message: unknown) => void): Promise<void> {
  for await (const frame of readFrames(process.stdin, () => Number.POSITIVE_INFINITY)) {
    onMessage(JSON.parse(frame.toString()))
  }
}

/** Sends a frame; blocks while the service does not read. */
export function sendToParent(payload: string | Uint8Array): void {
  writeFrame(resultDescriptor, payload)
}
