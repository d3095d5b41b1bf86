// Key entries: the hashes of the keys of a row group as a chunk of a file, in which those of equal keys can be found.
// Knows no values.
import { keyChunk } from '../memory/columns-memory.ts'

const { bucketCount, headerWords, entryWords } = keyChunk

/**
 * A chunk as `keyChunk` describes it.
 *
 * @param hashes As in wasm/columns/rules/keys.ts. @param records The number of each record in its segment.
 */
export function chunkOf(hashes: Uint32Array, records: Uint32Array, key: number): Uint32Array {
  const ends = new Uint32Array(headerWords)
  const counts = (at: number) => hashes[at + 6] === 1
  for (let at = 0; at < hashes.length; at += entryWords) if (counts(at)) ends[bucketOf(hashes[at]) + 1]!++
  for (let bucket = 0; bucket < bucketCount; bucket++) ends[bucket + 1]! += ends[bucket]!
  const chunk = new Uint32Array(headerWords + entryWords * ends[bucketCount]!)
  chunk.set(ends)
  for (let at = 0; at < hashes.length; at += entryWords) {
    if (!counts(at)) continue
    const to = headerWords + entryWords * ends[bucketOf(hashes[at])]!++
    for (let word = 0; word < 6; word++) chunk[to + word] = hashes[at + word]!
    chunk[to + 6] = records[at / entryWords]!
    chunk[to + 7] = key
  }
  return chunk
}

function bucketOf(word = 0): number {
  return word & (bucketCount - 1)
}
