// Trino page: parses and checks a response in Trino's protocol. Sends nothing.

/** As in `typeSignature` of the protocol. */
export interface TrinoType {
  /** Such as `bigint`, `decimal`, `row`. */
  readonly name: string
  /** Numbers, such as the precision. */
  readonly numbers: readonly number[]
  /** Types of elements, of keys and values, or of fields. */
  readonly types: readonly TrinoType[]
  /** Names of the fields of a row; null for a field without a name. */
  readonly fieldNames: readonly (string | null)[]
}

export interface TrinoColumn {
  readonly name: string
  readonly type: TrinoType
}

export interface TrinoPage {
  /** Path of the next page; null for the last one. */
  readonly next: string | null
  /** Null before they are known. */
  readonly columns: readonly TrinoColumn[] | null
  readonly rows: readonly (readonly unknown[])[]
  readonly failure: {
    /** Such as `SYNTAX_ERROR`. */
    readonly name: string
    /** `USER_ERROR`, `INSUFFICIENT_RESOURCES`, `INTERNAL_ERROR` or `EXTERNAL`. */
    readonly kind: string
    readonly message: string
    /** Both count from 1. */
    readonly place: { readonly line: number; readonly column: number } | null
  } | null
}

type Members = Readonly<Record<string, unknown>>

/** Integers beyond 2^53 become texts of their digits. @throws {SyntaxError} if it is not a page */
export function parsePage(text: string): TrinoPage {
  const given: unknown = /\d{16}/.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text)
  const { nextUri, columns, data, error } = members(given)
  return {
    next: nextUri === undefined ? null : pathOf(nextUri),
    columns: columns === undefined || columns === null ? null : list(columns).map(columnOf),
    rows: data === undefined || data === null ? [] : list(data).map(list),
    failure: error === undefined || error === null ? null : failureOf(members(error)),
  }
}

function keepDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? '')
    ? context?.source
    : value
}

/** A path from Trino is used only if it leads to its statements. */
function pathOf(uri: unknown): string {
  const url = typeof uri === 'string' ? URL.parse(uri) : null
  if (url === null || !url.pathname.startsWith('/v1/statement/')) throw new SyntaxError('with a strange next page')
  return url.pathname + url.search
}

function columnOf(given: unknown): TrinoColumn {
  const { name, typeSignature } = members(given)
  return { name: text(name), type: typeOf(typeSignature) }
}

function typeOf(given: unknown): TrinoType {
  const { rawType, arguments: given_ } = members(given)
  const numbers: number[] = []
  const types: TrinoType[] = []
  const fieldNames: (string | null)[] = []
  for (const one of list(given_ ?? [])) {
    const { kind, value } = members(one)
    if (kind === 'LONG') numbers.push(Number(value))
    else if (kind === 'TYPE') types.push(typeOf(value))
    else if (kind === 'NAMED_TYPE') {
      const { fieldName, typeSignature } = members(value)
      types.push(typeOf(typeSignature))
      fieldNames.push(fieldName === undefined || fieldName === null ? null : text(members(fieldName).name))
    }
  }
  return { name: text(rawType), numbers, types, fieldNames }
}

function failureOf({ errorName, errorType, message, errorLocation }: Members): TrinoPage['failure'] {
  const place = errorLocation === undefined || errorLocation === null ? null : members(errorLocation)
  return {
    name: text(errorName),
    kind: text(errorType),
    message: typeof message === 'string' ? message : '',
    place: place && { line: Number(place.lineNumber), column: Number(place.columnNumber) },
  }
}

function members(given: unknown): Members {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw new SyntaxError('without its members')
  return given as Members // an object by the line above
}

function list(given: unknown): readonly unknown[] {
  if (!Array.isArray(given)) throw new SyntaxError('without a list')
  return given
}

function text(given: unknown): string {
  if (typeof given !== 'string') throw new SyntaxError('without a text')
  return given
}
