// API page: the description of the routes, as the service returns it, as Markdown: headings, texts and tables.
import { openApi } from '../../src/http/openapi/openapi.ts'
import { always, codeList } from '../../src/http/openapi/operation.ts'
import { routesOf } from '../../src/http/routes.ts'
import { defaultHttpOptions } from '../../src/http/server.ts'
import type { JsonSchema, MediaType, OpenApi, Operation, Parameter, ResponseObject } from '../api/description.ts'

type Table = (head: readonly string[], rows: readonly (readonly string[])[]) => string

const base = 'http://127.0.0.1:8080'

/** The content of docs/api.md: operations by tag, then the schemas. */
export function apiPage(table: Table): string {
  const { paths, tags, components } = describedRoutes()
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  const shown = new Map<string, string>()
  return [
    ...tags.flatMap(({ name, description }) => {
      const tagged = operations.filter(({ operation }) => operation.tags[0] === name)
      if (tagged.length === 0) return []
      return [`## ${capital(name)}`, description, ...tagged.flatMap((one) => operationBlocks(one, table, shown))]
    }),
    '## Any request',
    `Any request can also get ${codeList(always)}. Every error has ` +
      `[the same format](#${schemaId('ErrorRecord')}). \`HEAD\` answers like \`GET\`, without the body; ` +
      '`OPTIONS` answers 204 with the methods of the path in `Allow`.',
    '## Schemas',
    ...Object.entries(components.schemas).flatMap(([name, schema], i, schemas) => [
      `### ${name}`,
      schema.description ?? '',
      ...schemaFields(schema, schemas.slice(0, i), table),
      ...(schema.examples ?? []).map((example) => code(JSON.stringify(example, null, 2))),
    ]),
  ].join('\n\n')
}

/** The responses of the endpoint of the specification, for those who move to this service. */
export function endpointResponses(table: Table): string {
  const { paths } = describedRoutes()
  const operation = paths['/qas/uploadCsv']?.post
  if (operation === undefined) throw new Error('Cannot find the endpoint in the description')
  return responseTable(operation, table).replaceAll('(#', '(api.md#')
}

/** The operations that can get each error, besides those that any request can get. */
export function operationsByCode(): ReadonlyMap<string, readonly string[]> {
  const { paths } = describedRoutes()
  const found = Object.values(paths).flatMap((methods) =>
    Object.values(methods).flatMap(({ operationId, responses }) =>
      Object.values(responses).flatMap(({ description }) =>
        [...description.matchAll(/`([A-Z_]+)`/g)].map(([, code = '']) => ({ code, operationId })),
      ),
    ),
  )
  const byCode = Map.groupBy(found, ({ code }) => code)
  return new Map([...byCode].map(([code, those]) => [code, [...new Set(those.map(({ operationId }) => operationId))]]))
}

interface ShownOperation {
  readonly path: string
  readonly method: string
  readonly operation: Operation
}

/** @param shown The operation that each table is of; a table is not repeated. */
function operationBlocks(
  { path, method, operation }: ShownOperation,
  table: Table,
  shown: Map<string, string>,
): readonly string[] {
  const { operationId, summary, description, parameters, requestBody } = operation
  const [request] = Object.entries(requestBody?.content ?? {})
  const once = (what: string, text: string) => {
    const first = shown.get(text) ?? operationId
    shown.set(text, first)
    return first === operationId || text.length < 300 ? text : `${what} of [${first}](#${first}).`
  }
  return [
    `### <a id="${operationId}"></a>\`${method.toUpperCase()} ${path}\` ${summary}`,
    description,
    code(curl(path, method, parameters, request)),
    ...(parameters.length > 0 ? [once('Parameters are those', parameterTable(parameters, table))] : []),
    ...(request === undefined
      ? []
      : [
          once(
            'The body is that',
            [`Body, \`${request[0]}\`: ${requestBody?.description}`, ...fieldTable(request[1].schema, table)].join(
              '\n\n',
            ),
          ),
        ]),
    responseTable(operation, table),
  ]
}

function curl(
  path: string,
  method: string,
  parameters: readonly Parameter[],
  body?: readonly [string, MediaType],
): string {
  const url = parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce((one, { name, schema }) => one.replace(`{${name}}`, String(schema.examples?.[0])), base + path)
  if (body === undefined) return method === 'get' ? `curl ${url}` : `curl -X ${method.toUpperCase()} ${url}`
  const [type, { schema }] = body
  if (type.startsWith('multipart/')) return `curl -F file=@people.csv ${url}`
  if (schema.properties === undefined) return `curl -H 'Content-Type: ${type}' --data-binary @people.csv ${url}`
  const fields = Object.entries(schema.properties).map(([name, one]) => [name, one.examples?.[0]])
  return `curl -H 'Content-Type: ${type}' -d '${JSON.stringify(Object.fromEntries(fields))}' ${url}`
}

