// Upload options: everything that a client declares about its file, checked before the first byte of the file is read.
import { setImmediate } from 'node:timers/promises'
import { compilePattern, PatternError } from '../../columns/patterns/pattern.ts'
import { ServiceError } from '../../core/errors.ts'
import type { DeclaredDialect } from '../../reading/reading.ts'
import { readDeclaredDialect, wantedDialect } from './parse-dialect.ts'
import { type DeclaredSchema, readDeclaredSchema, wantedSchema } from './parse-schema.ts'
import { refuse, shown } from './schema-error.ts'

/** The form parts that declare how to read the file. */
export const optionParts = ['dialect', 'schema'] as const
export type OptionPart = (typeof optionParts)[number]

export interface UploadOptions {
  readonly dialect: DeclaredDialect
  readonly schema: DeclaredSchema | null
}

/** From the parts before the file. @throws {ServiceError} BAD_PARAMETER */
export async function parseUploadOptions(
  texts: ReadonlyMap<OptionPart, string>,
  signal: AbortSignal,
): Promise<UploadOptions> {
  return await readUploadOptions({ dialect: jsonOf(texts, 'dialect'), schema: jsonOf(texts, 'schema') }, signal)
}

const wantedForms = { dialect: wantedDialect, schema: wantedSchema }

function jsonOf(texts: ReadonlyMap<OptionPart, string>, name: OptionPart): unknown {
  const text = texts.get(name)
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    const seen = `it is not JSON: '${text.slice(0, 40)}'`
    throw new ServiceError('BAD_PARAMETER', { name, seen, expected: wantedForms[name] })
  }
}

/** From JSON values; an undefined one is not declared. @throws {ServiceError} BAD_PARAMETER */
export async function readUploadOptions(
  { dialect = {}, schema }: { readonly dialect?: unknown; readonly schema?: unknown },
  signal: AbortSignal,
): Promise<UploadOptions> {
  const declared = {
    dialect: readDeclaredDialect(dialect),
    schema: schema === undefined ? null : readDeclaredSchema(schema),
  }
  return await checked(declared, signal)
}

/** Of all patterns: each takes memory in whatever writes the columns, and time here. */
const elementsMax = 200_000

async function checked(statements: UploadOptions, signal: AbortSignal): Promise<UploadOptions> {
  let elements = 0
  for (const [i, { constraints }] of (statements.schema?.table.fields ?? []).entries()) {
    if (constraints?.pattern === undefined) continue
    // Each may take a tenth of a second, and there may be hundreds; other requests go on between them.
    await setImmediate(undefined, { signal })
    const place = `fields[${i}].constraints.pattern`
    elements += elementsOf(constraints.pattern, place)
    const wanted = `at most ${elementsMax} elements in all patterns, with counts written out`
    if (elements > elementsMax) throw refuse(place, shown(constraints.pattern), wanted)
  }
  return statements
}

function elementsOf(pattern: string, place: string): number {
  try {
    return compilePattern(pattern).elements
  } catch (error) {
    if (!(error instanceof PatternError)) throw error
    throw refuse(place, shown(pattern), `a regular expression that RE2 accepts (${error.message})`)
  }
}
