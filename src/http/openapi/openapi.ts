// OpenAPI: the document that describes the routes, made of their schemas. Knows no route by name.
import { readFileSync } from 'node:fs'
import type { FastifySchema } from 'fastify'
import examples from './examples.json' with { type: 'json' }
import { failures, type Header, header, noContent, tags } from './operation.ts'

/** A route as it was added to Fastify. */
export interface DescribedRoute {
  readonly methods: readonly string[]
  /** With parameters as Fastify writes them: `/qas/datasets/:id`. */
  readonly url: string
  readonly schema: FastifySchema
}

/** The parts of an OpenAPI document that we write, as they are in JSON. */
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
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}

/** The keywords of JSON Schema that our schemas consist of. */
export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string
  readonly description?: string
  readonly default?: unknown
  readonly examples?: readonly unknown[]
  readonly enum?: readonly unknown[]
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

const keyScheme = {
  type: 'http',
  scheme: 'bearer',
  description: 'A key or a token, where the service was started with some; without any, nobody is asked.',
}

/** Describes the routes, in the order they were added. */
export function openApi(routes: readonly DescribedRoute[]): OpenApi {
  const schemas: Record<string, JsonSchema> = {}
  const paths: Record<string, Record<string, object>> = {}
  for (const { url, methods, schema } of routes) {
    const path = url.replaceAll(/:([A-Za-z]+)/g, '{$1}')
    const operations = methods.map((method) => [method.toLowerCase(), operationOf(method, schema)])
    paths[path] = { ...paths[path], ...Object.fromEntries(operations) }
  }
  for (const [path, operations] of Object.entries(paths)) operations.options = optionsOf(path, operations)
  return {
    openapi: '3.1.0',
    info: {
      title: 'CSV Upload Service',
      version: packageVersion(),
      description:
        'Send a CSV file, get a receipt that accounts for every byte. Every error on every route is the same record.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths: plain(paths, schemas) as OpenApi['paths'], // made of operations above
    // One or the other, as the service was started.
    security: [{}, { key: [] }],
    components: { schemas, securitySchemes: { key: keyScheme } },
  }
}

function operationOf(method: string, schema: FastifySchema): object {
  const { operationId = '', summary = '', description = '', response = {} } = schema
  const isHead = method === 'HEAD'
  const answers = Object.entries(response as Readonly<Record<string, ResponseObject>>) // what operation.ts makes
  return {
    operationId: isHead ? prefixed('head', operationId) : operationId,
    tags: schema.tags ?? [],
    summary: isHead ? `${summary}: the head alone` : summary,
    description: isHead ? 'Answers as `GET` does, without the body.' : description,
    parameters: [
      ...parametersOf('path', schema.params),
      ...parametersOf('query', schema.querystring),
      ...Object.entries(schema.requestHeaders ?? {}).map((entry) => headerParameter(...entry)),
    ],
    ...requestBodyOf(schema),
    responses: Object.fromEntries(
      answers.map(([status, { content, ...head }]) => [
        status,
        isHead || content === undefined ? head : { ...head, content: withExample(content, status, operationId) },
      ]),
    ),
  }
}

/** Shows what `npm run docs` was answered when it did the same. */
function withExample(content: NonNullable<ResponseObject['content']>, status: string, operationId: string): object {
  const example = (examples as Readonly<Record<string, unknown>>)[operationId]
  const json = content['application/json']
  if (status !== '200' || json === undefined || example === undefined) return content
  return { ...content, 'application/json': { ...json, example } }
}

/** Answered for every path before routing, so there is no route that could describe it. */
function optionsOf(path: string, operations: Readonly<Record<string, object>>): object {
  const [first] = Object.values(operations) as readonly Operation[] // made by operationOf
  const inPath = first?.parameters.filter((parameter) => parameter.in === 'path') ?? []
  const allow = [...Object.keys(operations).map((method) => method.toUpperCase()), 'OPTIONS'].join(', ')
  return {
    operationId: prefixed('optionsOf', first?.operationId ?? path),
    tags: first?.tags ?? [],
    summary: 'Which methods there are',
    description: 'Answers with the methods in `Allow`.',
    parameters: inPath.map((parameter) => ({ ...parameter, schema: { type: 'string' } })),
    responses: {
      204: noContent('The methods.', { Allow: header('The methods of this path.', allow) }),
      // Any text will do for a parameter, as long as it is plain.
      ...failures(...(inPath.length > 0 ? (['NOT_FOUND'] as const) : [])),
    },
  }
}

function prefixed(prefix: string, operationId: string): string {
  return `${prefix}${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}`
}

function parametersOf(place: 'path' | 'query', schema: unknown): readonly Parameter[] {
  // Schemas of parameters are objects; one with a default need not be given, though TypeBox requires it of the result.
  const { properties = {}, required = [] } = (schema ?? {}) as JsonSchema
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    required: required.includes(name) && rest.default === undefined,
    ...(description !== undefined && { description }),
    schema: rest,
  }))
}

function headerParameter(name: string, { description, schema, example }: Header): object {
  return { name, in: 'header', required: false, description, schema, ...(example !== undefined && { example }) }
}

function requestBodyOf({ body, requestBody }: FastifySchema): object {
  if (requestBody !== undefined) return { requestBody }
  if (body === undefined) return {}
  return {
    requestBody: {
      description: 'JSON, with a content type that says so.',
      required: true,
      content: { 'application/json': { schema: body } },
    },
  }
}

/** A copy as plain JSON in which each schema with an `$id` stands among the components and is referred to elsewhere. */
function plain(value: unknown, schemas: Record<string, JsonSchema>): unknown {
  if (Array.isArray(value)) return value.map((one) => plain(one, schemas))
  if (typeof value !== 'object' || value === null) return value
  const { $id, ...rest } = value as { readonly $id?: unknown }
  const copy = () => Object.fromEntries(Object.entries(rest).map(([name, one]) => [name, plain(one, schemas)]))
  if (typeof $id !== 'string') return copy()
  schemas[$id] ??= copy()
  return { $ref: `#/components/schemas/${$id}` }
}

function packageVersion(): string {
  const content = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(content) as { version: string }).version // our own file, held by a test
}
