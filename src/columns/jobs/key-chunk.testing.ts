// Key chunk: makes the chunks of key files that tests need. Knows no values.
import { keyChunk } from '../memory/columns-memory.ts'

const { bucketCount, headerWords } = keyChunk

/** A chunk as `keyChunk` describes it. @param entries Of 8 words each. */
export function chunkOf(entries: readonly (readonly number[])[]): Uint8Array {
  const bucketOf = ([word = 0]: readonly number[]) => word & (bucketCount - 1)
  const before = new Uint32Array(headerWords)
  for (const entry of entries) before[bucketOf(entry) + 1]!++
  for (let bucket = 0; bucket < bucketCount; bucket++) before[bucket + 1]! += before[bucket]!
  const sorted = entries.toSorted((a, b) => bucketOf(a) - bucketOf(b))
  return new Uint8Array(Uint32Array.from([...before, ...sorted.flat()]).buffer)
}
