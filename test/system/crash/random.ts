// Random: numbers that are the same for the same seed.
import { randomFrom as wholeRandomFrom } from '../../../src/core/random.testing.ts'

/** Where tests of this folder start: SEED, or another place each time. */
export const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))

/** Numbers from 0 up to 1. */
export function randomFrom(state: number): () => number {
  const random = wholeRandomFrom(state)
  return () => random(2 ** 32) / 2 ** 32
}
