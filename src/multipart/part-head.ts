// Part head: parses the header lines of a part for its names, by RFC 7578, 6266 and 8187. Knows nothing of their use.
import { isUtf8 } from 'node:buffer'
import { ServiceError } from '../core/errors.ts'
import { decodeWords } from './encoded-words.ts'
import type { PartHead } from './multipart.ts'
import { cutAtSemicolon, readParameters } from './parameters.ts'

const headerLinesMax = 64
const dispositionRules = { once: ['name', 'filename', 'filename*'], bareQuotes: ['filename'] }
/** Charset, language, and printable ASCII with other bytes written as `%hh`. */
const extendedPattern = /^(utf-8|iso-8859-1)'[^']*'((?:%[0-9a-f]{2}|[!-$&-~])*)$/i
const unnamable = /[\0\r\n]/
const headerPattern = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):(.*)$/s

/**
 * Reads the head of a part. Header text is UTF-8, or Latin-1 if it is not valid UTF-8; folded lines are joined.
 *
 * @param bytes The header lines up to and with the empty line.
 * @throws {ServiceError} BAD_MULTIPART if a line is not a header, a line end is not CRLF, there is a NUL, there are
 * more than 64 lines, or Content-Disposition is repeated or can be read in more than one way.
 */
export function readPartHead(bytes: Buffer): PartHead {
  const headers = readHeaders(isUtf8(bytes) ? bytes.toString('utf8') : bytes.toString('latin1'))
  const disposition = headers.get('content-disposition') ?? []
  if (disposition.length > 1) throw bad('a part has Content-Disposition twice, expected once')
  // The type of a part has no effect, so the first one is used if a client repeats it.
  return { ...readDisposition(disposition[0] ?? ''), contentType: headers.get('content-type')?.[0] ?? null }
}

function readHeaders(text: string): ReadonlyMap<string, readonly string[]> {
  // A line that begins with a blank continues the line before it (RFC 5322 section 2.2.3).
  const lines = text.replace(/\r\n[ \t]+/g, ' ').split('\r\n')
  const headers = new Map<string, string[]>()
  let count = 0
  for (const line of lines) {
    if (line === '') continue
    count += 1
    if (count > headerLinesMax) throw bad(`a part has more than ${headerLinesMax} header lines`)
    if (/[\0\r\n]/.test(line)) throw bad('a part header contains a NUL or a line end that is not CRLF')
    const header = headerPattern.exec(line)
    if (header === null) throw bad('a part header line is not of the form "name: value"')
    const [, name = '', value = ''] = header
    const key = name.toLowerCase()
    headers.set(key, [...(headers.get(key) ?? []), value.trim()])
  }
  return headers
}

function readDisposition(value: string): Pick<PartHead, 'name' | 'fileName'> {
  const [type, rest] = cutAtSemicolon(value)
  if (type.toLowerCase() !== 'form-data') return { name: null, fileName: null }
  const parameters = readParameters(rest, dispositionRules)
  if (parameters.kind === 'bad') throw bad(`Content-Disposition: ${parameters.problem}`)
  const { values } = parameters
  return { name: values.get('name') ?? null, fileName: readFileName(values) }
}

/**
 * The file name in a Content-Disposition of any type, read as for a part; null if there is none.
 * @throws {ServiceError} BAD_MULTIPART if it can be read in more than one way
 */
export function fileNameOf(disposition: string): string | null {
  const parameters = readParameters(cutAtSemicolon(disposition)[1], dispositionRules)
  if (parameters.kind === 'bad') throw bad(`Content-Disposition: ${parameters.problem}`)
  return readFileName(parameters.values)
}

/** RFC 6266 section 4.3: `filename*` takes precedence over `filename` if it can be decoded to a name. */
function readFileName(values: ReadonlyMap<string, string>): string | null {
  const text = values.get('filename')
  // A word that stands for nothing is still a name.
  const plain = text && (decodeWords(text.replaceAll('%22', '"')) || text)
  const extended = readExtendedValue(values.get('filename*'))
  const path = plain && (!extended || unnamable.test(extended)) ? plain : (extended ?? plain)
  if (path === undefined) return values.has('filename*') ? '' : null
  if (unnamable.test(path)) throw bad('a file name contains a NUL or a line end')
  return lastSegment(path)
}

/** `UTF-8'en'na%C3%AFve.csv` of RFC 8187 as text; null if it is malformed, in another charset or wrongly encoded. */
function readExtendedValue(value: string | undefined): string | null {
  const match = extendedPattern.exec(value ?? '')
  if (match === null) return null
  const [, charset = '', encoded = ''] = match
  const decoded = encoded.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  if (charset.toLowerCase() === 'iso-8859-1') return decoded
  const bytes = Buffer.from(decoded, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : null
}

/**
 * The name of a file without its path. Old browsers send the whole path. Both separators count, whatever the client's
 * system, except at the end.
 */
export function lastSegment(path: string): string {
  let end = path.length
  while (end > 0 && '/\\'.includes(path[end - 1] ?? '')) end -= 1
  const trimmed = path.slice(0, end)
  const segment = trimmed.slice(Math.max(trimmed.lastIndexOf('/'), trimmed.lastIndexOf('\\')) + 1)
  // A name of only separators has no segments, but the part does have a file name.
  return segment === '' ? path : segment
}

function bad(problem: string): ServiceError {
  return new ServiceError('BAD_MULTIPART', { problem })
}
