// Has hash thread: whether originals are hashed by a thread of their own, see docs/decisions/hash-thread.md.
import { availableParallelism } from 'node:os'

/** With fewer cores, the thread would take one from threads that are as busy. */
const coresMin = 3

export const hasHashThread = availableParallelism() >= coresMin
