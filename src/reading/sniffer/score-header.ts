// Score header: weighs whether values are rather the names of columns or one more record. Knows nothing of where they stand.

import { fieldValue, fits, isQuoted, type Tokens, widthOf } from './tokenize.ts'
import { isMeasured, type Kind, kindOf } from './value-kind.ts'

const nameLengthMax = 80

/** What the values of one column look like, for comparing a possible name with them. */
interface ColumnProfile {
  readonly values: readonly string[]
  /** The kind of nearly all values; text when they differ. */
  readonly kind: Kind
  /** Length of all values, when they have one and are several. */
  readonly length: number | null
  readonly shapes: ReadonlySet<string>
}

/** Profiles the columns of some records; those of another width do not count. */
export function profile(tokens: Tokens, rows: readonly number[], width: number): ColumnProfile[] {
  const values: string[][] = Array.from({ length: width }, () => [])
  for (const row of rows) {
    if (!fits(tokens, row, width)) continue
    const first = tokens.firstFields[row] ?? 0
    for (let column = 0; column < width; column += 1) values[column]?.push(fieldValue(tokens, first + column).trim())
  }
  return values.map(profileColumn)
}

function profileColumn(all: readonly string[]): ColumnProfile {
  const kinds = new Map<Kind, number>()
  const values: string[] = []
  for (const value of all) {
    const kind = kindOf(value)
    if (kind === 'empty' || kind === 'null') continue
    values.push(value)
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
  }
  const [kind, count] = [...kinds].sort((a, b) => b[1] - a[1])[0] ?? ['empty', 0]
  const length = values[0]?.length ?? 0
  let shapes: ReadonlySet<string> | undefined
  return {
    values,
    kind: count >= values.length * 0.8 ? kind : 'text',
    length: values.length >= 3 && values.every((value) => value.length === length) ? length : null,
    // Made only where a header is weighed against texts: it takes longer than all the rest of a profile.
    get shapes() {
      shapes ??= new Set(values.map(shapeOf))
      return shapes
    },
  }
}

/** The build of a text: `Mary-Ann 3` is `Aa-Aa 0`. */
function shapeOf(value: string): string {
  return value
    .slice(0, nameLengthMax)
    .replace(/\p{Lu}+/gu, 'A')
    .replace(/\p{L}+/gu, (letters) => (letters[0] === 'A' ? 'Aa' : 'a'))
    .replace(/\d+/g, '0')
}

/** Weighs for every column whether its first value is rather its name or one more value. */
export function isHeader(values: readonly string[], columns: readonly ColumnProfile[], bodyRows: number): boolean {
  if (bodyRows === 0) return values.length > 1 && looksLikeNames(values)
  const isRepeated = values.every((value, column) => columns[column]?.values.includes(value.trim()))
  if (countsUp(values) && !isRepeated) return true
  let votes = 0
  values.forEach((value, column) => {
    const below = columns[column]
    if (below !== undefined) votes += vote(value.trim(), below, column)
  })
  const distinct = new Set(values.map((value) => value.trim().toLowerCase()).filter((value) => value !== ''))
  votes -= (values.filter((value) => value.trim() !== '').length - distinct.size) * 0.5
  return votes > 0
}

/** Column numbers, as table libraries write them for columns without names; the first may be that of an index. */
function countsUp(values: readonly string[]): boolean {
  const numbers = values[0]?.trim() === '' ? values.slice(1) : values
  const first = Number(numbers[0])
  return (
    numbers.length >= 3 && (first === 0 || first === 1) && numbers.every((value, at) => value === String(first + at))
  )
}

function vote(value: string, below: ColumnProfile, column: number): number {
  const kind = kindOf(value)
  if (kind === 'empty') return column === 0 || below.values.length === 0 ? 0 : -0.2
  if (isMeasured(kind) || kind === 'address') {
    // Years head columns of figures.
    if (kind === 'number' && isYear(value) && !below.values.some(isYear)) return 0.3
    return below.kind === kind ? -1 : -0.4
  }
  if (below.values.length === 0) return kind === 'text' ? 0.2 : 0
  if (kind === 'null') return -0.2
  if (below.kind !== 'text') return 1
  return textVote(value, below)
}

/** The vote of a text above texts. */
function textVote(value: string, below: ColumnProfile): number {
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

/** All there, hardly one twice, none a number or date, none a sentence. */
export function looksLikeNames(values: readonly string[]): boolean {
  const names = values.map((value) => value.trim().toLowerCase())
  const isName = (name: string) => {
    const kind = kindOf(name)
    return (kind === 'text' || kind === 'null') && name.length <= nameLengthMax
  }
  return names.every(isName) && new Set(names).size * 3 >= names.length * 2
}

/** True for a record all in quotes above a column that has none and, by what its name holds, needs none: a writer quotes names. */
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
