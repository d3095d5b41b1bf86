// Line numbers: names the physical lines on which records of a head start, for sentences. Knows nothing of what is said of them.
import type { Tokens } from '../sniffer/tokenize.ts'

/** So many lines are named; of the others it is only said that there are some. */
const namedMax = 3

/** The physical line, from 1, on which a record of the head starts. */
export function lineOf(tokens: Tokens, record: number): number {
  return 1 + lineEnds(tokens, 0, tokens.recordStarts[record] ?? 0)
}

/** How many lines end in a stretch of the text. */
function lineEnds({ text, layout }: Tokens, from: number, to: number): number {
  const lineEnd = layout.lineEnd === 'cr' ? '\r' : '\n'
  let count = 0
  for (let at = text.indexOf(lineEnd, from); at >= 0 && at < to; at = text.indexOf(lineEnd, at + 1)) count += 1
  return count
}

/** `line 3` or `lines 3, 5, 9, …`. */
export function linesOf(tokens: Tokens, records: readonly number[]): string {
  return named(
    records.slice(0, namedMax).map((record) => lineOf(tokens, record)),
    records.length,
  )
}

/** The same of the lines that hold what is looked for; empty when none does. @param what A global pattern for one character. */
export function linesWith(tokens: Tokens, what: RegExp): string {
  const lineEnd = tokens.layout.lineEnd === 'cr' ? '\r' : '\n'
  const lines: number[] = []
  let line = 1
  for (let from = 0; lines.length <= namedMax; ) {
    what.lastIndex = from
    const found = what.exec(tokens.text)
    if (found === null) break
    line += lineEnds(tokens, from, found.index)
    lines.push(line)
    const end = tokens.text.indexOf(lineEnd, found.index)
    if (end < 0) break
    from = end + 1
    line += 1
  }
  return lines.length === 0 ? '' : named(lines.slice(0, namedMax), lines.length)
}

function named(lines: readonly number[], count: number): string {
  return `${count === 1 ? 'line' : 'lines'} ${lines.join(', ')}${count > lines.length ? ', …' : ''}`
}
