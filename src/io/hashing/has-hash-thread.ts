// Has hash thread: whether a separate thread hashes originals, see docs/decisions/hash-thread.md.
import { availableParallelism } from 'node:os'

/** With fewer cores, the thread would compete with threads that are just as busy. */
const coresMin = 3

export const hasHashThread = availableParallelism() >= coresMin
