// Column names: makes column names from header values. Knows nothing of tables.
import { type Note, note } from '../../core/notes.ts'

/** Column names, and notes about the changes made. */
export interface NamedColumns {
  readonly names: readonly string[]
  /** The header's own values, one per column; null without a header. */
  readonly fields: readonly string[] | null
  readonly notes: readonly Note[]
}

/**
 * Makes `width` names, unique ignoring case and never empty: the values of several header records are joined
 * with `join`, an empty name becomes `column_<n>`, a repeated one gets the first of `_2`, `_3` … that the file does not
 * have. Control characters become blanks: in languages with C strings, a NUL ends a name.
 *
 * @param lines Those of the header records.
 */
export function nameColumns(
  headers: readonly (readonly string[])[],
  width: number,
  lines: readonly number[] = [],
  join = ' ',
): NamedColumns {
  const notes: Note[] = []
  const first = headers[0]
  if (first === undefined && width > 0) {
    notes.push(note('NO_HEADER', 'No header was found: the columns are named column_1, column_2 and so on.'))
  } else if (first !== undefined && first.length !== width) {
    const message = `The header has ${first.length} names for ${width} columns: please check which name belongs to which column.`
    notes.push(note('HEADER_WIDTH_DIFFERS', message))
  }
  const rows = headers.map((values) => fitted(values, width))
  const fields = Array.from({ length: width }, (_, column) => {
    const values = rows.map((row) => row[column] ?? '')
    return values.filter((value) => value !== '').join(join)
  })
  const wanted = fields.map((field) => field.replace(/[\s\p{Cc}]+/gu, ' ').trim())
  const unique = uniqueNames(wanted)
  const renamed: string[] = []
  const names = wanted.map((own, column) => {
    const name = own === '' ? unique(`column_${column + 1}`, false) : unique(own, true)
    if (own !== '' && name !== own) renamed.push(`${own} (column ${column + 1})`)
    return name
  })
  if (headers.length > 1) {
    const joined = fields.filter((_, column) => rows.filter((row) => (row[column] ?? '') !== '').length > 1)
    const message = `The header is ${headers.length} records high (lines ${lines.join(', ')}): the values of each column are joined: ${listed(joined)}.`
    notes.push(note('HEADER_JOINED', message, { lines }))
  }
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

/**
 * Returns each name, numbered if it occurred before; the names that the file has are free only for themselves. Remembers
 * the last number, so that a million equal names take linear time.
 */
function uniqueNames(inFile: readonly string[]): (wanted: string, isInFile: boolean) => string {
  const own = new Set(inFile.map((name) => name.toLowerCase()))
  const taken = new Set<string>()
  const lastNumber = new Map<string, number>()
  return (wanted, isInFile) => {
    const key = wanted.toLowerCase()
    let name = key
    let number = lastNumber.get(key) ?? 1
    while (taken.has(name) || (own.has(name) && !(isInFile && name === key))) {
      number += 1
      name = `${key}_${number}`
      lastNumber.set(key, number)
    }
    taken.add(name)
    return name === key ? wanted : `${wanted}_${number}`
  }
}

function listed(items: readonly string[]): string {
  const shown = items.slice(0, 5).join(', ')
  return items.length > 5 ? `${shown} and ${items.length - 5} more` : shown
}
