// Column list: a list of names in one parameter. Does not know which columns exist.
import { ServiceError } from '../../core/errors.ts'

/**
 * Reads names separated by commas, as a record of RFC 4180: a name that contains a comma or begins with a quote is put
 * in quotes, with its own quotes doubled: `id,"last, first"`.
 * @throws {ServiceError} BAD_PARAMETER
 */
export function readColumnNames(text: string): readonly string[] {
  const names: string[] = []
  for (let from = 0; from <= text.length; ) {
    const [field = ''] = /^(?:"(?:[^"]|"")*"(?=,|$)|(?!")[^,]*)/.exec(text.slice(from)) ?? wrongQuotes(text)
    names.push(field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field)
    from += field.length + 1
  }
  return names
}

function wrongQuotes(text: string): never {
  const wanted = 'names separated by commas, in quotes if a name contains a comma or begins with a quote'
  throw new ServiceError('BAD_PARAMETER', { name: 'columns', seen: `'${text.slice(0, 40)}'`, wanted })
}
