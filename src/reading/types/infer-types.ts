// Infer types: which type the values of a column allow, and why, in words for the receipt. Knows facts, not where they come from.
import {
  type ClassFacts,
  type ColumnFacts,
  joinClasses,
  joinNumberTexts,
  shiftNumberTexts,
  type ValueClass,
  valueClasses,
} from '../../core/column-facts.ts'
import type { NoteCode } from '../../core/notes.ts'
import type { ColumnType } from '../../core/receipt.ts'
import { type Candidate, candidatesFor, columnTypeName, type FileEvidence, fileEvidence } from './type-candidates.ts'

export { differentForms } from './different-forms.ts'
export { classesOfForm, columnFormat, columnTypeName, decimalOf } from './type-candidates.ts'

/** A type that keeps every value exactly, the words that stand for null in it, and a sentence with the reason. */
export interface Decision {
  readonly type: ColumnType
  readonly nullWords: readonly string[]
  readonly why: string
  /** The same sentence for more records than the facts cover, once the type has held for them: `values` many. */
  whyHeld(values: number): string
  /** What a careful reader would ask about the column; null if there is nothing to ask. */
  readonly doubt: Doubt | null
  /**
   * Classes of values that do not change the decision; null if that follows from the type. A value of another class
   * might prove a type that the facts leave open.
   */
  readonly holdsFor: readonly ValueClass[] | null
}

/** A note about a column, without its name. */
export interface Doubt {
  readonly code: NoteCode
  readonly clause: string
  /** The first lines; empty if only rows are known. */
  readonly lines: readonly number[]
  /** As in a note. */
  readonly values?: readonly string[]
}

/** The physical line on which a record (from 1, as in the facts) starts. */
export type LineOf = (record: number) => number

/** The facts of the records of `a` followed by those of `b`. */
export function joinFacts(a: ColumnFacts, b: ColumnFacts): ColumnFacts {
  const nullWords = { ...a.nullWords }
  for (const [word, count] of Object.entries(b.nullWords)) nullWords[word] = (nullWords[word] ?? 0) + count
  const classes: Partial<Record<ValueClass, ClassFacts>> = {}
  for (const name of classesOf({ ...a, classes: { ...a.classes, ...b.classes } })) {
    const parts = [a.classes[name], shifted(b.classes[name], a.records)].filter((one) => one !== undefined)
    if (parts.length > 0) classes[name] = joinClasses(parts)
  }
  const numberTexts =
    a.numberTexts && b.numberTexts && joinNumberTexts(a.numberTexts, shiftNumberTexts(b.numberTexts, a.records))
  return {
    records: a.records + b.records,
    nulls: a.nulls + b.nulls,
    nullWords,
    classes,
    ...(numberTexts && { numberTexts }),
  }
}

function shifted(facts: ClassFacts | undefined, records: number): ClassFacts | undefined {
  return facts && { ...facts, first: facts.first.map((record) => record + records) }
}

/**
 * Decides the types of all columns of a file: what one column proves about how numbers are written is compared with the
 * others.
 *
 * @param lineOf If given, sentences name lines; otherwise records.
 * @param delimiter Of the file's fields: a comma between them is no decimal comma. One column has none between its values.
 */
export function decideTypes(
  columns: readonly ColumnFacts[],
  lineOf?: LineOf,
  delimiter: string | undefined = ',',
): readonly Decision[] {
  const alone = columns.map((facts) => decideType(facts, { decimalChar: '.' }, lineOf))
  const hasDecimalComma = alone.some(
    ({ type }) => 'form' in type && type.form && 'decimalChar' in type.form && type.form.decimalChar === ',',
  )
  const evidence = fileEvidence(columns, hasDecimalComma, columns.length > 1 ? delimiter : undefined)
  return evidence.decimalChar === '.' && !evidence.isContested
    ? alone
    : columns.map((facts) => decideType(facts, evidence, lineOf))
}

/** A null word becomes null only if at least one other value has a type, and all others have the same. */
function decideType(facts: ColumnFacts, file: FileEvidence, lineOf: LineOf | undefined): Decision {
  const values = valueCount(facts)
  const words = Object.keys(facts.nullWords)
  const wordCount = Object.values(facts.nullWords).reduce((sum, count) => sum + count, 0)
  const { records } = facts
  if (values === 0) {
    const why = wordCount > 0 ? all(wordCount, 'is a null word', 'are null words') : 'there is no value'
    // One text decides it as well as any number of values.
    return { ...text(records, why), holdsFor: ['text'] }
  }

  const candidates = candidatesFor(facts, file)
  const isFitting = ({ keeps }: Candidate) => countOf(facts, keeps) === values
  const verified = candidates.find((candidate) => candidate.isVerified && isFitting(candidate))
  if (verified === undefined) {
    const fitting = candidates.find(isFitting)
    return fitting === undefined
      ? typeMismatch(facts, candidates, values, lineOf)
      : open(facts, fitting.type, values, lineOf)
  }
  const named = words.map((word) => (word === '' ? 'empty text' : word)).join(', ')
  const apart = wordCount === 0 ? '' : `, apart from ${count(wordCount, 'null word')} (${named})`
  const sentence = (number: number) => all(number, `is ${verified.one}`, `are ${verified.many}`)
  return {
    type: verified.type,
    nullWords: words,
    why: sentence(values) + apart,
    // The total number of null words is then unknown.
    whyHeld: (held) => sentence(held) + (words.length === 0 ? '' : `, apart from null words (${named})`),
    doubt: longDecimalDoubt(facts, verified.type, lineOf) ?? pointDoubt(facts, verified.type, file, lineOf),
    holdsFor: null,
  }
}

