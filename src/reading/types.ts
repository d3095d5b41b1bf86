// Types: which type the values of a column allow, and why, as the receipt says it. Knows facts, not where they come from.
import { type ClassFacts, type ColumnFacts, type ValueClass, valueClasses } from '../core/column-facts.ts'
import type { ColumnType } from '../core/receipt.ts'

/** A type that keeps every value exactly, the words that stand for null in it, and a sentence that says why. */
export interface Decision {
  readonly type: ColumnType
  readonly nullWords: readonly string[]
  readonly why: string
  /** The same sentence for more records than the facts are about, once the type has held for them: `values` many. */
  whyHeld(values: number): string
}

interface Candidate {
  readonly type: ColumnType
  /** Classes whose values it keeps. */
  readonly keeps: readonly ValueClass[]
  readonly one: string
  readonly many: string
}

/** Offenders are named up to here. */
const firstMax = 3
/** What a precision is rounded up to, so that a longer number in later records seldom changes the type. */
const precisions = [9, 18, 38]

/** The facts of the records of `a` followed by those of `b`. */
export function joinFacts(a: ColumnFacts, b: ColumnFacts): ColumnFacts {
  const nullWords = { ...a.nullWords }
  for (const [word, count] of Object.entries(b.nullWords)) nullWords[word] = (nullWords[word] ?? 0) + count
  const classes: Partial<Record<ValueClass, ClassFacts>> = {}
  for (const name of valueClasses) {
    const parts = [a.classes[name], shifted(b.classes[name], a.records)].filter((one) => one !== undefined)
    if (parts.length > 0) classes[name] = joinClasses(parts)
  }
  return { records: a.records + b.records, nulls: a.nulls + b.nulls, nullWords, classes, digits: joinDigits(a, b) }
}

function shifted(facts: ClassFacts | undefined, records: number): ClassFacts | undefined {
  return facts && { count: facts.count, first: facts.first.map((record) => record + records) }
}

function joinClasses(parts: readonly ClassFacts[]): ClassFacts {
  const first = parts.flatMap((part) => part.first).sort((x, y) => x - y)
  return { count: parts.reduce((sum, { count }) => sum + count, 0), first: first.slice(0, firstMax) }
}

function joinDigits({ digits: a }: ColumnFacts, { digits: b }: ColumnFacts): ColumnFacts['digits'] {
  if (a === null || b === null) return a ?? b
  return {
    wholeMax: Math.max(a.wholeMax, b.wholeMax),
    scaleMin: Math.min(a.scaleMin, b.scaleMin),
    scaleMax: Math.max(a.scaleMax, b.scaleMax),
  }
}

/**
 * Decides the type of a column. A null word becomes null only where some other value has a type and all others have it.
 *
 * @param lineOf The physical line a record (from 1, as in `facts`) starts on: `why` then names lines instead of records.
 */
export function decideType(facts: ColumnFacts, options: { lineOf?(record: number): number } = {}): Decision {
  const values = countOf(facts, valueClasses)
  const words = Object.keys(facts.nullWords)
  const wordCount = Object.values(facts.nullWords).reduce((sum, count) => sum + count, 0)
  const { records } = facts
  if (values === 0)
    return text(records, wordCount > 0 ? `${all(wordCount, 'a null word', 'null words')}` : 'there is no value')

  const candidates = candidatesFor(facts)
  const fitting = candidates.find(({ keeps }) => countOf(facts, keeps) === values)
  if (fitting === undefined) return text(records, whyText(facts, candidates, values, options.lineOf))
  const named = words.map((word) => (word === '' ? 'quoted empty text' : word)).join(', ')
  const apart = wordCount === 0 ? '' : `, apart from ${count(wordCount, 'null word')} (${named})`
  return {
    type: fitting.type,
    nullWords: words,
    why: all(values, fitting.one, fitting.many) + apart,
    // How many of all records hold a null word is not known then.
    whyHeld: (held) =>
      all(held, fitting.one, fitting.many) + (words.length === 0 ? '' : `, apart from null words (${named})`),
  }
}

/** The type as the receipt names it: the kind, with precision and scale for a decimal. */
export function columnTypeName(type: ColumnType): string {
  return type.kind === 'decimal' ? `decimal(${type.precision},${type.scale})` : type.kind
}

