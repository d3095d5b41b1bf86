// Column field: a detected column as a field of a Table Schema that reads its values the same way.
import type { Column } from './receipt.ts'
import type { TableField } from './table-schema.ts'

/** A detected column, which no schema declares. */
export function fieldOf(column: Column): TableField {
  const { name, nullWords = [] } = column
  const missing = nullWords.length === 0 ? {} : { missingValues: [...new Set(['', ...nullWords])] }
  return { name, ...typeOf(column), ...missing }
}

function typeOf({ type, format }: Column): Omit<TableField, 'name'> {
  // `decimal(9,2)`, `integer`.
  const [kind] = type.split('(')
  switch (kind) {
    case 'decimal':
    case 'number':
      return { type: 'number', ...numberFormat(format) }
    case 'integer':
      // Most tools know `groupChar` for numbers only.
      return format === undefined ? { type: 'integer' } : { type: 'number', ...numberFormat(format) }
    case 'boolean':
      return { type: 'boolean' }
    case 'date':
      return { type: 'date', ...(format !== undefined && { format: pattern(format) }) }
    // ISO 8601 allows forms beyond the default one: fractions of a second, a space instead of the T.
    case 'time':
      return { type: 'time', format: 'any' }
    case 'timestamp':
    case 'timestamptz':
      return { type: 'datetime', format: format === undefined ? 'any' : pattern(format) }
    default:
      return { type: 'string' }
  }
}

/** `1.234,56`: the characters that separate groups and the fraction. */
function numberFormat(format = ''): Pick<TableField, 'groupChar' | 'decimalChar'> {
  const [, groupChar = '', decimalChar = ''] = /^1(\D?)234(?:(\D)56)?$/.exec(format) ?? []
  return { ...(groupChar !== '' && { groupChar }), ...(decimalChar !== '' && decimalChar !== '.' && { decimalChar }) }
}

/** `DD/MM/YYYY hh:mm:ss` as a strptime format, which Table Schema uses. */
function pattern(format: string): string {
  const words: Readonly<Record<string, string>> = { YYYY: '%Y', MM: '%m', DD: '%d', hh: '%H', mm: '%M', ss: '%S' }
  return format.replaceAll(/YYYY|MM|DD|hh|mm|ss/g, (word) => words[word] ?? word)
}
