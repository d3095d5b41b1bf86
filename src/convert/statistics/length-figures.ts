// Length figures: how long the texts of a column are, from how many texts have each length. Exact, whatever their number.

/** A length, and how many texts have it. */
export type LengthCount = readonly [length: number, count: number]

export interface LengthFigures {
  readonly mean: number
  /** Null where there is only one text. */
  readonly deviation: number | null
  readonly quartiles: readonly [q25: number, median: number, q75: number]
  /** Bins that begin `binWidth` after one another, the first with the least length. */
  readonly hist: readonly number[]
  readonly binWidth: number
}

const binsMax = 10

/** @param counts At least one, lengths ascending. */
export function lengthFigures(counts: readonly LengthCount[]): LengthFigures {
  const total = counts.reduce((sum, [, count]) => sum + count, 0)
  const mean = counts.reduce((sum, [length, count]) => sum + length * count, 0) / total
  const squares = counts.reduce((sum, [length, count]) => sum + (length - mean) ** 2 * count, 0)
  const quartile = (part: number) => between(counts, part * (total - 1))
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

/** The length at a place of all texts in the order of their lengths, from 0; between two places it lies between theirs. */
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
