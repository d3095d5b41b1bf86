// Description: the OpenAPI document, used to validate responses. Knows no operation by name.
import Schema from 'typebox/schema'
import type { Exchange } from './session.ts'

/** The parts of an OpenAPI document that we write, as in its JSON. */
export interface OpenApi {
  readonly openapi: '3.1.0'
  readonly info: Readonly<Record<string, unknown>>
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly securitySchemes: Readonly<Record<string, object>>
  }
}

export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly description: string; readonly content: Readonly<Record<string, MediaType>> }
  /** The descriptions of errors list their codes. */
  readonly responses: Readonly<Record<string, ResponseObject>>
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description?: string
  readonly schema: JsonSchema
}

export interface ResponseObject {
  readonly description: string
  readonly headers?: Readonly<Record<string, Omit<Parameter, 'name' | 'in'>>>
  readonly content?: Readonly<Record<string, MediaType>>
}

export interface MediaType {
  readonly schema: JsonSchema
  readonly example?: unknown
}

/** The JSON Schema keywords that our schemas use. */
export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string
  readonly description?: string
  readonly default?: unknown
  readonly examples?: readonly unknown[]
  readonly enum?: readonly unknown[]
  /** Values of a string that is not limited to them. */
  readonly 'x-extensible-enum'?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly JsonSchema[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
}

export class Description {
  readonly document: OpenApi
  /** Every operation with its path and method. */
  readonly operations: readonly { readonly path: string; readonly method: string; readonly operation: Operation }[]

  constructor(document: OpenApi) {
    this.document = document
    this.operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
    )
  }

  static async of(url: string): Promise<Description> {
    const response = await fetch(`${url}/openapi.json`)
    return new Description((await response.json()) as OpenApi) // its own tests verify the type
  }

  /** Whether a path matches a template of the document. */
  static matches(template: string, path: string): boolean {
    return new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path)
  }

  /** The described response of a status; the default one if the status is not listed. */
  response({ responses }: Operation, status: number): ResponseObject | undefined {
    return responses[status] ?? responses.default
  }

  /** How a response differs from its description. An undescribed field is an error, too. */
  faults({ operationId, method, path, status, headers, body }: Exchange): readonly string[] {
    const described = method === 'HEAD' ? 'GET' : method
    const found = this.operations.find((one) => one.method === described && Description.matches(one.path, path))
    if (found === undefined) return ['no such operation']
    const response = this.response(found.operation, status)
    if (response === undefined) return [`undescribed status ${status}: ${body}`]
    return [
      ...(found.operation.operationId === operationId ? [] : [`it is ${found.operation.operationId}`]),
      ...headerFaults(response, headers),
      ...(method === 'HEAD' ? [] : this.#bodyFaults(response, headers, body)),
    ].map((fault) => `${method} ${path} ${status}: ${fault}`)
  }

  #bodyFaults({ content }: ResponseObject, headers: Headers, body: Buffer): readonly string[] {
    if (content === undefined) return body.length === 0 ? [] : [`a body of ${body.length} bytes, expected none`]
    const type = headers.get('content-type')?.split(';')[0] ?? 'none'
    const media = content[type]
    if (media === undefined) return [`undescribed media type ${type}`]
    if (type !== 'application/json') return []
    return this.valueFaults(media.schema, JSON.parse(body.toString()))
  }

  /** How a value differs from a schema of the document. */
  valueFaults(schema: JsonSchema, value: unknown): readonly string[] {
    const [, errors] = Schema.Errors(closed({ ...schema, components: this.document.components }), value)
    return errors.map(({ instancePath, message }) => `${instancePath} ${message}`)
  }
}

function headerFaults({ headers = {} }: ResponseObject, given: Headers): readonly string[] {
  return Object.entries(headers)
    .filter(([name, { required }]) => required && !given.has(name))
    .map(([name]) => `no header ${name}`)
}

/** The same schema, with every object restricted to the members that it lists. */
function closed<Value>(schema: Value): Value {
  if (typeof schema !== 'object' || schema === null) return schema
  if (Array.isArray(schema)) return schema.map(closed) as Value
  const members = Object.entries(schema).map(([name, value]) => [name, closed(value)])
  const isListing = 'type' in schema && schema.type === 'object' && 'properties' in schema
  const isEmpty = isListing && Object.keys(schema.properties ?? {}).length === 0
  // A member named `type` or `properties` of a value would be taken for a keyword; our schemas have none.
  return { ...(isListing && !isEmpty && { additionalProperties: false }), ...Object.fromEntries(members) }
}
