// Dialect conflicts: where the head of a file contradicts a declaration of its client. What is declared always wins.
import { type Note, note } from '../../core/notes.ts'
import { decodeHead, detectEncoding } from '../encoding/detect-encoding.ts'
import { findTop } from '../header/detect-header.ts'
import type { DeclaredDialect } from '../reading.ts'
import { countOf, rankLayouts } from '../sniffer/detect-dialect.ts'
import { lineOf } from '../sniffer/line-numbers.ts'
import type { Candidate } from '../sniffer/score-layout.ts'
import { fits, isBlank, recordCount, type Tokens, widthOf } from '../sniffer/tokenize.ts'
import { isMeasured, kindOf } from '../sniffer/value-kind.ts'
import { delimiterName, type HeadDecisions } from './evidence.ts'

/** Characters of the head with another meaning than declared. */
const sampleLength = 65_536

/** Notes each declared setting that the head contradicts, with the evidence. Costs nothing if nothing is declared. */
export function dialectConflicts(decided: HeadDecisions, head: Uint8Array): Note[] {
  return [
    ...againstEncoding(decided, head),
    ...againstLineEnd(decided),
    ...againstLayout(decided),
    ...againstHeader(decided),
  ]
}

function againstEncoding({ declared }: HeadDecisions, head: Uint8Array): Note[] {
  if (declared.encoding === undefined) return []
  const { encoding, isGuess, why } = detectEncoding(head, declared.encoding)
  const found = freeEncoding(head)
  if (found === null || found.encoding.name === encoding.name || isGuess || why === found.why) return []
  // A guess only contradicts a declaration that the bytes rule out.
  if (found.isGuess && encoding.name !== 'utf-8') return []
  if (decodeHead(head, encoding) === decodeHead(head, found.encoding)) return []
  const message = `Declared encoding ${encoding.name}: the file seems to be in ${found.encoding.name}. ${found.why}`
  return [note('DECLARED_ENCODING_CONFLICT', message)]
}

function freeEncoding(head: Uint8Array) {
  try {
    return detectEncoding(head)
  } catch {
    // If detection fails, there is no evidence.
    return null
  }
}

function againstLineEnd({ tokens, declared }: HeadDecisions): Note[] {
  if (declared.lineTerminator === undefined) return []
  const [wanted, other] = declared.lineTerminator === '\r' ? (['CR', 'LF'] as const) : (['LF', 'CR'] as const)
  const ends = { CR: '\r', LF: '\n' }
  if (tokens.text.includes(ends[wanted]) || !tokens.text.includes(ends[other])) return []
  const message = `Declared \`lineTerminator\`: the head holds no ${wanted}, but ${countOf(tokens.text, ends[other])} ${other}.`
  return [note('DECLARED_LINE_TERMINATOR_CONFLICT', message)]
}

/** Settings that are tried undeclared, each with its alternatives. */
const layoutMembers = ['delimiter', 'quoteChar', 'escapeChar', 'doubleQuote'] as const

function againstLayout({ tokens, declared }: HeadDecisions): Note[] {
  const text = tokens.text.slice(0, sampleLength)
  if (layoutMembers.every((member) => declared[member] === undefined)) return []
  const [read] = rankLayouts(text, true, declared)
  const notes: Note[] = []
  for (const member of layoutMembers) {
    if (declared[member] === undefined) continue
    const { [member]: _, ...others } = declared
    const [free] = rankLayouts(text, true, others)
    if (shown(free, member) === shown(read, member) || free.score <= read.score * 1.1 || free.width < 2) continue
    const message = `Declared \`${member}\` ${shown(read, member)}: read so, ${counted(read)}; ${shown(free, member)} would give: ${counted(free)}.`
    notes.push(note('DECLARED_DIALECT_CONFLICT', message))
  }
  return notes
}

function shown({ tokens }: Candidate, member: (typeof layoutMembers)[number]): string {
  const { quote, escape: mark } = tokens.layout
  if (member === 'delimiter') return delimiterName(tokens)
  if (member === 'quoteChar') return quote === 'none' ? 'none' : `'${String.fromCharCode(quote)}'`
  if (member === 'doubleQuote') return mark === 'doubled' ? 'true' : 'false'
  return typeof mark === 'number' ? `'${String.fromCharCode(mark)}'` : 'none'
}

function counted({ tokens, width }: Candidate): string {
  let fitting = 0
  let all = 0
  for (let record = 0; record < recordCount(tokens); record += 1) {
    if (isBlank(tokens, record)) continue
    all += 1
    if (fits(tokens, record, width)) fitting += 1
  }
  return `${fitting} of the first ${all} records have ${width} ${width === 1 ? 'field' : 'fields'}`
}

function againstHeader({ tokens, width, rows, top, declared }: HeadDecisions): Note[] {
  if (declared.header === undefined && declared.skipRows === undefined) return []
  const free = findTop({ tokens, width, rows, ...undeclared })
  const notes: Note[] = []
  const [header] = top.headers
  const [found] = free.headers
  if (declared.header === false && found !== undefined && free.firstData > top.firstData && found.length === width) {
    const message = `Declared \`header\` false: the first record looks like names (${cut(found)}); it is read as data.`
    notes.push(note('DECLARED_HEADER_CONFLICT', message))
  }
  if (declared.header === true && header !== undefined && found === undefined && header.some(isData)) {
    const message = `Declared \`header\` true: the record taken for it looks like data (${cut(header)}).`
    notes.push(note('DECLARED_HEADER_CONFLICT', message))
  }
  const first = declared.skipRows === undefined ? undefined : rows[declared.skipRows]
  if (first !== undefined && widthOf(tokens, first) !== width && free.titles.length !== declared.skipRows) {
    notes.push(skipNote(tokens, first, width, declared))
  }
  return notes
}

const undeclared = { header: undefined, skipRows: undefined, headerRows: undefined }

function isData(value: string): boolean {
  return isMeasured(kindOf(value))
}

function skipNote(tokens: Tokens, record: number, width: number, { skipRows }: DeclaredDialect): Note {
  const fields = widthOf(tokens, record)
  const message = `Declared \`skipRows\` ${skipRows}: the record after them has ${fields} ${fields === 1 ? 'field' : 'fields'}, most have ${width}.`
  return note('DECLARED_SKIP_ROWS_CONFLICT', message, { lines: [lineOf(tokens, record)] })
}

/** Enough of a record to recognize it. */
function cut(values: readonly string[]): string {
  const text = values.join(', ')
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
