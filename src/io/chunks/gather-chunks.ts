// Gather chunks: joins small chunks of a stream into larger ones. Knows nothing of what they hold.
import { releaseChunk } from '../../core/byte-stream.ts'

/** The same bytes in chunks of at least this size, except the last one. Releases the chunks that it joins. */
export async function* gatherChunks(chunks: AsyncIterable<Uint8Array>, bytesMin: number): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array[] = []
  let length = 0
  for await (const chunk of chunks) {
    waiting.push(chunk)
    length += chunk.length
    if (length < bytesMin) continue
    yield join(waiting)
    waiting = []
    length = 0
  }
  if (length > 0) yield join(waiting)
}

function join(chunks: readonly Uint8Array[]): Uint8Array {
  const [only] = chunks
  if (only !== undefined && chunks.length === 1) return only
  const joined = Buffer.concat(chunks)
  for (const chunk of chunks) releaseChunk(chunk)
  return joined
}
