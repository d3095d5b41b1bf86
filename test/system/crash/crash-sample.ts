// Crash sample: the dataset of a number in the crash tests, the same in parent and child.
import { type Sample, sample } from '../../../src/store/store-samples.testing.ts'

/** Datasets vary: 1 to 200,000 bytes, 0 to 3 parts, with and without rejects and corrections. */
export function crashSample(number: number): Sample {
  return sample({
    seed: number,
    originalBytes: 1 + ((number * 7919) % 200_000),
    partCount: number % 4,
    rejectPartCount: number % 3 === 0 ? 2 : 0,
    correctionBytes: number % 5 === 0 ? 1 + ((number * 911) % 70_000) : 0,
  })
}
