// Did you mean: finds the known name closest to a misspelt one. Knows no options.

/** `; did you mean …?` with the entry of `known` with the fewest single-letter edits from `name`; empty if none is near. */
export function didYouMean(name: string, known: readonly string[]): string {
  const near = known
    // More words than its name has: `--data-dir` for `--data`.
    .map((one) => ({ one, edits: name.startsWith(`${one}-`) ? 1 : editDistance(name, one) }))
    // A swap of two letters is two edits.
    .filter(({ one, edits }) => edits <= Math.max(2, Math.floor(one.length / 3)) && edits < letters(one))
    .toSorted((left, right) => left.edits - right.edits)
  return near[0] === undefined ? '' : `; did you mean ${near[0].one}?`
}

function letters(name: string): number {
  return name.replace(/^-+/, '').length
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
