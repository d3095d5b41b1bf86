// Code point classes: the code points that no instruction of a program tells apart are one class. Knows no states.
import { op, type Program } from './re2-program.ts'

export interface CodePointClasses {
  /** Where intervals of code points of one class begin, ascending from 0. */
  readonly starts: Int32Array
  /** The class of each interval. */
  readonly classes: Int32Array
  /** One code point of each class. */
  readonly examples: readonly number[]
}

/** ASCII in RE2. */
export const wordCharacters = Int32Array.of(48, 57, 65, 90, 95, 95, 97, 122)
/** What assertions tell apart. */
const assertionSets = [wordCharacters, Int32Array.of(10, 10)]

export function codePointClasses({ instructions }: Program): CodePointClasses {
  const hasAssertion = instructions.some((one) => one.op === op.assertion)
  const sets = new Set([...instructions.map(({ ranges }) => ranges), ...(hasAssertion ? assertionSets : [])])
  const starts = Int32Array.from(new Set([0, 0x80, ...[...sets].flatMap(startsOf)])).sort()
  const intervalAt = new Map(Array.from(starts, (start, interval) => [start, interval]))
  const classes = new Int32Array(starts.length)
  let count = 1
  for (const ranges of sets) {
    // Each class is split into the code points in the set and the others.
    const split = new Map<number, number>()
    for (let i = 0; i < ranges.length; i += 2) {
      const end = intervalAt.get((ranges[i + 1] ?? 0) + 1) ?? starts.length
      for (let interval = intervalAt.get(ranges[i] ?? 0) ?? 0; interval < end; interval++) {
        const old = classes[interval] ?? 0
        if (!split.has(old)) split.set(old, count++)
        classes[interval] = split.get(old) ?? 0
      }
    }
  }
  const numbers = new Map<number, number>()
  const examples: number[] = []
  for (const [interval, one] of classes.entries()) {
    if (!numbers.has(one)) numbers.set(one, examples.push(starts[interval] ?? 0) - 1)
    classes[interval] = numbers.get(one) ?? 0
  }
  return { starts, classes, examples }
}

function startsOf(ranges: Int32Array): readonly number[] {
  return Array.from(ranges, (bound, i) => (i % 2 === 0 ? bound : bound + 1)).filter((start) => start <= 0x10ffff)
}

/** Whether `ranges`, pairs of first and last, ascending, have `codePoint`. */
export function holds(ranges: Int32Array, codePoint: number): boolean {
  let low = 0
  let high = ranges.length / 2
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ranges[2 * middle + 1] ?? 0) < codePoint) low = middle + 1
    else high = middle
  }
  return low < ranges.length / 2 && (ranges[2 * low] ?? 0) <= codePoint
}
