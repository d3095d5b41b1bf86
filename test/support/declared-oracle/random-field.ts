// Random field: a field of a Table Schema with its rules, and texts for its column. Knows no files and no oracle.
import type { Random } from '../../../src/core/random.testing.ts'
import { fieldTypes } from '../../../src/core/table-schema.ts'
import { readDeclaredSchema } from '../../../src/service/schema/parse-schema.ts'
import { randomFormat, textInFormat } from './random-format.ts'
import { randomPattern } from './random-pattern.ts'
import {
  anyText,
  chance,
  isoDate,
  isoDateTime,
  isoTime,
  nudged,
  pick,
  randomDuration,
  randomInteger,
  randomJson,
  randomNumber,
  randomStyle,
  randomText,
  randomUuid,
} from './random-values.ts'

/** A field as a client declares it. */
export type FieldJson = Readonly<Record<string, unknown>> & { readonly constraints?: Readonly<Record<string, unknown>> }

export interface RandomField {
  readonly json: FieldJson
  /** A text that is most probably valid; null is an empty field without quotes. */
  valid(): string | null
  /** Any text: valid, near the rules, of another type. */
  odd(): string | null
}

type Members = Readonly<Record<string, unknown>>
type Maker = (random: Random) => string

/** @param missingOf Makes missing values. */
export function randomField(
  random: Random,
  name: string,
  missingOf: (random: Random) => readonly string[],
): RandomField {
  const type = pick(random, [...fieldTypes, 'number', 'number', 'datetime', 'integer', 'string', 'date'] as const)
  const [members, make, more = {}] = kindOf(random, type)
  const typed = type === 'any' && chance(random, 2) ? {} : { type }
  const own = chance(random, 4) ? { missingValues: missingOf(random) } : {}
  const bare = { name, ...typed, ...members, ...own }
  const constants = Array.from({ length: 6 }, () => make(random))
  const { json, used } = withConstraints(random, bare, { constants, more })
  const isAllowed = allowed(json)
  const missing = (json.missingValues as readonly string[] | undefined) ?? ['', 'NA', '-1']
  const valid = () => {
    if (chance(random, 15)) return chance(random, 2) ? null : pick(random, ['', ...missing])
    for (let tries = 0; tries < 4; tries++) {
      const text = used.length > 0 && chance(random, 3) ? pick(random, used) : make(random)
      if (isAllowed(text)) return text
    }
    return used.length > 0 ? pick(random, used) : make(random)
  }
  const odd = () => {
    switch (random(8)) {
      case 0:
        return pick(random, [null, '', ...missing])
      case 1:
        return anyText(random)
      case 2:
        return nudged(random, make(random))
      case 3:
        return nudged(random, pick(random, [...used, ...constants]))
      case 4:
        return pick(random, [...used, ...constants])
      case 5:
        return `${pick(random, ['', ' ', '   '])}${pick(random, ['', ...missing, make(random)])}${pick(random, ['', ' '])}`
      default:
        return make(random)
    }
  }
  return { json, valid, odd }
}

/** A rough check, so that more values keep the rules of many constraints. */
function allowed({ constraints = {}, categories }: FieldJson): (text: string) => boolean {
  const list = (constraints.enum ?? categories) as readonly unknown[] | undefined
  const { minLength = 0, maxLength = 1e9 } = constraints as { minLength?: number; maxLength?: number }
  return (text) =>
    (list === undefined || list.some((one) => String(one) === text)) &&
    [...text].length >= minLength &&
    [...text].length <= maxLength
}

const groupChars = [',', '.', ' ', "'", '\u00a0', '\u202f', '_', '|', '٬', '’', '^', '\\', '[', '$']

/** Members of a type, what makes texts of it, and further constraints. */
function kindOf(random: Random, type: string): readonly [Members, Maker, Members?] {
  switch (type) {
    case 'integer': {
      const groupChar = chance(random, 2) ? pick(random, groupChars) : null
      const style = randomStyle(random, '.', groupChar)
      return [groupChar === null ? {} : { groupChar }, (r) => randomInteger(r, style)]
    }
    case 'number': {
      const decimalChar = chance(random, 2) ? '.' : pick(random, [',', ',', ',', '_', '·', '|', "'"])
      const groupChar = chance(random, 2)
        ? pick(
            random,
            groupChars.filter((one) => one !== decimalChar),
          )
        : null
      const style = randomStyle(random, decimalChar, groupChar)
      const members = { ...(decimalChar !== '.' && { decimalChar }), ...(groupChar !== null && { groupChar }) }
      return [members, (r) => randomNumber(r, style)]
    }
    case 'boolean':
      return booleanKind(random)
    case 'date':
    case 'time':
    case 'datetime':
      return momentKind(random, type)
    case 'year':
      return [
        {},
        (r) => pick(r, ['2024', '0000', '-0044', '1999', '12345', '123456789', '0012', String(1000 + r(9000))]),
      ]
    case 'yearmonth':
      return [{}, (r) => `${1990 + r(40)}-${String(1 + r(12)).padStart(2, '0')}`]
    case 'duration':
      return [{}, randomDuration]
    case 'object':
    case 'array':
      return [{}, (r) => randomJson(r, type)]
    case 'string':
      return stringKind(random)
    default:
      return [{}, (r) => (chance(r, 2) ? anyText(r) : randomText(r, r(6)))]
  }
}

