// Schema error: helpers for all readers of a declared schema: errors with a place, and lists of texts.
import { ServiceError } from '../../core/errors.ts'

/** @param place As in JavaScript, below the schema: `fields[3].constraints.unique`; empty for the schema itself. */
export function refuse(place: string, seen: string, expected: string): ServiceError {
  return new ServiceError('BAD_PARAMETER', { name: place === '' ? 'schema' : `schema.${place}`, seen, expected })
}

const shownCharactersMax = 100

/** A JSON value as a message shows it. */
export function shown(value: unknown): string {
  if (value === undefined) return 'it is missing'
  const text = JSON.stringify(value)
  return `it is ${text.length > shownCharactersMax ? `${text.slice(0, shownCharactersMax)}…` : text}`
}

/** False for a text that no record or query can contain: one with U+0000, or with half a character. */
export function isPossibleText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

export const wantedText = 'a text without U+0000 and without lone surrogates'

/** Undefined if there is none. @throws {ServiceError} BAD_PARAMETER if it is not a list of different text values. */
export function readTexts(json: unknown, place: string): readonly string[] | undefined {
  if (json === undefined) return undefined
  if (!Array.isArray(json)) throw refuse(place, shown(json), 'an array of strings')
  const items: readonly unknown[] = json
  const before = new Set<string>()
  return items.map((item, i) => {
    if (typeof item !== 'string' || !isPossibleText(item)) throw refuse(`${place}[${i}]`, shown(item), wantedText)
    if (before.has(item)) throw refuse(`${place}[${i}]`, `${shown(item)} again`, 'each text once')
    before.add(item)
    return item
  })
}

/** Texts, or objects with a text as `value`. Undefined if none are declared. */
export function readMissingValues(json: unknown, place: string): readonly string[] | undefined {
  if (!Array.isArray(json)) return readTexts(json, place)
  const items: readonly unknown[] = json
  const isLabelled = (item: unknown) => typeof item === 'object' && item !== null && 'value' in item
  return readTexts(
    items.map((item) => (isLabelled(item) ? (item as { value: unknown }).value : item)),
    place,
  )
}

/** The values of a list in canonical form. @param plain Null for what cannot be one. */
export function readConstants<Value>(
  values: readonly Value[],
  place: string,
  plain: (value: Value) => string | null,
  wanted: string,
): readonly string[] {
  return values.map((value, i) => {
    const one = plain(value)
    if (one === null) throw refuse(`${place}[${i}]`, shown(value), wanted)
    if (!isPossibleText(one)) throw refuse(`${place}[${i}]`, shown(value), wantedText)
    return one
  })
}

/** @throws {ServiceError} BAD_PARAMETER if it is no array, or an empty one. */
export function readItems(json: unknown, place: string): readonly unknown[] {
  if (Array.isArray(json) && json.length > 0) return json
  throw refuse(place, shown(json), 'an array of at least one value')
}
