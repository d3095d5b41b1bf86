// API markdown: turns the OpenAPI document into headings, texts and tables for readers. Knows no HTML and no files.
import { codeList } from './error-responses.ts'
import type { JsonSchema, MediaType, OpenApi, Operation, Parameter } from './openapi.ts'
import { always } from './operation.ts'

/** A part of a page. Texts and cells are Markdown with `code` and [links](#id) only. */
export type Block =
  | { readonly kind: 'heading'; readonly level: 2 | 3 | 4; readonly text: string; readonly id: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'table'; readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] }
  | { readonly kind: 'code'; readonly text: string }

const base = 'http://127.0.0.1:8080'

/** The whole description: operations by tag, then the schemas. */
export function apiText(document: OpenApi): readonly Block[] {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  return [
    text(
      `Any request can also get ${codeList(always)}. Every error has ` +
        `[the same format](#${schemaId('ErrorRecord')}). \`HEAD\` answers like \`GET\`, without the body; ` +
        '`OPTIONS` answers 204 with the methods of the path in `Allow`.',
    ),
    ...document.tags.flatMap(({ name, description }) => {
      const tagged = operations.filter(({ operation }) => operation.tags[0] === name)
      if (tagged.length === 0) return []
      return [heading(2, capital(name), name), text(description), ...tagged.flatMap(operationBlocks)]
    }),
    heading(2, 'Schemas', 'schemas'),
    ...Object.entries(document.components.schemas).flatMap(([name, schema]) => [
      heading(3, name, schemaId(name)),
      text(schema.description ?? ''),
      ...(Object.keys(schema.properties ?? {}).length > 0 ? [fieldTable(schema)] : []),
    ]),
  ]
}

interface ShownOperation {
  readonly path: string
  readonly method: string
  readonly operation: Operation
}

function operationBlocks({ path, method, operation }: ShownOperation): readonly Block[] {
  const { operationId, summary, description, parameters, requestBody, responses } = operation
  const [request] = Object.entries(requestBody?.content ?? {})
  const answer = responses['200']
  const example =
    answer !== undefined && 'content' in answer ? answer.content?.['application/json']?.example : undefined
  return [
    heading(3, `\`${method.toUpperCase()} ${path}\` ${summary}`, operationId),
    text(description),
    { kind: 'code', text: curl(path, method, parameters, request) },
    ...(parameters.length > 0 ? [parameterTable(parameters)] : []),
    ...(request === undefined
      ? []
      : [text(`Body, \`${request[0]}\`: ${requestBody?.description}`), fieldTable(request[1].schema)]),
    answerTable(operation),
    ...(example === undefined ? [] : [{ kind: 'code' as const, text: JSON.stringify(example, null, 2) }]),
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
  const fields = Object.entries(schema.properties ?? {}).map(([name, one]) => [name, one.examples?.[0]])
  return `curl -H 'Content-Type: ${type}' -d '${JSON.stringify(Object.fromEntries(fields))}' ${url}`
}

function parameterTable(parameters: readonly Parameter[]): Block {
  return {
    kind: 'table',
    head: ['Parameter', 'In', 'Type', 'What it is'],
    rows: parameters.map(({ name, required, schema, description = '', ...parameter }) => [
      `\`${name}\``,
      parameter.in,
      `${typeText(schema)}${required ? ', required' : ''}`,
      description,
    ]),
  }
}

function fieldTable({ properties = {}, required = [] }: JsonSchema): Block {
  return {
    kind: 'table',
    head: ['Field', 'Type', 'What it is'],
    rows: fieldRows(properties, required, ''),
  }
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

function answerTable({ responses }: Operation): Block {
  const rows = Object.entries(responses)
    .filter(([status]) => status !== 'default')
    .map(([status, answer]) => {
      if ('$ref' in answer) return [status, answer.description ?? '', refText('ErrorRecord')]
      const { description, headers = {}, content = {} } = answer
      const names = Object.keys(headers).map((name) => `\`${name}\``)
      const shownHeaders = names.length > 0 ? `; ${names.join(', ')}` : ''
      return [status, description, `${bodyText(content)}${shownHeaders}`]
    })
  return { kind: 'table', head: ['Status', 'What it means', 'Body and headers'], rows }
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

function heading(level: 2 | 3 | 4, content: string, id: string): Block {
  return { kind: 'heading', level, text: content, id }
}

function text(content: string): Block {
  return { kind: 'text', text: content }
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
