// Upload options: everything that a client declares about its file, checked before the first byte of the file is read.
import type { Converter } from '../../convert/convert.ts'
import type { DeclaredDialect } from '../../reading/reading.ts'
import type { OptionPart } from '../upload/receive-file.ts'
import { parseDeclaredDialect, readDeclaredDialect } from './parse-dialect.ts'
import { type DeclaredSchema, parseDeclaredSchema, readDeclaredSchema } from './parse-schema.ts'
import { refuse, shown } from './schema-error.ts'

export interface UploadOptions {
  readonly dialect: DeclaredDialect
  readonly schema: DeclaredSchema | null
}

/** From the parts before the file. @throws {ServiceError} BAD_PARAMETER */
export async function parseUploadOptions(
  texts: ReadonlyMap<OptionPart, string>,
  converter: Converter,
  signal: AbortSignal,
): Promise<UploadOptions> {
  const dialect = parseDeclaredDialect(texts.get('dialect'))
  const schema = parseDeclaredSchema(texts.get('schema'))
  return await checked({ dialect, schema }, converter, signal)
}

/** From JSON values; an undefined one is not declared. @throws {ServiceError} BAD_PARAMETER */
export async function readUploadOptions(
  { dialect = {}, schema }: { readonly dialect?: unknown; readonly schema?: unknown },
  converter: Converter,
  signal: AbortSignal,
): Promise<UploadOptions> {
  const declared = {
    dialect: readDeclaredDialect(dialect),
    schema: schema === undefined ? null : readDeclaredSchema(schema),
  }
  return await checked(declared, converter, signal)
}

/** Only the engine that evaluates a regular expression knows whether it is valid. */
async function checked(statements: UploadOptions, converter: Converter, signal: AbortSignal): Promise<UploadOptions> {
  const declared = (statements.schema?.table.fields ?? []).flatMap(({ constraints }, i) => {
    const pattern = constraints?.pattern
    return pattern === undefined ? [] : [{ pattern, place: `fields[${i}].constraints.pattern` }]
  })
  if (declared.length === 0) return statements
  const patterns = declared.map(({ pattern }) => pattern)
  for (const [i, problem] of (await converter.checkPatterns(patterns, signal)).entries()) {
    if (problem === null) continue
    const { place = '', pattern = '' } = declared[i] ?? {}
    throw refuse(place, shown(pattern), `a regular expression that RE2 accepts (${problem})`)
  }
  return statements
}