function parameterTable(parameters: readonly Parameter[], table: Table): string {
  return table(
    ['Parameter', 'In', 'Type', 'What it is'],
    parameters.map(({ name, required, schema, description = '', ...parameter }) => [
      `\`${name}\``,
      parameter.in,
      `${typeText(schema)}${required ? ', required' : ''}`,
      description,
    ]),
  )
}

/** The fields of a schema; those that it shares with a similar one before it are not repeated. */
function schemaFields(
  schema: JsonSchema,
  before: readonly (readonly [string, JsonSchema])[],
  table: Table,
): readonly string[] {
  const fields = Object.entries(schema.properties ?? {})
  const like = before
    .map(([name, { properties = {} }]) => ({
      name,
      own: fields.filter(isNotIn(properties)),
      lacks: Object.keys(properties).filter((field) => !(field in (schema.properties ?? {}))),
    }))
    .find(({ own, lacks }) => own.length < fields.length / 2 && lacks.length < 4)
  if (like === undefined) return fieldTable(schema, table)
  const without = like.lacks.length === 0 ? '' : ` without ${like.lacks.map((field) => `\`${field}\``).join(', ')}`
  return [
    `The fields of [${like.name}](#${schemaId(like.name)})${without}${like.own.length === 0 ? '.' : ', and:'}`,
    ...fieldTable({ ...schema, properties: Object.fromEntries(like.own) }, table),
  ]
}

function isNotIn(properties: NonNullable<JsonSchema['properties']>) {
  return ([name, field]: readonly [string, JsonSchema]) => JSON.stringify(properties[name]) !== JSON.stringify(field)
}

/** None for a schema without fields. */
function fieldTable({ properties = {}, required = [] }: JsonSchema, table: Table): readonly string[] {
  const rows = fieldRows(properties, required, '')
  return rows.length === 0 ? [] : [table(['Field', 'Type', 'What it is'], rows)]
}

/** The fields of an object without a schema of its own follow its row. */
function fieldRows(
  properties: NonNullable<JsonSchema['properties']>,
  required: readonly string[],
  prefix: string,
): readonly string[][] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const isOptional = !required.includes(name)
    const inner = schema.items?.properties === undefined ? schema : schema.items
    const own = [
      `\`${prefix}${name}\``,
      `${typeText(schema)}${isOptional ? ', optional' : ''}`,
      schema.description ?? '',
    ]
    return [own, ...fieldRows(inner.properties ?? {}, inner.required ?? [], `${prefix}${name}.`)]
  })
}

function responseTable({ responses }: Operation, table: Table): string {
  const rows = Object.entries(responses)
    .map(([status, answer]): readonly [string, ResponseObject] => {
      if (status !== 'default') return [status, answer]
      const others = answer.description.replace(`, ${codeList(always)}`, '').replace(codeList(always), '')
      return ['other', { ...answer, description: others }]
    })
    .filter(([, { description }]) => description !== '')
    .map(([status, answer]) => {
      const { description, headers = {}, content = {} } = answer
      const names = Object.keys(headers).map((name) => `\`${name}\``)
      const shownHeaders = names.length > 0 ? `; ${names.join(', ')}` : ''
      return [status, description, `${bodyText(content)}${shownHeaders}`]
    })
  return table(['Status', 'What it means', 'Body and headers'], rows)
}

function bodyText(content: Readonly<Record<string, MediaType>>): string {
  const bodies = Object.entries(content).map(([type, { schema }]) =>
    type === 'application/json' ? typeText(schema) : `\`${type}\``,
  )
  return bodies.length === 0 ? 'none' : bodies.join(' or ')
}

function typeText(schema: JsonSchema): string {
  const { $ref, type, anyOf, items, default: standard } = schema
  if ($ref !== undefined) return refText($ref)
  if (anyOf !== undefined) return anyOf.map(typeText).join(' or ')
  const values = schema.enum ?? schema['x-extensible-enum']
  if (values !== undefined) return values.map((value) => `\`${JSON.stringify(value)}\``).join(', ')
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``
  if (items !== undefined) return `array of ${typeText(items)}`
  const most = schema.maximum === Number.MAX_SAFE_INTEGER ? undefined : (schema.maximum ?? schema.maxLength)
  const least = schema.minimum ?? schema.minLength
  const unit = type === 'string' ? ' characters' : ''
  const range = most === undefined ? '' : ` of ${least ?? 0} to ${most}${unit}`
  return `${type ?? 'any'}${range}${standard === undefined ? '' : `, default \`${standard}\``}`
}

function refText(ref: string): string {
  const name = ref.split('/').at(-1) ?? ''
  return `[${name}](#${schemaId(name)})`
}

function schemaId(name: string): string {
  return name.toLowerCase()
}

function code(content: string): string {
  return `\`\`\`\n${content}\n\`\`\``
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

function describedRoutes(): OpenApi {
  return JSON.parse(JSON.stringify(openApi(routesOf(defaultHttpOptions)))) as OpenApi // held by test/api
}
