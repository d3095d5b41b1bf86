// Random: numbers that are the same for the same seed.

/** Where tests of this folder start: SEED, or another place each time. */
export const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))

/** Mulberry32: numbers from 0 up to 1. */
export function randomFrom(state: number): () => number {
  let sum = state
  return () => {
    sum = (sum + 0x6d2b79f5) | 0
    let mixed = Math.imul(sum ^ (sum >>> 15), sum | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