function text(records: number, why: string, doubt: Doubt | null = null): Decision {
  const byFirst = `, by the first ${count(records, 'record')}`
  const whyHeld = () => `text: ${why}${byFirst}`
  return { type: { kind: 'text' }, nullWords: [], why: `text: ${why}`, whyHeld, doubt, holdsFor: null }
}

/** For a column that would have a type if only one of the ways to read it were proven. */
function open(facts: ColumnFacts, type: ColumnType, values: number, lineOf: LineOf | undefined): Decision {
  const classes = classesOf(facts)
  const isDate = type.kind === 'date' || type.kind === 'timestamp'
  const form = 'form' in type ? type.form : undefined
  const isComma = form !== undefined && 'groupChar' in form && form.groupChar !== '.'
  const thousand = isComma ? 'thousandComma' : 'thousandPoint'
  const doubtful = classes.filter((name) => (isDate ? name.endsWith('either') : name === thousand))
  const { count: found, first } = factsOf(facts, doubtful)
  const could = isDate ? 'could be day first or month first' : 'could be thousands or decimals'
  const at = `(${places({ count: found, first }, lineOf)})`
  const why = `${found === values ? all(values, could, could) : `${found} of ${count(values, 'value')} ${could}`} ${at}`
  const code = isDate ? 'AMBIGUOUS_DATES' : 'AMBIGUOUS_NUMBERS'
  return {
    ...text(facts.records, why, { code, clause: `${why}, so it is kept as text`, lines: linesOf(first, lineOf) }),
    // Then each value is of a known class, or a null word, and the number of null words is unknown.
    whyHeld: () => `text: ${found === values ? 'all' : 'some'} values ${could} ${at}`,
    holdsFor: classes,
  }
}

/** For a column whose values contradict each other. */
function typeMismatch(
  facts: ColumnFacts,
  candidates: readonly Candidate[],
  values: number,
  lineOf: LineOf | undefined,
): Decision {
  const { why, code, offenders } = faultOf(facts, candidates, values, lineOf)
  const { count: found, texts = [] } = offenders
  const shown = texts.map(spelledOut)
  const isFew = found > 0 && found <= fewMax && found * 100 <= values
  // If every value looks like a number, a date or the like, someone may well have meant it to be one.
  const isDoubtful = facts.classes.text === undefined
  const odd = isFew && shown.length > 0 ? `: ${shown.map((one) => `'${one}'`).join(', ')}` : ''
  const doubt = {
    code: isFew && (!isDoubtful || code === 'MIXED_VALUES') ? ('FEW_MISFITS' as const) : code,
    clause: `${why}${odd}, so it is kept as text`,
    lines: linesOf(offenders.first, lineOf),
    ...(odd !== '' && { values: shown }),
  }
  return text(facts.records, why, isDoubtful || isFew ? doubt : null)
}

/** No more values than these are named as the few that keep a column from a type. */
const fewMax = 1_000

/** A text with the code points of characters that do not show. */
function spelledOut(value: string): string {
  return value.replaceAll(/(?! )[\p{C}\p{Z}\ufffd]/gu, (one) => {
    return `<U+${one.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}>`
  })
}

function longDecimalDoubt(facts: ColumnFacts, type: ColumnType, lineOf: LineOf | undefined): Doubt | null {
  if (type.kind !== 'decimal') return null
  const long = classesOf(facts).filter(isLong)
  return digitsDoubt(factsOf(facts, long), 'TOO_MANY_DIGITS', `it is kept as ${columnTypeName(type)}`, lineOf)
}

/** For numbers with more digits than a double keeps; null if there are none. */
export function digitsDoubt(found: ClassFacts, code: NoteCode, outcome: string, lineOf?: LineOf): Doubt | null {
  if (found.count === 0) return null
  const have = found.count === 1 ? 'value has' : 'values have'
  const clause = `${found.count} ${have} more digits than a double keeps (${places(found, lineOf)}), so ${outcome}`
  return { code, clause, lines: linesOf(found.first, lineOf) }
}

