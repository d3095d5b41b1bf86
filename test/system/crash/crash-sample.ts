// Crash sample: which dataset a number stands for in the crash tests, the same in parent and child.
import { type Sample, sample } from '../../../src/store/store-samples.testing.ts'

/** Of every shape: 1 to 200,000 bytes, 0 to 3 parts, with rejects and corrections and without. */
export function crashSample(number: number): Sample {
  return sample({
    seed: number,
    originalBytes: 1 + ((number * 7919) % 200_000),
    partCount: number % 4,
    rejectPartCount: number % 3 === 0 ? 2 : 0,
    correctionBytes: number % 5 === 0 ? 1 + ((number * 911) % 70_000) : 0,
  })
}
