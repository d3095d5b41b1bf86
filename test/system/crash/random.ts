// Random: repeatable random numbers.
import { randomFrom as wholeRandomFrom } from '../../../src/core/random.testing.ts'

/** Seed of the tests in this folder: SEED, or a new one each time. */
export const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))

/** Random numbers from 0 up to 1. */
export function randomFrom(state: number): () => number {
  const random = wholeRandomFrom(state)
  return () => random(2 ** 32) / 2 ** 32
}
