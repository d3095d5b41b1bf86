// Check declared: whether the members of a declared dialect are consistent. Knows nothing of the file.
import { ServiceError } from '../core/errors.ts'
import type { DeclaredDialect } from './reading.ts'

/** Pairs that must not be the same character; as both quote and escape, it is doubled. */
const apart = [
  ['quoteChar', 'delimiter'],
  ['escapeChar', 'delimiter'],
  ['commentChar', 'delimiter'],
  ['commentChar', 'quoteChar'],
  ['commentChar', 'escapeChar'],
] as const

/**
 * Each is one character that has one meaning; the scanner accepts quote and escape as one byte of UTF-8.
 *
 * @throws {ServiceError} BAD_PARAMETER
 */
export function checkDeclared(declared: DeclaredDialect): void {
  if (declared.headerRows !== undefined && declared.skipRows !== undefined) {
    throw new ServiceError('BAD_PARAMETER', {
      name: 'dialect.headerRows',
      seen: 'skipRows is declared too',
      expected: 'one of them: headerRows counts from the first record of the file',
    })
  }
  for (const name of ['delimiter', 'quoteChar', 'escapeChar', 'commentChar'] as const) {
    const seen = declared[name]
    if (seen === undefined || seen === null || (name === 'delimiter' && seen === ', ')) continue
    const isAny = name === 'delimiter' || name === 'commentChar'
    const isOne = seen.length === 1 && seen.isWellFormed() && !'\0\r\n'.includes(seen)
    if (isOne && (isAny || seen <= '\x7f')) continue
    throw new ServiceError('BAD_PARAMETER', {
      name: `dialect.${name}`,
      seen: JSON.stringify(seen),
      expected: `one ${isAny ? '' : 'ASCII '}character other than a line end`,
    })
  }
  for (const [name, other] of apart) {
    const seen = declared[name]
    if (typeof seen !== 'string' || seen !== declared[other]?.charAt(0)) continue
    throw new ServiceError('BAD_PARAMETER', {
      name: `dialect.${name}`,
      seen: `${JSON.stringify(seen)}, which is also the ${other}`,
      expected: 'a different character',
    })
  }
}