function booleanKind(random: Random): readonly [Members, Maker] {
  const usual = ['true', 'True', 'TRUE', '1', 'false', 'False', 'FALSE', '0']
  if (chance(random, 2)) return [{}, (r) => pick(r, usual)]
  const yes = pick(random, [['ja'], ['1', 'yes'], ['T', 't', 'é'], ['x'], [], ['true']])
  const no = pick(random, [['nein'], ['0', 'no'], ['F', ''], [' '], ['false', '-']])
  const own = pick(random, [{ trueValues: yes, falseValues: no }, { trueValues: yes }, { falseValues: no }])
  const words = [...(own.trueValues ?? usual.slice(0, 4)), ...(own.falseValues ?? usual.slice(4))]
  return [own, (r) => (chance(r, 12) ? pick(r, usual) : pick(r, words))]
}

function momentKind(random: Random, type: 'date' | 'time' | 'datetime'): readonly [Members, Maker] {
  if (chance(random, 3)) {
    const offsets = pick(random, ['none', 'all', 'some'] as const)
    if (type === 'datetime') return [{}, (r) => isoDateTime(r, offsets)]
    return [{}, type === 'date' ? isoDate : isoTime]
  }
  const format = randomFormat(random, type)
  return [{ format: chance(random, 10) ? `fmt:${format}` : format }, (r) => textInFormat(r, format)]
}

function stringKind(random: Random): readonly [Members, Maker, Members?] {
  if (chance(random, 6)) return [{ format: 'uuid' }, randomUuid]
  if (chance(random, 3)) return [{}, (r) => randomText(r, r(9))]
  const { pattern, sample } = randomPattern(random)
  return [{}, (r) => sample(r).slice(0, 60), { pattern }]
}

const bounds = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'] as const

/** Adds some of the constraints that the schema accepts; `used` are the texts of their constants. */
function withConstraints(
  random: Random,
  bare: FieldJson,
  { constants, more }: { readonly constants: readonly string[]; readonly more: Members },
): { readonly json: FieldJson; readonly used: readonly string[] } {
  let json: FieldJson = bare
  const used: string[] = []
  const add = (next: FieldJson, texts: readonly string[]) => {
    if (!isAccepted(next)) return
    json = next
    used.push(...texts)
  }
  const constrain = (name: string, value: unknown, texts: readonly string[]) =>
    add({ ...json, constraints: { ...json.constraints, [name]: value } }, texts)

  for (const [name, value] of Object.entries(more)) constrain(name, value, [])
  if (chance(random, 4)) constrain('required', true, [])
  for (const rule of bounds) {
    if (!chance(random, 8)) continue
    const text = pick(random, constants)
    const asNumber = chance(random, 3) ? pick(random, [0, -5, 1000, 0.1, 12.5, 1e3, Number(text)]) : text
    constrain(rule, asNumber, [String(asNumber), text])
  }
  if (chance(random, 4)) constrain('minLength', random(5), [randomText(random, random(5))])
  if (chance(random, 4)) constrain('maxLength', 2 + random(6), [randomText(random, 2 + random(7))])
  if (chance(random, 6)) {
    const values = constants.filter((text) => isAccepted({ ...bare, constraints: { enum: [text] } }))
    const extra = typeof bare.type === 'string' && chance(random, 3) ? [pick(random, [0, 1, 12.5, true, false])] : []
    const list = [...values, ...extra.filter((one) => isAccepted({ ...bare, constraints: { enum: [one] } }))]
    constrain('enum', list, list.map(String))
  }
  if (chance(random, 6)) {
    const values = constants.filter((text) => isAccepted({ ...bare, categories: [text] }))
    add({ ...json, categories: chance(random, 2) ? values : values.map((value) => ({ value, label: 'l' })) }, values)
  }
  return { json, used }
}

function isAccepted(field: FieldJson): boolean {
  try {
    readDeclaredSchema({ fields: [field] })
    return true
  } catch {
    return false
  }
}
