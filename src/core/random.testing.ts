// Random: numbers that are the same for the same seed. Does not know their use.

/** Returns integers from 0 to below `limit`, at most 2^32. */
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
