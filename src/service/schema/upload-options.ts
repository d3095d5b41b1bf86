// Statements: all that a client states of its file, checked before a byte of the file is judged by it.
import type { Converter } from '../../convert/convert.ts'
import type { StatedDialect } from '../../reading/reading.ts'
import type { OptionPart } from '../upload/receive-file.ts'
import { parseStatedDialect, readStatedDialect } from './parse-dialect.ts'
import { parseStatedSchema, readStatedSchema, type StatedSchema } from './parse-schema.ts'
import { refuse, shown } from './schema-error.ts'

export interface Statements {
  readonly dialect: StatedDialect
  readonly schema: StatedSchema | null
}

/** Of the parts before the file. @throws {ServiceError} BAD_PARAMETER */
export async function parseStatements(
  texts: ReadonlyMap<OptionPart, string>,
  converter: Converter,
  signal: AbortSignal,
): Promise<Statements> {
  const dialect = parseStatedDialect(texts.get('dialect'))
  const schema = parseStatedSchema(texts.get('schema'))
  return await checked({ dialect, schema }, converter, signal)
}

/** Of values of JSON; what is undefined is not stated. @throws {ServiceError} BAD_PARAMETER */
export async function readStatements(
  { dialect = {}, schema }: { readonly dialect?: unknown; readonly schema?: unknown },
  converter: Converter,
  signal: AbortSignal,
): Promise<Statements> {
  const stated = {
    dialect: readStatedDialect(dialect),
    schema: schema === undefined ? null : readStatedSchema(schema),
  }
  return await checked(stated, converter, signal)
}

/** Whether a regular expression can be followed only those know who will do so. */
async function checked(statements: Statements, converter: Converter, signal: AbortSignal): Promise<Statements> {
  const stated = (statements.schema?.table.fields ?? []).flatMap(({ constraints }, i) => {
    const pattern = constraints?.pattern
    return pattern === undefined ? [] : [{ pattern, place: `fields[${i}].constraints.pattern` }]
  })
  if (stated.length === 0) return statements
  const patterns = stated.map(({ pattern }) => pattern)
  for (const [i, problem] of (await converter.checkPatterns(patterns, signal)).entries()) {
    if (problem === null) continue
    const { place = '', pattern = '' } = stated[i] ?? {}
    throw refuse(place, shown(pattern), `a regular expression that RE2 takes (${problem})`)
  }
  return statements
}
