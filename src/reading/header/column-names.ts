// Column names: makes column names from header values. Knows nothing of tables.
import { type Note, note } from '../../core/notes.ts'

/** Column names, and notes about the changes made. */
export interface Naming {
  readonly names: readonly string[]
  /** The header's own values, one per column; null without a header. */
  readonly fields: readonly string[] | null
  readonly notes: readonly Note[]
}

/**
 * Makes `width` names, unique ignoring case and never empty: the values of several header records are joined
 * with `join`, an empty name becomes `column_<n>`, a repeated one gets `_2`, `_3` …. Control characters become blanks: in
 * languages with C strings, a NUL ends a name.
 */
export function nameColumns(headers: readonly (readonly string[])[], width: number, join = ' '): Naming {
  const notes: Note[] = []
  const first = headers[0]
  if (first === undefined) {
    notes.push(note('NO_HEADER', 'No header was found: the columns are named column_1, column_2 and so on.'))
  } else if (first.length !== width) {
    const message = `The header has ${first.length} names for ${width} columns: please check which name belongs to which column.`
    notes.push(note('HEADER_WIDTH_DIFFERS', message))
  }
  if (headers.length > 1) {
    notes.push(
      note('HEADER_JOINED', `The header is ${headers.length} records high: the values of each column are joined.`),
    )
  }
  const rows = headers.map((values) => fitted(values, width))
  const fields = Array.from({ length: width }, (_, column) => {
    const values = rows.map((row) => row[column] ?? '')
    return values.filter((value) => value !== '').join(join)
  })
  const unique = uniqueNames()
  const renamed: string[] = []
  const names = fields.map((field, column) => {
    const wanted = field.replace(/[\s\p{Cc}]+/gu, ' ').trim()
    const name = unique(wanted === '' ? `column_${column + 1}` : wanted)
    if (wanted !== '' && name !== wanted) renamed.push(`${wanted} (column ${column + 1})`)
    return name
  })
  if (renamed.length > 0) {
    notes.push(note('NAMES_NUMBERED', `Names that occur more than once were numbered: ${listed(renamed)}.`))
  }
  return { names, fields: first === undefined ? null : fields, notes }
}

/** A header with one name too many often has an empty one, left by a trailing delimiter. */
function fitted(values: readonly string[], width: number): readonly string[] {
  if (values.length <= width) return values
  const named = values.filter((value) => value.trim() !== '')
  return named.length === width ? named : values
}

/** Returns each name, numbered if it occurred before. Remembers the last number, so that a million equal names take linear time. */
function uniqueNames(): (wanted: string) => string {
  const taken = new Set<string>()
  const lastNumber = new Map<string, number>()
  return (wanted) => {
    const key = wanted.toLowerCase()
    let name = wanted
    for (let number = (lastNumber.get(key) ?? 1) + 1; taken.has(name.toLowerCase()); number += 1) {
      name = `${wanted}_${number}`
      lastNumber.set(key, number)
    }
    taken.add(name.toLowerCase())
    return name
  }
}

function listed(items: readonly string[]): string {
  const shown = items.slice(0, 5).join(', ')
  return items.length > 5 ? `${shown} and ${items.length - 5} more` : shown
}
