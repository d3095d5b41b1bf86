// Random: numbers that are the same for the same seed. Knows nothing of what they are for.

/** Gives whole numbers from 0 to below `limit`, which is 2^32 at most. */
export type Random = (limit: number) => number

/** Mulberry32. */
export function randomFrom(seed: number): Random {
  let state = seed
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
}
