// Score header: weighs whether values are more likely column names or one more record. Knows nothing of their position.

import { fieldValue, fits, isQuoted, type Tokens, widthOf } from '../sniffer/tokenize.ts'
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
  let shape = ''
  let before = ''
  const length = Math.min(value.length, nameLengthMax)
  for (let at = 0; at < length; at += 1) {
    const code = value.charCodeAt(at)
    if (code >= 0x80) return shapeOfAny(value)
    const kind = asciiShapes[code] ?? ''
    // The first letter of a run stands for all of it.
    const isSameRun =
      kind === before ? kind !== '' : (kind === 'a' && before === 'Aa') || (kind === 'Aa' && before === 'a')
    if (isSameRun) continue
    shape += kind === '' ? value.charAt(at) : kind
    before = kind
  }
  return shape
}

/** How a run of a character is written in a shape; empty for a character that stands for itself. */
const asciiShapes: readonly string[] = Array.from({ length: 0x80 }, (_, code) => {
  const character = String.fromCharCode(code)
  return /[A-Z]/.test(character) ? 'Aa' : /[a-z]/.test(character) ? 'a' : /[0-9]/.test(character) ? '0' : ''
})

function shapeOfAny(value: string): string {
  return value
    .slice(0, nameLengthMax)
    .replace(/\p{Lu}+/gu, 'A')
    .replace(/\p{L}+/gu, (letters) => (letters[0] === 'A' ? 'Aa' : 'a'))
    .replace(/\d+/g, '0')
}

/** Evidence for and against a header if neither prevails clearly. */
export interface TossUp {
  /** What makes it one: numbers that count up, years as names, being the only record, another delimiter, or values as such. */
  readonly kind: 'counting' | 'years' | 'alone' | 'delimited' | 'values'
  /** Columns in which its value differs from those below in type or shape. */
  readonly unlike: number
  /** Columns in which its value resembles those below. */
  readonly like: number
}

export interface Weighed {
  readonly isHeader: boolean
  readonly tossUp: TossUp | null
}

/** Less than this many votes per column is chance. */
const chanceVote = 0.12

/** Weighs for every column whether its first value is more likely its name or one more value. */
export function weighHeader(values: readonly string[], columns: readonly ColumnProfile[], bodyRows: number): Weighed {
  if (bodyRows === 0) {
    const isHeader = values.length > 1 && looksLikeNames(values)
    return { isHeader, tossUp: isHeader ? { kind: 'alone', unlike: 0, like: 0 } : null }
  }
  const counting = weighCounting(values, columns)
  if (counting !== null) return counting
  const context = {
    hasText: values.some((value) => kindOf(value) === 'text'),
    outside: columnsOutside(values, columns),
  }
  const marks = columnsOfMarks(values, columns)
  let unlike = 0
  let like = 0
  let votes = 0
  values.forEach((value, column) => {
    const below = columns[column]
    if (below === undefined || marks.has(column)) return
    const one = vote(value.trim(), below, column, context)
    votes += one
    if (one > chanceVote) unlike += 1
    else if (one !== 0) like += 1
  })
  votes -= repeatedNames(values, columns, marks)
  // Of a single column, a few values show nothing.
  const isTossUp = (values.length > 1 || bodyRows >= 3) && Math.abs(votes) <= chanceVote * values.length
  // Years without any text beside them may well be figures.
  const areYears = votes > 0 && values.every((value) => isYear(value.trim()))
  const kind = areYears ? 'years' : 'values'
  return { isHeader: votes > 0, tossUp: isTossUp || areYears ? { kind, unlike, like } : null }
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
function weighCounting(values: readonly string[], columns: readonly ColumnProfile[]): Weighed | null {
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
  const isHeld = run.some((value, at) => below[at]?.values.includes(value))
  const rowsCounting = countingRows(below)
  const isHeader = isSure || (others.length > 0 ? rowsCounting * 2 <= (below[0]?.values.length ?? 0) : !isHeld)
  const unlike = below.filter(({ values: all }, at) => !all.includes(run[at] ?? '')).length
  return { isHeader, tossUp: isSure ? null : { kind: 'counting', unlike, like: below.length - unlike } }
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

/** Columns whose first value is an integer above all numbers below it: more likely an id than one more value. */
function columnsOutside(values: readonly string[], columns: readonly ColumnProfile[]): ReadonlySet<number> {
  const found = values.flatMap((value, column) => {
    const below = columns[column]
    if (below === undefined || below.kind !== 'number' || below.values.length < 2 || !isWhole(value.trim())) return []
    const number = Number(value)
    const numbers = below.values.map(Number)
    const isOutside =
      below.values.every((other) => !isWhole(other)) && numbers.every((other) => number > 10 * Math.abs(other))
    return isOutside ? [column] : []
  })
  return new Set(found.length > 1 ? found : [])
}

interface VoteContext {
  /** Whether a value of the record is a text. */
  readonly hasText: boolean
  readonly outside: ReadonlySet<number>
}

function vote(value: string, below: ColumnProfile, column: number, { hasText, outside }: VoteContext): number {
  const kind = kindOf(value)
  if (kind === 'empty') return column === 0 || below.values.length === 0 ? 0 : -0.2
  if (isMeasured(kind) || kind === 'address') {
    // Years head columns of numbers.
    if (kind === 'number' && isYear(value) && !below.values.some(isYear)) return 0.3
    if (isMoment(kind) && isOther(kind, below)) return 0.5
    if (hasText && outside.has(column)) return 0.5
    return below.kind === kind ? -1 : -0.4
  }
  if (below.values.length === 0) return kind === 'text' ? 0.2 : 0
  if (kind === 'null') return -0.2
  if (below.kind !== 'text') return 1
  return textVote(value, below)
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
  if (below.values.length >= 3) votes += below.shapes.has(shapeOf(value)) ? -0.05 : below.shapes.size <= 4 ? 0.3 : 0.1
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
  const first = tokens.firstFields[row] ?? 0
  const width = widthOf(tokens, row)
  const rows = body.filter((record) => fits(tokens, record, width))
  const fields = Array.from({ length: width }, (_, column) => first + column)
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
