// OpenAPI: the document that describes the routes, built from their schemas. Knows no route by name.
import { readFileSync } from 'node:fs'
import type { ErrorCode } from '../../core/errors.ts'
import examples from './examples.json' with { type: 'json' }
import { failures, type Operation, tags } from './operation.ts'
import { noQuery } from './request-schemas.ts'

/** Responses by the name of their schema. */
const recorded: Readonly<Record<string, unknown>> = examples

const keyScheme = {
  type: 'http',
  scheme: 'bearer',
  description: 'An API key or a bearer token, if the service requires authentication.',
}

/** Describes the operations for callers, in the order of their routes. HEAD and OPTIONS exist on every path. */
export function openApi(routes: readonly Operation[]): object {
  const schemas: Record<string, unknown> = {}
  const paths: Record<string, Record<string, object>> = {}
  for (const route of routes) {
    if (route.operationId === undefined) continue
    const path = route.url.replaceAll(/:([A-Za-z]+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: described(route, route.operationId) }
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

function described(route: Operation, operationId: string): object {
  const { tag, summary = '', description = '', params, querystring = noQuery, requestHeaders = {} } = route
  return {
    operationId,
    tags: tag ? [tag] : [],
    summary,
    description,
    parameters: [
      ...parametersOf('path', params),
      ...parametersOf('query', querystring === 'ignored' ? undefined : querystring),
      ...Object.entries(requestHeaders).map(([name, { required: _, ...header }]) => ({
        name,
        in: 'header',
        required: false,
        ...header,
      })),
    ],
    ...requestBodyOf(route),
    responses: { ...route.answers, ...failures(...errorsOf(route)) },
  }
}

function errorsOf({ querystring, body, requestHeaders = {}, failures: own = [] }: Operation): readonly ErrorCode[] {
  return [
    ...own,
    ...(querystring === 'ignored' ? [] : (['BAD_PARAMETER'] as const)),
    ...(body === undefined ? [] : (['NOT_JSON', 'CONTENT_CODED', 'REQUEST_TOO_LARGE'] as const)),
    ...('If-Match' in requestHeaders ? (['PRECONDITION_FAILED'] as const) : []),
    ...('Range' in requestHeaders ? (['RANGE_NOT_SATISFIABLE'] as const) : []),
  ]
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

function requestBodyOf({ body, requestBody }: Operation): object {
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

/**
 * Copies a value as plain JSON, and replaces each schema with an `$id` by a reference to a component, with the response
 * that `npm run docs` recorded as its example.
 */
function plain(value: unknown, schemas: Record<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((one) => plain(one, schemas))
  if (typeof value !== 'object' || value === null) return value
  const { $id, ...rest } = value as { readonly $id?: unknown }
  const copy = () => Object.fromEntries(Object.entries(rest).map(([name, one]) => [name, plain(one, schemas)]))
  if (typeof $id !== 'string') return copy()
  schemas[$id] ??= { ...copy(), ...($id in recorded && { examples: [recorded[$id]] }) }
  return { $ref: `#/components/schemas/${$id}` }
}

export function packageVersion(): string {
  const content = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(content) as { version: string }).version // our own file, checked by a test
}
