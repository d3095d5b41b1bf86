// German figures: numbers and lines within German sentences.

const integers = new Intl.NumberFormat('de')
/** At most this many lines are named. */
const linesMax = 3

export function figure(value: number): string {
  return integers.format(value)
}

/** ` (Zeilen 1 und 2)`; empty without lines. */
export function lineList(lines: readonly number[] = []): string {
  if (lines.length === 0) return ''
  const shown = lines.slice(0, linesMax).map(figure).join(', ')
  return ` (${lines.length === 1 ? 'Zeile' : 'Zeilen'} ${shown}${lines.length > linesMax ? ' …' : ''})`
}
