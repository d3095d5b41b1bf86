// Parse dialect: reads what a client declares about its file in the part `dialect` (Frictionless Table Dialect).
import { ServiceError } from '../../core/errors.ts'
import type { DeclaredDialect } from '../../reading/reading.ts'

type Member = Exclude<keyof DeclaredDialect, 'names'>
type Members = { -readonly [Name in Member]?: DeclaredDialect[Name] }

/** One row per member: what its value must be. */
const members: { readonly [Name in Member]: { wanted: string; is(value: unknown): boolean } } = {
  delimiter: { wanted: 'one character, or a comma and a space', is: isDelimiter },
  quoteChar: { wanted: 'one ASCII character or null', is: isAsciiCharacterOrNull },
  doubleQuote: { wanted: 'true or false', is: isBoolean },
  escapeChar: { wanted: 'one ASCII character or null', is: isAsciiCharacterOrNull },
  lineTerminator: {
    wanted: '"\\r\\n", "\\n" or "\\r"',
    is: (value) => value === '\r\n' || value === '\n' || value === '\r',
  },
  header: { wanted: 'true or false', is: isBoolean },
  skipRows: { wanted: 'a whole number from 0 to 1000', is: (value) => isWhole(value, 0, 1000) },
  headerRows: {
    wanted: 'at most 100 whole numbers from 1 to 100000',
    is: (rows) => Array.isArray(rows) && rows.length <= 100 && rows.every((row) => isWhole(row, 1, 100_000)),
  },
  headerJoin: {
    wanted: 'a text of at most 20 characters',
    is: (value) => typeof value === 'string' && value.length <= 20,
  },
  commentChar: {
    wanted: 'one character or null',
    is: (value) => value === null || (value !== ', ' && isDelimiter(value)),
  },
  skipInitialSpace: { wanted: 'true or false', is: isBoolean },
  padShortRecords: { wanted: 'true or false', is: isBoolean },
  encoding: { wanted: 'the name of an encoding', is: (value) => typeof value === 'string' && value.length <= 40 },
}

export const wantedDialect = 'a Frictionless Table Dialect'

/** Members of the standard that have no effect on how this service reads. */
const ignored = new Set(['$schema', 'csvddfVersion', 'caseSensitiveHeader'])

/** @throws {ServiceError} BAD_PARAMETER if it is not an object, has an unknown member, or one of the wrong kind. */
export function readDeclaredDialect(object: unknown): DeclaredDialect {
  if (typeof object !== 'object' || object === null || Array.isArray(object)) {
    throw bad('it is not a JSON object', wantedDialect)
  }
  const declared: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(object)) {
    if (ignored.has(name)) continue
    const member = Object.hasOwn(members, name) ? members[name as Member] : undefined
    if (member === undefined) throw bad(`unknown member '${name}'`, `only ${Object.keys(members).join(', ')}`)
    if (!member.is(value)) throw bad(`'${name}' is ${JSON.stringify(value)}`, member.wanted)
    declared[name] = value
  }
  // Every member has just been checked against its row.
  return declared as Members
}

function bad(seen: string, expected: string): ServiceError {
  return new ServiceError('BAD_PARAMETER', { name: 'dialect', seen, expected })
}

/** One UTF-16 code unit that is neither a line end nor half a character. */
function isDelimiter(value: unknown): boolean {
  if (typeof value !== 'string') return false
  return value === ', ' || (value.length === 1 && value.isWellFormed() && !'\0\r\n'.includes(value))
}

function isAsciiCharacterOrNull(value: unknown): boolean {
  return value === null || (typeof value === 'string' && /^[\t\x20-\x7e]$/.test(value))
}

function isBoolean(value: unknown): boolean {
  return typeof value === 'boolean'
}

function isWhole(value: unknown, least: number, most: number): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most
}
