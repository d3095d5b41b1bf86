// Score header: weighs whether values are more likely column names or one more record. Knows nothing of their position.

import type { HeaderCode, HeaderVotes } from '../../core/evidence/evidence.ts'
import { fieldsOf, fieldValue, fits, isQuoted, type Tokens } from '../sniffer/tokenize.ts'
import { isMeasured, type Kind, kindOf } from '../sniffer/value-kind.ts'

const nameLengthMax = 80

/** What the values of one column look like, for comparison with a possible name. */
interface ColumnProfile {
  readonly values: readonly string[]
  /** The kind of nearly all values; text if they differ. */
  readonly kind: Kind
  /** The length of all values, if it is the same and there are several. */
  readonly length: number | null
  readonly shapes: ReadonlySet<string>
}

/** The last profile of a text: the records below a header are looked at once more for further tables among them. */
const lastProfiles = new WeakMap<Tokens, { readonly rows: readonly number[]; readonly columns: ColumnProfile[] }>()

/** Profiles the columns of some records; those of another width do not count. */
export function profile(tokens: Tokens, rows: readonly number[], width: number): readonly ColumnProfile[] {
  const fitting = rows.filter((row) => fits(tokens, row, width))
  const last = lastProfiles.get(tokens)
  const isSame = last?.columns.length === width && last.rows.length === fitting.length
  if (last && isSame && last.rows.every((row, at) => row === fitting[at])) return last.columns
  const columns = Array.from({ length: width }, (_, column) => profileColumn(tokens, fitting, column))
  lastProfiles.set(tokens, { rows: fitting, columns })
  return columns
}

function profileColumn(tokens: Tokens, rows: readonly number[], column: number): ColumnProfile {
  const kinds = new Map<Kind, number>()
  const values: string[] = []
  for (const row of rows) {
    const value = fieldValue(tokens, (tokens.firstFields[row] ?? 0) + column).trim()
    const kind = kindOf(value)
    if (kind === 'empty' || kind === 'null') continue
    values.push(value)
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
  }
  let most: Kind = 'empty'
  let count = 0
  for (const [kind, found] of kinds) {
    if (found > count) {
      most = kind
      count = found
    }
  }
  const length = values[0]?.length ?? 0
  let shapes: ReadonlySet<string> | undefined
  return {
    values,
    kind: count >= values.length * 0.8 ? most : 'text',
    length: values.length >= 3 && values.every((value) => value.length === length) ? length : null,
    // Computed only to weigh a header against texts: it takes longer than the rest of a profile.
    get shapes() {
      shapes ??= new Set(values.map(shapeOf))
      return shapes
    },
  }
}

/** The shape of a text: `Mary-Ann 3` is `Aa-Aa 0`. */
export function shapeOf(value: string): string {
  return value
    .slice(0, nameLengthMax)
    .replace(/\p{Lu}+/gu, 'A')
    .replace(/\p{L}+/gu, (letters) => (letters[0] === 'A' ? 'Aa' : 'a'))
    .replace(/\d+/g, '0')
}

export interface HeaderVerdict {
  readonly isHeader: boolean
  readonly votes: HeaderVotes
}

/** Less than this many votes per column is chance. */
const chanceVote = 0.12

/** Whole numbers that may be names are hardly evidence against a header. */
const numberVote = -0.1
const numberVotesMin = -0.3

/** Votes without columns. */
export function votesBy(code: HeaderCode, isUncertain = false): HeaderVotes {
  return { code, typed: 0, unlike: 0, like: 0, isUncertain }
}

/**
 * Weighs for every column whether its first value is more likely its name or one more value. A column that has a type
 * only below a header decides; where none has, texts must differ in shape, and numbers alone are no names.
 */
