// Share repeated: moves headers, parameters and examples that an OpenAPI document repeats to its components.
import type { MediaType, OpenApi, Operation, Parameter, Reference, ResponseObject } from './openapi.ts'

type Header = NonNullable<ResponseObject['headers']>[string]
type Example = { readonly value: unknown }

/** An OpenAPI document with references instead of repetitions. */
export interface SharedOpenApi extends Omit<OpenApi, 'paths' | 'components'> {
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>
  readonly components: OpenApi['components'] & {
    readonly parameters: Readonly<Record<string, Parameter>>
    readonly headers: Readonly<Record<string, Header>>
    /** By the schema whose example it is. */
    readonly examples: Readonly<Record<string, Example>>
  }
}

/** Replaces repeated parameters and headers, and repeated examples of a schema, by references. */
export function shareRepeated(document: OpenApi): SharedOpenApi {
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
  const answers = operations.flatMap(answersOf)
  const errors = document.components.responses
  const parameters = new Repeated<Parameter>('parameters')
  for (const one of operations.flatMap((operation) => operation.parameters)) parameters.count(one.name, one)
  const headers = new Repeated<Header>('headers')
  for (const { headers: given = {} } of [...answers, ...Object.values(errors)]) {
    for (const [name, one] of Object.entries(given)) headers.count(name, one)
  }
  const examples = new Repeated<Example>('examples')
  for (const { schema, example } of answers.flatMap((answer) => Object.values(answer.content ?? {}))) {
    if (schema.$ref !== undefined && example !== undefined)
      examples.count(nameOf(schema.$ref), { value: example }, schema.$ref)
  }

  const sharedMedia = ({ example, ...media }: MediaType): object => {
    const { $ref } = media.schema
    const reference = example !== undefined && $ref !== undefined ? examples.reference($ref) : undefined
    if (reference !== undefined) return { ...media, examples: { [nameOf($ref ?? '')]: reference } }
    return example === undefined ? media : { ...media, example }
  }
  const sharedAnswer = (answer: ResponseObject | Reference): object => {
    if ('$ref' in answer) {
      const isSaidThere = errors[nameOf(answer.$ref)]?.description === answer.description
      return isSaidThere ? { $ref: answer.$ref } : answer
    }
    const { headers: given, content } = answer
    return {
      ...answer,
      ...(given && { headers: mapValues(given, (one) => headers.reference(JSON.stringify(one)) ?? one) }),
      ...(content && { content: mapValues(content, sharedMedia) }),
    }
  }
  const sharedOperation = (operation: Operation): object => ({
    ...operation,
    parameters: operation.parameters.map((one) => parameters.reference(JSON.stringify(one)) ?? one),
    responses: mapValues(operation.responses, sharedAnswer),
  })
  return {
    ...document,
    paths: mapValues(document.paths, (methods) => mapValues(methods, sharedOperation)),
    components: {
      ...document.components,
      responses: mapValues(errors, sharedAnswer) as OpenApi['components']['responses'], // not read again
      parameters: parameters.shared(),
      headers: headers.shared(),
      examples: examples.shared(),
    },
  }
}

/** Counts values of one kind by a key that makes them equal, and names those that are repeated. */
class Repeated<Value> {
  readonly #kind: string
  readonly #found = new Map<string, { readonly name: string; readonly value: Value; count: number }>()

  constructor(kind: string) {
    this.#kind = kind
  }

  /** Values with the same key are equal; the first is kept. */
  count(name: string, value: Value, key = JSON.stringify(value)): void {
    const found = this.#found.get(key)
    if (found === undefined) this.#found.set(key, { name, value, count: 1 })
    else found.count += 1
  }

  /** Undefined for a value that is not repeated. */
  reference(key: string): Reference | undefined {
    const name = this.#names().get(key)
    return name === undefined ? undefined : { $ref: `#/components/${this.#kind}/${name}` }
  }

  shared(): Readonly<Record<string, Value>> {
    return Object.fromEntries([...this.#names()].map(([key, name]) => [name, this.#found.get(key)!.value]))
  }

  /** A second value of the same name gets a number. */
  #names(): ReadonlyMap<string, string> {
    const counts = new Map<string, number>()
    const repeated = [...this.#found].filter(([, { count }]) => count > 1)
    return new Map(
      repeated.map(([key, { name }]) => {
        const number = (counts.get(name) ?? 0) + 1
        counts.set(name, number)
        return [key, number === 1 ? name : `${name}${number}`]
      }),
    )
  }
}

function answersOf({ responses }: Operation): readonly ResponseObject[] {
  return Object.values(responses).filter((answer): answer is ResponseObject => !('$ref' in answer))
}

function nameOf(ref: string): string {
  return ref.split('/').at(-1) ?? ''
}

function mapValues<From, To>(from: Readonly<Record<string, From>>, change: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(from).map(([name, value]) => [name, change(value)]))
}