/** The types a column might have, the narrower before the wider. */
function candidatesFor({ digits }: ColumnFacts): readonly Candidate[] {
  return [
    same('integer', ['integer', 'longInteger'], 'an integer without padding', 'integers without padding'),
    ...decimalCandidate(digits),
    same(
      'number',
      ['integer', 'decimal', 'number'],
      'a number within double precision',
      'numbers within double precision',
    ),
    ...(['true', 'True', 'TRUE'] as const).map((spelling): Candidate => {
      const words = `${spelling} or ${{ true: 'false', True: 'False', TRUE: 'FALSE' }[spelling]}`
      return { type: { kind: 'boolean', spelling }, keeps: [spelling], one: words, many: words }
    }),
    same('date', ['date'], 'an ISO 8601 date', 'ISO 8601 dates'),
    same('time', ['time'], 'a time of day', 'times of day'),
    same('timestamp', ['timestamp'], 'an ISO 8601 timestamp without offset', 'ISO 8601 timestamps without offset'),
    same('timestamptz', ['timestamptz'], 'an ISO 8601 timestamp with offset', 'ISO 8601 timestamps with offset'),
  ]
}

function same(
  kind: Exclude<ColumnType['kind'], 'decimal' | 'boolean'>,
  keeps: readonly ValueClass[],
  one: string,
  many: string,
): Candidate {
  return { type: { kind }, keeps, one, many }
}

function decimalCandidate(digits: ColumnFacts['digits']): readonly Candidate[] {
  if (digits === null || digits.scaleMin !== digits.scaleMax) return []
  const scale = digits.scaleMax
  const precision = precisions.find((one) => one >= digits.wholeMax + scale)
  if (precision === undefined) return []
  const places = `with ${count(scale, 'decimal place')}`
  const keeps: readonly ValueClass[] = ['decimal', 'longDecimal']
  return [{ type: { kind: 'decimal', precision, scale }, keeps, one: `a number ${places}`, many: `numbers ${places}` }]
}

function text(records: number, why: string): Decision {
  const whyHeld = () => `text: ${why}, by the first ${count(records, 'record')}`
  return { type: { kind: 'text' }, nullWords: [], why: `text: ${why}`, whyHeld }
}

/** Says what keeps a column from the type most of its values have. */
function whyText(
  facts: ColumnFacts,
  candidates: readonly Candidate[],
  values: number,
  lineOf: ((record: number) => number) | undefined,
): string {
  const nearest = candidates.reduce((best, next) =>
    countOf(facts, next.keeps) > countOf(facts, best.keeps) ? next : best,
  )
  const isNear = countOf(facts, nearest.keeps) > 0
  const offending = valueClasses.filter((name) => !nearest.keeps.includes(name) && facts.classes[name] !== undefined)
  const offenders = joinClasses(offending.flatMap((name) => facts.classes[name] ?? []))
  const trait = offending.length === 1 ? traits[offending[0]!] : undefined
  if (trait === undefined && !isNear) {
    return values === 1 ? 'the only value fits no other type' : `none of the ${values} values fits another type`
  }
  const isOne = offenders.count === 1
  const fault = trait
    ? `${isOne ? 'has' : 'have'} ${trait}`
    : isOne
      ? `is not ${nearest.one}`
      : `are not ${nearest.many}`
  return `${offenders.count} of ${count(values, 'value')} ${fault} (${places(offenders, lineOf)})`
}

/** What values of a class have that no number type keeps. */
const traits: Readonly<Partial<Record<ValueClass, string>>> = {
  padded: 'leading zeros',
  signed: 'a plus sign',
  tooLong: 'more digits than a number type keeps',
  longInteger: 'more digits than a double keeps',
  longDecimal: 'more digits than a double keeps',
}

function places({ count: found, first }: ClassFacts, lineOf: ((record: number) => number) | undefined): string {
  const numbers = lineOf === undefined ? first : first.map(lineOf)
  const noun = lineOf === undefined ? 'record' : 'line'
  return `${noun}${found === 1 ? '' : 's'} ${numbers.join(', ')}${found > first.length ? ', …' : ''}`
}

function countOf(facts: ColumnFacts, names: readonly ValueClass[]): number {
  return names.reduce((sum, name) => sum + (facts.classes[name]?.count ?? 0), 0)
}

function all(values: number, one: string, many: string): string {
  return values === 1 ? `the only value is ${one}` : `all ${values} values are ${many}`
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