export function weighHeader(
  values: readonly string[],
  columns: readonly ColumnProfile[],
  bodyRows: number,
): HeaderVerdict {
  if (bodyRows === 0) {
    const isHeader = values.length > 1 && looksLikeNames(values)
    return { isHeader, votes: votesBy('alone', isHeader) }
  }
  const counting = weighCounting(values, columns)
  if (counting !== null) return counting
  if (isOneMore(values, columns)) return { isHeader: false, votes: { ...votesBy('columns'), like: 1 } }
  const hasText = values.some((value) => kindOf(value) === 'text')
  const marks = columnsOfMarks(values, columns)
  const count = { typed: 0, unlike: 0, like: 0 }
  let votes = 0
  let numbers = 0
  let strongest = 0
  values.forEach((value, column) => {
    const below = columns[column]
    if (below === undefined || marks.has(column)) return
    const one = vote(value.trim(), below, column, hasText)
    if (one === numberVote) numbers += 1
    else votes += one
    strongest = Math.max(strongest, one)
    if (one === 1) count.typed += 1
    else if (one > chanceVote) count.unlike += 1
    else if (one !== 0) count.like += 1
  })
  votes += Math.max(numbers * numberVote, numberVotesMin) - repeatedNames(values, columns, marks)
  const isHeader = votes > 0 && (numbers === 0 || strongest >= shapeVote)
  // Of a single column, a few values show nothing, unless they look like the first one or that is hardly a name.
  const [first = ''] = values
  const isShown = values.length > 1 || bodyRows >= 3 || /[\d\\/@]/.test(first) || columns[0]?.shapes.has(shapeOf(first))
  const isClose = isShown === true && Math.abs(votes) <= chanceVote * values.length
  // Numbers beside few names may well be figures, and numbers below texts names.
  const mayBeNames = isHeader
    ? numbers > 0 && count.typed + count.unlike <= count.like
    : hasText && (strongest >= shapeVote || (numbers > 0 && votes > 4 * numberVote))
  // Years without any text beside them may well be figures.
  const areYears = votes > 0 && values.every((value) => isYear(value.trim()))
  return {
    isHeader,
    votes: { code: areYears ? 'years' : 'columns', ...count, isUncertain: isClose || mayBeNames || areYears },
  }
}

/** A text with digits in a single column, most of which has them in the same places: a code, a town and its post code. */
function isOneMore([first = '', ...others]: readonly string[], [below]: readonly ColumnProfile[]): boolean {
  if (below === undefined || others.length > 0 || kindOf(first) !== 'text' || !/\d/.test(first)) return false
  const shape = shapeOf(first.trim())
  return below.values.filter((value) => shapeOf(value) === shape).length * 2 > below.values.length
}

/** Repeated names are evidence against a header, less so if the columns below do not contain them: some exports repeat names. */
function repeatedNames(
  values: readonly string[],
  columns: readonly ColumnProfile[],
  marks: ReadonlySet<number>,
): number {
  const seen = new Set<string>()
  let against = 0
  values.forEach((value, column) => {
    const name = value.trim().toLowerCase()
    if (name === '' || marks.has(column)) return
    if (seen.has(name)) {
      const isHeld = columns[column]?.values.some((other) => other.toLowerCase() === name) === true
      against += isHeld || isMeasured(kindOf(name)) ? 0.5 : 0.05
    }
    seen.add(name)
  })
  return against
}

/**
 * Numbers that count up, as written by table libraries for unnamed columns, or used for hours and classes. The first
 * may be that of an index; next to other names there have to be three of them. Null if they do not count up.
 */
function weighCounting(values: readonly string[], columns: readonly ColumnProfile[]): HeaderVerdict | null {
  const trimmed = values.map((value) => value.trim())
  const from = trimmed.findIndex((value) => value === '0' || value === '1' || value === '00' || value === '01')
  if (from < 0) return null
  const first = Number(trimmed[from])
  const run = trimmed.slice(from)
  const others = trimmed.slice(0, from)
  const isEnough = run.length >= 3 || isBesideIndex(others, columns)
  const isCounting = isEnough && run.every((value, at) => /^\d+$/.test(value) && Number(value) === first + at)
  if (!isCounting || others.some((value) => value !== '' && kindOf(value) !== 'text')) return null
  const below = columns.slice(from)
  const hasWhole = below.every(({ values: all }) => all.length > 0 && all.every(isWhole))
  const isSure = others.some((value) => value === '') || !hasWhole
  const rowsCounting = countingRows(below)
  const isHeader = isSure || (others.length > 0 && rowsCounting * 2 <= (below[0]?.values.length ?? 0))
  const unlike = below.filter(({ values: all }, at) => !all.includes(run[at] ?? '')).length
  return { isHeader, votes: { code: 'counting', typed: 0, unlike, like: below.length - unlike, isUncertain: !isSure } }
}

/** A column without a name that counts from 0, as pandas writes an index: then even a single number is a name. */
function isBesideIndex(others: readonly string[], columns: readonly ColumnProfile[]): boolean {
  const index = columns[0]?.values ?? []
  return others.length === 1 && others[0] === '' && index.length > 0 && index.every((value, at) => value === String(at))
}

/** Rows that count up by one as well. */
function countingRows(below: readonly ColumnProfile[]): number {
  const rows = below[0]?.values.length ?? 0
  let count = 0
  for (let row = 0; row < rows; row += 1) {
    const start = Number(below[0]?.values[row])
    if (below.every(({ values }, at) => Number(values[row]) === start + at)) count += 1
  }
  return count
}

/** The vote of a value that has another shape than all of at least three values below. */
const shapeVote = 0.3

