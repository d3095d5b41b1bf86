// Length figures: statistics of the lengths of a column's texts, from the number of texts of each length. Exact for any number of texts.

/** A length, and the number of texts that have it. */
export type LengthCount = readonly [length: number, count: number]

export interface LengthFigures {
  readonly mean: number
  /** Null if there is only one text. */
  readonly deviation: number | null
  /** Each an integer or a half. */
  readonly quartiles: readonly [q25: number, median: number, q75: number]
  /** Starts of bins that are `binWidth` wide; the first one is the least length. */
  readonly hist: readonly number[]
  readonly binWidth: number
}

const binsMax = 10

/** @param counts At least one, lengths ascending. */
export function lengthFigures(counts: readonly LengthCount[]): LengthFigures {
  const total = counts.reduce((sum, [, count]) => sum + count, 0)
  const mean = counts.reduce((sum, [length, count]) => sum + length * count, 0) / total
  const squares = counts.reduce((sum, [length, count]) => sum + (length - mean) ** 2 * count, 0)
  const quartile = (part: number) => Math.round(2 * between(counts, part * (total - 1))) / 2
  const least = counts[0]?.[0] ?? 0
  const span = (counts.at(-1)?.[0] ?? 0) - least
  const binWidth = Math.floor(span / binsMax) + 1
  const hist = new Array<number>(Math.floor(span / binWidth) + 1).fill(0)
  for (const [length, count] of counts) {
    const bin = Math.floor((length - least) / binWidth)
    hist[bin] = (hist[bin] ?? 0) + count
  }
  return {
    mean,
    deviation: total > 1 ? Math.sqrt(squares / (total - 1)) : null,
    quartiles: [quartile(0.25), quartile(0.5), quartile(0.75)],
    hist,
    binWidth,
  }
}

/** The length at a rank among all texts by length, from 0; between two ranks, it is interpolated. */
function between(counts: readonly LengthCount[], place: number): number {
  const [low, high] = [lengthAt(counts, Math.floor(place)), lengthAt(counts, Math.ceil(place))]
  return low + (high - low) * (place - Math.floor(place))
}

function lengthAt(counts: readonly LengthCount[], place: number): number {
  let seen = 0
  for (const [length, count] of counts) {
    seen += count
    if (place < seen) return length
  }
  return counts.at(-1)?.[0] ?? 0
}
