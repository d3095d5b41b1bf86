// Line numbers: the physical lines on which records of a head start, for notes. Knows nothing of what the notes say.
import { noteLinesMax } from '../../core/notes.ts'
import type { Tokens } from './tokenize.ts'

/** The most lines a message names; further ones are only indicated. */
const namedMax = 3

/** Lines a note refers to. */
export interface NotedLines {
  /** The first of them, at most noteLinesMax. */
  readonly lines: readonly number[]
  /** `line 3` or `lines 3, 5, 9, …`; empty without lines. */
  readonly text: string
}

/** The physical line, from 1, on which a record of the head starts. */
export function lineOf(tokens: Tokens, record: number): number {
  return 1 + lineEnds(tokens, 0, tokens.recordStarts[record] ?? 0)
}

/** The number of line ends in a part of the text. */
function lineEnds({ text, layout }: Tokens, from: number, to: number): number {
  const lineEnd = layout.lineEnd === 'cr' ? '\r' : '\n'
  let count = 0
  for (let at = text.indexOf(lineEnd, from); at >= 0 && at < to; at = text.indexOf(lineEnd, at + 1)) count += 1
  return count
}

/** The lines on which records start. */
export function linesOf(tokens: Tokens, records: readonly number[]): NotedLines {
  return noted(
    records.slice(0, noteLinesMax).map((record) => lineOf(tokens, record)),
    records.length,
  )
}

/** The lines that contain a character. @param what A global pattern for it. */
export function linesWith(tokens: Tokens, what: RegExp): NotedLines {
  const lineEnd = tokens.layout.lineEnd === 'cr' ? '\r' : '\n'
  const lines: number[] = []
  let line = 1
  for (let from = 0; lines.length <= noteLinesMax; ) {
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
  return noted(lines.slice(0, noteLinesMax), lines.length)
}

/** @param lines The first of `count` lines. */
export function noted(lines: readonly number[], count: number): NotedLines {
  const named = lines.slice(0, namedMax)
  const more = count > named.length ? ', …' : ''
  return { lines, text: count === 0 ? '' : `${count === 1 ? 'line' : 'lines'} ${named.join(', ')}${more}` }
}