function vote(value: string, below: ColumnProfile, column: number, hasText: boolean): number {
  const kind = kindOf(value)
  if (kind === 'empty') return column === 0 || below.values.length === 0 ? 0 : -0.2
  if (isMeasured(kind) || kind === 'address') {
    // Years head columns of numbers.
    if (kind === 'number' && isYear(value) && !below.values.some(isYear)) return shapeVote
    if ((isMoment(kind) || kind === 'boolean') && isOther(kind, below)) return isMeasured(below.kind) ? 1 : 0.5
    if (below.kind === kind) return kind === 'number' && hasText ? voteOfNumber(value, below) : -1
    if (!hasText || !isOther(kind, below)) return -0.4
    return below.kind === 'text' ? (isWhole(value) ? shapeVote : -0.4) : 1
  }
  if (below.values.length === 0) return kind === 'text' ? 0.2 : 0
  if (kind === 'null' || !/[\p{L}\p{N}\ufffd]/u.test(value)) return -0.2
  // A text that stands among the numbers again and again is a value that is missing.
  const isValue =
    below.kind !== 'text' && below.values.filter((other) => other === value).length * 10 > below.values.length
  if (below.kind !== 'text') return isValue ? -0.5 : 1
  return textVote(value, below)
}

/** The vote of a number beside texts, above numbers. */
function voteOfNumber(value: string, below: ColumnProfile): number {
  const isLonger = below.length !== null && below.length !== value.length
  if (below.values.length >= 3 && (!below.shapes.has(shapeOf(value)) || (isWhole(value) && isLonger))) return shapeVote
  return isWhole(value) && !value.startsWith('-') ? numberVote : -1
}

/** Columns of one mark throughout, such as the second one of a delimiter `|~|`: it is neither a name nor a value. */
function columnsOfMarks(values: readonly string[], columns: readonly ColumnProfile[]): ReadonlySet<number> {
  const found = values.flatMap((value, column) => {
    const below = columns[column]?.values ?? []
    const isMark = /^[^\p{L}\p{N}]+$/u.test(value) && below.length > 0 && below.every((other) => other === value.trim())
    return isMark ? [column] : []
  })
  return new Set(found.length < values.length ? found : [])
}

/** Dates and times head columns of other values in wide tables. */
function isMoment(kind: Kind): boolean {
  return kind === 'date' || kind === 'time' || kind === 'timestamp'
}

function isOther(kind: Kind, below: ColumnProfile): boolean {
  return below.values.length > 0 && below.kind !== kind && !below.values.some((value) => kindOf(value) === kind)
}

function isWhole(value: string): boolean {
  return /^-?\d+$/.test(value)
}

const timeOfDay = /(?<![\d:])\d{1,2}:[0-5]\d:[0-5]\d(?![\d:])/

/** The vote of a text above texts. */
function textVote(value: string, below: ColumnProfile): number {
  // No name is as precise as the lines of a log.
  if (timeOfDay.test(value) && below.values.every((other) => timeOfDay.test(other))) return -1
  let votes = value.length <= nameLengthMax ? 0.1 : -0.3
  const repeats = below.values.filter((other) => other === value).length
  if (repeats > 1 || (repeats === 1 && below.values.length < 10)) votes -= 0.7
  if (below.length !== null) votes += below.length === value.length ? -0.3 : 0.5
  if (below.values.length >= 3)
    votes += below.shapes.has(shapeOf(value)) ? -0.05 : below.shapes.size <= 4 ? shapeVote : 0.1
  return votes
}

function isYear(value: string): boolean {
  return /^(?:1[89]|20)\d\d$/.test(value)
}

/** None missing, hardly one repeated, none a number or date, none a sentence. */
export function looksLikeNames(values: readonly string[]): boolean {
  const names = values.map((value) => value.trim().toLowerCase())
  const isName = (name: string) => {
    const kind = kindOf(name)
    return (kind === 'text' || kind === 'null') && name.length <= nameLengthMax
  }
  return names.every(isName) && new Set(names).size * 3 >= names.length * 2
}

/** True for a fully quoted record above columns that are not quoted and, judging by the names, need not be: some writers quote names. */
export function isQuotedAlone(tokens: Tokens, row: number, body: readonly number[]): boolean {
  const fields = fieldsOf(tokens, row)
  const rows = body.filter((record) => fits(tokens, record, fields.length))
  if (rows.length < 2 || !fields.every((field) => isQuoted(tokens, field))) return false
  return fields.some((field, column) => {
    if (needsQuotes(tokens, fieldValue(tokens, field))) return false
    return rows.every((record) => {
      const below = (tokens.firstFields[record] ?? 0) + column
      return !isQuoted(tokens, below) && tokens.fieldStarts[below] !== tokens.fieldEnds[below]
    })
  })
}

function needsQuotes({ layout }: Tokens, value: string): boolean {
  return /["'\r\n]|^\s|\s$/.test(value) || value.includes(String.fromCharCode(layout.delimiter))
}