/** True for numbers that a double does not keep. */
export function isLong(name: ValueClass): boolean {
  return name === 'tooLong' || name.startsWith('long')
}

/**
 * For a column in which every point precedes three digits: the points may separate groups, which whole numbers beside
 * them lack, or something in the file suggests a decimal comma.
 */
function pointDoubt(
  facts: ColumnFacts,
  type: ColumnType,
  { isContested = false }: FileEvidence,
  lineOf: LineOf | undefined,
): Doubt | null {
  const { integer, thousandPoint } = facts.classes
  if (thousandPoint === undefined || ('form' in type && type.form !== undefined)) return null
  if (integer === undefined && !isContested) return null
  const values = valueCount(facts)
  if ((integer?.count ?? 0) + thousandPoint.count < values) return null
  const others = integer === undefined ? '' : ', and the others are whole numbers'
  const could = `${thousandPoint.count} of ${count(values, 'value')} could be thousands or decimals (${places(thousandPoint, lineOf)})`
  return {
    code: 'AMBIGUOUS_NUMBERS',
    clause: `${could}${others}; the point is read as a decimal point`,
    lines: linesOf(thousandPoint.first, lineOf),
  }
}

/** States what keeps a column from the type that most of its values have. */
function faultOf(
  facts: ColumnFacts,
  candidates: readonly Candidate[],
  values: number,
  lineOf: LineOf | undefined,
): { readonly why: string; readonly code: NoteCode; readonly offenders: ClassFacts } {
  const nearest = candidates.reduce((best, next) =>
    countOf(facts, next.keeps) > countOf(facts, best.keeps) ? next : best,
  )
  const isNear = countOf(facts, nearest.keeps) > 0
  const offending = classesOf(facts).filter((name) => !nearest.keeps.includes(name))
  const offenders = factsOf(facts, offending)
  const trait = offending.length === 1 ? traits[offending[0]!] : undefined
  if (trait === undefined && !isNear) {
    const why = values === 1 ? 'the only value fits no other type' : `none of the ${values} values fits another type`
    return { why, code: 'MIXED_VALUES', offenders: { count: 0, first: [] } }
  }
  const isOne = offenders.count === 1
  const fault = trait
    ? `${isOne ? 'has' : 'have'} ${trait.text}`
    : isOne
      ? `is not ${nearest.one}`
      : `are not ${nearest.many}`
  const why = `${offenders.count} of ${count(values, 'value')} ${fault} (${places(offenders, lineOf)})`
  return { why, code: trait?.code ?? 'MIXED_VALUES', offenders }
}

/** What no number type keeps of the values of a class. */
const traits: Readonly<Partial<Record<ValueClass, { readonly text: string; readonly code: NoteCode }>>> = {
  padded: { text: 'leading zeros', code: 'LEADING_ZEROS' },
  signed: { text: 'a plus sign', code: 'PLUS_SIGNS' },
  tooLong: { text: 'more digits than a number type keeps', code: 'TOO_MANY_DIGITS' },
  longInteger: { text: 'more digits than a double keeps', code: 'TOO_MANY_DIGITS' },
  longDecimal: { text: 'more digits than a double keeps', code: 'TOO_MANY_DIGITS' },
  longDecimalComma: { text: 'more digits than a double keeps', code: 'TOO_MANY_DIGITS' },
}

function linesOf(records: readonly number[], lineOf: LineOf | undefined): readonly number[] {
  return lineOf === undefined ? [] : records.map(lineOf)
}

function places({ count: found, first }: ClassFacts, lineOf: LineOf | undefined): string {
  const numbers = lineOf === undefined ? first : first.map(lineOf)
  const noun = lineOf === undefined ? 'row' : 'line'
  return `${noun}${found === 1 ? '' : 's'} ${numbers.join(', ')}${found > first.length ? ', …' : ''}`
}

function factsOf(facts: ColumnFacts, names: readonly ValueClass[]): ClassFacts {
  return joinClasses(names.flatMap((name) => facts.classes[name] ?? []))
}

/** Classes that have values, in the order of all. A column has a few of nearly a hundred. */
function classesOf({ classes }: ColumnFacts): readonly ValueClass[] {
  const names = Object.keys(classes) as ValueClass[] // keys of its type
  return names.sort((a, b) => (rankOf.get(a) ?? 0) - (rankOf.get(b) ?? 0))
}

const rankOf = new Map(valueClasses.map((name, rank) => [name, rank]))

function valueCount({ classes }: ColumnFacts): number {
  return Object.values(classes).reduce((sum, { count: found }) => sum + found, 0)
}

function countOf({ classes }: ColumnFacts, names: readonly ValueClass[]): number {
  let sum = 0
  for (const name of names) sum += classes[name]?.count ?? 0
  return sum
}

function all(values: number, one: string, many: string): string {
  return values === 1 ? `the only value ${one}` : `all ${values} values ${many}`
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
