// Parse query: converts the texts of a query string to the values that a schema asks for, or rejects them.
import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/schema'
import { ServiceError } from '../../core/errors.ts'
import { isObject } from '../../core/json.ts'
import { uploadsPath } from './upload-json.ts'

/** The keywords of JSON Schema that our parameters use. */
interface PropertySchema {
  readonly type?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly maxItems?: number
  readonly pattern?: string
  readonly default?: unknown
  readonly enum?: readonly unknown[]
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, PropertySchema>>
  readonly required?: readonly string[]
}

const seenLengthMax = 40

/**
 * Checks parameters strictly: numbers are digits only, and repeated or unknown parameters are errors, since a mistyped
 * `ofset` would otherwise silently return the first page. Fills in defaults.
 *
 * Rejects a query with BAD_PARAMETER; a path with DATASET_NOT_FOUND or UPLOAD_NOT_FOUND, since no such id can exist, or
 * NOT_FOUND; a body that lacks a required member with BAD_REQUEST.
 */
export const compileQuery: FastifySchemaCompiler<TSchema> = ({ schema, httpPart, url }) => {
  // Compiled at the first request: compiling every schema would take a tenth of the startup time.
  let compiled: Validator | undefined
  const check = () => (compiled ??= Compile(schema))
  // Schemas of parameters are objects; `properties` is what TypeBox makes of them.
  const { properties: rows = {}, required = Object.keys(rows) } = schema as ObjectSchema
  const properties = new Map(Object.entries(rows))
  const unknownId = url?.includes(`${uploadsPath}/`) ? 'UPLOAD_NOT_FOUND' : 'DATASET_NOT_FOUND'
  return (given: unknown) => {
    if (httpPart === 'body' && !isObject(given)) return { error: badBody() }
    const texts = new Map(Object.entries(given ?? {}))
    const values: Record<string, unknown> = {}
    for (const [name, property] of properties) {
      const text: unknown = texts.get(name)
      const value = text === undefined ? property.default : readValue(text, property)
      if (value !== undefined) values[name] = value
    }
    const unknownName = [...texts.keys()].find((name) => !properties.has(name))
    if (unknownName === undefined && check().Check(values)) return { value: values }
    const name = check().Errors(values)[1][0]?.instancePath.split('/')[1] ?? ''
    if (httpPart === 'params' && name !== 'id') return { error: new ServiceError('NOT_FOUND', {}) }
    if (httpPart === 'params') return { error: new ServiceError(unknownId, { id: String(texts.get('id')) }) }
    if (unknownName !== undefined) return { error: unknownParameter(unknownName) }
    return { error: name === '' ? badBody() : badValue() }

    function badValue(): ServiceError {
      const expected = wantedValue(properties.get(name) ?? {})
      return new ServiceError('BAD_PARAMETER', { name, seen: shown(texts.get(name)), expected })
    }
  }

  /** An error that does not name a member means that one is missing; a query string has no required ones. */
  function badBody(): ServiceError {
    const members = required.map((name) => `'${name}'`).join(' or ')
    return new ServiceError('BAD_REQUEST', { problem: `its body is not a JSON object with ${members}` })
  }

  function unknownParameter(name: string): ServiceError {
    const expected = properties.size === 0 ? 'no parameters' : `one of ${[...properties.keys()].join(', ')}`
    return new ServiceError('BAD_PARAMETER', { name: name.slice(0, seenLengthMax), seen: 'it is unknown', expected })
  }
}

/** Converts a text; one that cannot be converted stays as it is, and then fails the check. */
function readValue(text: unknown, property: PropertySchema): unknown {
  if (typeof text !== 'string') return text
  if (property.type === 'integer') return /^(0|[1-9][0-9]{0,15})$/.test(text) ? Number(text) : text
  // A bare flag, as in `?header`, arrives as an empty text.
  if (text === '' && property.enum?.includes('true')) return 'true'
  if (property.type === 'boolean') return text === 'true' || text === '' ? true : text === 'false' ? false : text
  return text
}

function shown(given: unknown): string {
  if (Array.isArray(given)) return `it is given ${given.length} times`
  // A member of the JSON may be an object whose own `toString` is not a function.
  if (typeof given === 'object' && given !== null) return 'it is an object'
  return `'${String(given).slice(0, seenLengthMax)}'`
}

function wantedValue({ type, minimum, maximum, maxLength, maxItems, pattern, enum: choices }: PropertySchema): string {
  if (choices !== undefined) return `one of ${choices.join(' ')}`
  if (type === 'integer') return `one whole number from ${minimum} to ${maximum}`
  if (type === 'boolean') return 'true or false'
  if (type === 'array') return `a list of 1 to ${maxItems} strings`
  return pattern === undefined ? `one text of 1 to ${maxLength} characters` : `one text that matches ${pattern}`
}
