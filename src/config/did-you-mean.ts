// Did you mean: finds the known name closest to a misspelt one. Knows no options.

/** The entry of `known` (not empty) with the fewest single-letter edits from `name`. */
export function nearest(name: string, known: readonly string[]): string {
  return known.toSorted((left, right) => editDistance(name, left) - editDistance(name, right))[0]!
}

/** Levenshtein distance, one row of the table at a time. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [fromIndex, fromLetter] of [...from].entries()) {
    const next = [fromIndex + 1]
    for (const [toIndex, toLetter] of [...to].entries()) {
      const replaced = row[toIndex]! + (fromLetter === toLetter ? 0 : 1)
      next.push(Math.min(replaced, row[toIndex + 1]! + 1, next[toIndex]! + 1))
    }
    row = next
  }
  return row[to.length]!
}
