// Evidence: says why a file is read as it is, and what a careful person would doubt, in sentences. It decides nothing.
import type { Evidence } from '../core/receipt.ts'
import type { Ranking } from './dialect.ts'
import type { EncodingFound } from './encoding.ts'
import { furtherHeaders, type HeadTable, lineOf } from './further-headers.ts'
import { oddities } from './oddities.ts'
import type { StatedDialect } from './reading.ts'
import { fits, isBlank, recordCount, type Tokens } from './tokens.ts'

/** All that was decided on a head. */
export interface Decided extends HeadTable {
  readonly encoding: EncodingFound
  readonly ranked: Ranking
  readonly stated: StatedDialect
  /** The delimiter that a first line `sep=;` names, as Excel writes it. */
  readonly named: string | null
}

/** Why it was decided so. */
export function evidenceOf(decided: Decided): Evidence {
  return { encoding: decided.encoding.why, dialect: dialectEvidence(decided), header: headerEvidence(decided) }
}

function dialectEvidence({ tokens, width, rows, ranked, stated, named }: Decided): string {
  const fitting = rows.filter((record) => fits(tokens, record, width)).length
  const table = `${fitting} of ${rows.length} records of the head have ${width} ${width === 1 ? 'field' : 'fields'}`
  if (width === 1 && stated.delimiter === undefined) return `No delimiter makes a table of several columns: ${table}.`
  const source =
    stated.delimiter !== undefined ? ', as stated' : isNamed(tokens, named) ? ', as the first line says' : ''
  const [best, next] = ranked
  const other =
    next === undefined || next.score <= 0 || next.score > best.score
      ? ''
      : `; the next best, ${delimiterName(next.tokens)}, makes ${Math.round((100 * next.score) / best.score)} % as good a table`
  return `Delimiter ${delimiterName(tokens)}${source}: ${table}${other}.`
}

function isNamed({ layout }: Tokens, named: string | null): boolean {
  return named === String.fromCharCode(layout.delimiter)
}

function headerEvidence({ tokens, rows, top, stated }: Decided): string {
  const isStated = stated.header !== undefined || stated.headerRows !== undefined
  if (top.headers.length === 0)
    return isStated ? 'No header, as stated.' : 'No header: the first record looks like the others.'
  const first = rows[rows.indexOf(top.firstData) - top.headers.length] ?? 0
  const where =
    top.headers.length === 1
      ? `Header: 1 record, line ${lineOf(tokens, first)}`
      : `Header: ${top.headers.length} records`
  return isStated ? `${where}, as stated.` : `${where}; its values look like names and not like those below.`
}

/** What a careful person would doubt. */
export function doubtsOf(decided: Decided): string[] {
  const { encoding, ranked, tokens, width, rows, top } = decided
  const notes: string[] = []
  if (encoding.isGuess) notes.push(`The encoding is not certain: ${encoding.encoding.name} was guessed from the bytes.`)
  const [best, second] = ranked
  if (best.width > 1 && second !== undefined && second.width > 1 && second.score > best.score * 0.8) {
    notes.push(
      `The delimiter is not certain: ${delimiterName(best.tokens)} was taken, ${delimiterName(second.tokens)} fits nearly as well.`,
    )
  }
  if (tokens.layout.quote === 'none') {
    notes.push('Double quotes are read as ordinary characters: they do not open and close fields here.')
  }
  if (tokens.layout.escape === 'nothing') {
    notes.push(
      'Quotes inside quoted fields are neither doubled nor escaped: a quote closes a field only before a delimiter or line end.',
    )
  }
  for (let record = 0; record < top.firstData; record += 1) {
    if (!tokens.broken.has(record) || top.titles.includes(record)) continue
    notes.push('The header has quotes that do not match: please check the names.')
    break
  }
  if (decided.named !== null && !isNamed(tokens, decided.named)) {
    notes.push(`The first line names the delimiter '${decided.named}', but ${delimiterName(tokens)} was taken.`)
  }
  const titles = top.titles.length
  if (titles > 0)
    notes.push(
      `Skipped before the table: ${titles === 1 ? '1 record that is' : `${titles} records that are`} no part of it.`,
    )
  if (endsEmpty(tokens, width, top.firstData)) {
    notes.push(`Every record ends with a delimiter: column ${width}, behind it, is always empty.`)
  }
  return [...notes, ...furtherHeaders(decided), ...oddities(tokens, width, rows)]
}

/** True when the last of several columns is empty, as far as the head goes, in two records at least. */
function endsEmpty(tokens: Tokens, width: number, firstData: number): boolean {
  let records = 0
  for (let record = firstData; record < recordCount(tokens); record += 1) {
    if (width < 2 || isBlank(tokens, record) || !fits(tokens, record, width)) continue
    const last = (tokens.firstFields[record + 1] ?? 0) - 1
    if (tokens.fieldStarts[last] !== tokens.fieldEnds[last]) return false
    records += 1
  }
  return records > 1
}

/** How the delimiter of a layout is written in a sentence. */
export function delimiterName({ layout }: Pick<Tokens, 'layout'>): string {
  const delimiter = String.fromCharCode(layout.delimiter)
  if (delimiter === '\t') return 'tab'
  if (delimiter === ' ') return 'space'
  return delimiter < ' ' ? `U+${layout.delimiter.toString(16).padStart(4, '0').toUpperCase()}` : `'${delimiter}'`
}
