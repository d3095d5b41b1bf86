// OpenAPI: the document that describes the routes, built from their schemas. Knows no route by name.
import { readFileSync } from 'node:fs'
import type { FastifySchema } from 'fastify'
import examples from './examples.json' with { type: 'json' }
import { type ResponseDescription, type ResponseTable, tags } from './operation.ts'

/** A route as it was added to Fastify. */
export interface DescribedRoute {
  readonly methods: readonly string[]
  /** With parameters as Fastify writes them: `/qas/datasets/:id`. */
  readonly url: string
  readonly schema: FastifySchema
}

const keyScheme = {
  type: 'http',
  scheme: 'bearer',
  description: 'An API key or a bearer token, if the service requires authentication.',
}

/** Describes the operations for callers, in the order of their routes. HEAD and OPTIONS exist on every path. */
export function openApi(routes: readonly DescribedRoute[]): object {
  const described = routes.filter(({ schema }) => schema.isHidden !== true)
  const schemas: Record<string, unknown> = {}
  const paths: Record<string, Record<string, object>> = {}
  for (const { url, methods, schema } of described) {
    const path = url.replaceAll(/:([A-Za-z]+)/g, '{$1}')
    const operations = methods
      .filter((method) => method !== 'HEAD')
      .map((method) => [method.toLowerCase(), operationOf(schema)])
    paths[path] = { ...paths[path], ...Object.fromEntries(operations) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'CSV Upload Service',
      version: packageVersion(),
      description:
        'Send a CSV file, get a receipt that accounts for every byte. Every error on every route has the same format.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths: plain(paths, schemas),
    // Which of the two applies depends on how the service was started.
    security: [{}, { key: [] }],
    components: { schemas, securitySchemes: { key: keyScheme } },
  }
}

function operationOf(schema: FastifySchema): object {
  const { operationId = '', summary = '', description = '' } = schema
  const declared = (schema.response ?? {}) as ResponseTable // operation.ts declares it so
  const answers = Object.entries(declared).map(([status, answer]) => [status, withExample(answer, status, operationId)])
  return {
    operationId,
    tags: schema.tags ?? [],
    summary,
    description,
    parameters: [
      ...parametersOf('path', schema.params),
      ...parametersOf('query', schema.querystring),
      ...Object.entries(schema.requestHeaders ?? {}).map(([name, { required: _, ...header }]) => ({
        name,
        in: 'header',
        required: false,
        ...header,
      })),
    ],
    ...requestBodyOf(schema),
    responses: Object.fromEntries(answers),
  }
}

/** Adds the response that `npm run docs` recorded for the operation. */
function withExample(answer: ResponseDescription, status: string, operationId: string): ResponseDescription {
  const example = (examples as Readonly<Record<string, unknown>>)[operationId]
  const json = answer.content?.['application/json']
  if (status !== '200' || json === undefined || example === undefined) return answer
  return { ...answer, content: { ...answer.content, 'application/json': { ...json, example } } }
}

interface ParametersSchema {
  readonly properties?: Readonly<Record<string, { readonly description?: string; readonly default?: unknown }>>
  readonly required?: readonly string[]
}

function parametersOf(place: 'path' | 'query', schema: unknown): readonly object[] {
  // Schemas of parameters are objects. TypeBox marks a parameter with a default as required, since the parsed value
  // always has it, but a request may omit it.
  const { properties = {}, required = [] } = (schema ?? {}) as ParametersSchema
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    required: required.includes(name) && rest.default === undefined,
    ...(description !== undefined && { description }),
    schema: rest,
  }))
}

function requestBodyOf({ body, requestBody }: FastifySchema): object {
  if (requestBody !== undefined) return { requestBody }
  if (body === undefined) return {}
  return {
    requestBody: {
      description: 'JSON, sent as `application/json`.',
      required: true,
      content: { 'application/json': { schema: body } },
    },
  }
}

/** Copies a value as plain JSON, and replaces each schema with an `$id` by a reference to a component. */
function plain(value: unknown, schemas: Record<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((one) => plain(one, schemas))
  if (typeof value !== 'object' || value === null) return value
  const { $id, ...rest } = value as { readonly $id?: unknown }
  const copy = () => Object.fromEntries(Object.entries(rest).map(([name, one]) => [name, plain(one, schemas)]))
  if (typeof $id !== 'string') return copy()
  schemas[$id] ??= copy()
  return { $ref: `#/components/schemas/${$id}` }
}

export function packageVersion(): string {
  const content = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(content) as { version: string }).version // our own file, checked by a test
}
