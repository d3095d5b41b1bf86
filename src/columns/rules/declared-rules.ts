// Declared rules: how the module reads and checks the texts of a declared column. Knows no records.
import { type ValueClass, valueClasses } from '../../core/column-facts.ts'
import {
  type Bound,
  type DeclaredCheck,
  type DeclaredValues,
  ruleCode,
  type TextForm,
} from '../../core/declared-values.ts'
import { type GroupChar, groupChars, type NumberForm } from '../../core/receipt.ts'
import type { ColumnsMemory } from '../memory/columns-memory.ts'
import { type ColumnKind, columnKind } from '../parquet/column-kind.ts'
import { compareExactly, type ExactNumber, exactKey, exactNumber } from './compare-numbers.ts'
import { momentProgram } from './moment-format.ts'
import { alignment, type RuleTables } from './rule-tables.ts'

// Numbers of wasm/columns/rules.
const forms = { text: 1, integer: 2, year: 3, number: 4, boolean: 5, iso: 6, strptime: 7 } as const
const flags = { emptyIsNull: 1, isRequired: 2, isUsual: 4, isNearest: 8 } as const
const textChecks = { lengthMin: 1, lengthMax: 2, words: 3, json: 4, bounds: 5, pattern: 6 } as const
const bounds: readonly Bound[] = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']

const textKind = columnKind({ kind: 'text' })
/** Marks of a column: more than it has rules. */
const rulesMax = 100
/** 0.1 × 10 to this power: the double of a smaller number has fewer digits. */
const normalPointMin = -279
/** A double tells apart all numbers of so many digits. */
const digitsOfDouble = 15

const utf8 = new TextEncoder()

/** The column and the rule of a mark. */
export function brokenRule(mark: number): { readonly column: number; readonly rule: number } {
  return { column: Math.floor((mark - 1) / rulesMax), rule: (mark - 1) % rulesMax }
}

/** How many patterns a column has at most. */
export function patternsOf(declared: DeclaredValues | undefined): number {
  if (declared === undefined) return 0
  return Number(declared.form.kind === 'shaped') + declared.checks.filter(({ rule }) => rule === 'pattern').length
}

/** A column of the records in the window. */
interface ColumnPosition {
  readonly column: number
  readonly records: number
}

type Run = (memory: ColumnsMemory, place: ColumnPosition, rule: number) => void

/** Reads and checks a declared column. */
export class DeclaredRules {
  /** Number characters that the module reads in its usual way, if they are not those of ISO; undefined for others. */
  readonly form: NumberForm | undefined
  /** The column has rules that some text may break. */
  readonly hasChecks: boolean
  readonly #kind: ColumnKind
  readonly #settings: readonly [
    form: number,
    flags: number,
    missing: number,
    reader: number,
    decimal: number,
    group: number,
  ]
  readonly #checks: readonly { readonly rule: number; readonly run: Run }[]
  readonly #compare: ColumnsMemory['compareNumber']
  readonly #numberKey: ColumnsMemory['numberKey']

  constructor({ form, missing, isRequired, checks }: DeclaredValues, tables: RuleTables) {
    this.form = usualForm(form)
    this.#kind = checkedKind(form, this.form)
    const words = missing.filter((word) => word !== '')
    this.#settings = [
      formNumber(form),
      (words.length < missing.length ? flags.emptyIsNull : 0) |
        (isRequired ? flags.isRequired : 0) |
        (isUsual(form, this.form, words) ? flags.isUsual : 0) |
        ('isNearest' in form ? flags.isNearest : 0),
      words.length === 0 ? 0 : tables.texts(words),
      readerOf(form, tables),
      'decimalChar' in form ? packed(form.decimalChar) : 0,
      'groupChar' in form && form.groupChar !== null ? packed(form.groupChar) : 0,
    ]
    const own = checks.map((check, i) => ({ rule: ruleCode.firstCheck + i, run: runOf(check, form, tables) }))
    const shape = shapeOf(form, tables)
    this.#checks = shape === null ? own : [{ rule: ruleCode.type, run: shape }, ...own]
    this.hasChecks = form.kind !== 'text' || isRequired || checks.length > 0
    // Marks have room only if there are tables.
    if (this.hasChecks) tables.reserve(alignment)
    this.#compare = comparing(checks, form)
    this.#numberKey = keyOf(form)
  }

  /** Whether values of a kind are read in the same way as they are checked. */
  isReadAsChecked({ kind, form }: ColumnKind): boolean {
    const isSame = kind === this.#kind.kind && `${form}` === `${this.#kind.form}`
    return this.#settings[0] === forms.strptime || (isSame && this.#kind !== textKind)
  }

  /** Before the column is read. */
  use(memory: ColumnsMemory): void {
    memory.exports.setRules(...this.#settings)
  }

  /** Marks the records whose text breaks a rule and that are not marked yet. */
  check(memory: ColumnsMemory, place: ColumnPosition): void {
    this.#read(memory, place)
    memory.compareNumber = this.#compare
    for (const { rule, run } of this.#checks) run(memory, place, rule)
  }

  /** Adds the values of records that break no rule to their keys. */
  addToKey(memory: ColumnsMemory, place: ColumnPosition): void {
    this.#read(memory, place)
    memory.numberKey = this.#numberKey
    memory.exports.addToKey(place.column, place.records, this.#kind.kind)
  }

  #read(memory: ColumnsMemory, { column, records }: ColumnPosition): void {
    this.use(memory)
    memory.exports.setKind(...this.#kind.form)
    memory.exports.check(column, records, this.#kind.kind, 1 + column * rulesMax)
  }
}

function formNumber(form: TextForm): number {
  if (form.kind === 'integer') return form.isYear ? forms.year : forms.integer
  if (form.kind === 'moment') return forms.iso
  return form.kind === 'shaped' || form.kind === 'json' ? forms.text : forms[form.kind]
}

/** What the values are read as while they are checked. */
function checkedKind(form: TextForm, number: NumberForm | undefined): ColumnKind {
  const written = number === undefined ? {} : { form: number }
  switch (form.kind) {
    case 'integer':
    case 'number':
      return columnKind({ kind: form.kind, ...written })
    case 'boolean':
      return columnKind({ kind: 'boolean' })
    case 'iso':
      return columnKind({ kind: form.of === 'datetime' ? 'timestamp' : form.of })
    case 'moment':
    case 'strptime':
      return columnKind({ kind: 'timestamp' })
    default:
      return textKind
  }
}

/** The usual characters of a number; undefined without groups and for characters that only declared columns have. */
function usualForm(form: TextForm): NumberForm | undefined {
  if (form.kind !== 'number' && form.kind !== 'integer') return undefined
  const groupChar = form.groupChar === null ? null : groupChars.find((one): one is GroupChar => one === form.groupChar)
  const decimalChar = form.kind === 'integer' ? (groupChar === '.' ? ',' : '.') : form.decimalChar
  if (groupChar === undefined || (decimalChar !== '.' && decimalChar !== ',')) return undefined
  return { decimalChar, groupChar }
}

/** Whether every text that is a value in the usual way is the same value here. */
function isUsual(form: TextForm, number: NumberForm | undefined, missing: readonly string[]): boolean {
  if (missing.some((word) => /\d/.test(word))) return false
  if (form.kind === 'iso') return form.of !== 'time'
  if (form.kind === 'boolean')
    return areSpelled('true', form.trueValues, missing) && areSpelled('false', form.falseValues, missing)
  if (form.kind === 'integer') return !form.isYear && number !== undefined
  return form.kind === 'moment' || (form.kind === 'number' && number !== undefined)
}

/** Whether the usual spellings of a boolean stand for it here. */
function areSpelled(word: string, words: readonly string[], missing: readonly string[]): boolean {
  const spellings = [word, `${word[0]?.toUpperCase()}${word.slice(1)}`, word.toUpperCase()]
  return spellings.every((one) => words.includes(one) && !missing.includes(one))
}

/** UTF-8 as a number, the first byte lowest. */
function packed(character: string): number {
  return utf8.encode(character).reduce((sum, byte, i) => sum + byte * 2 ** (8 * i), 0)
}

function readerOf(form: TextForm, tables: RuleTables): number {
  if (form.kind === 'boolean') return tables.texts([...form.trueValues, ...form.falseValues], form.trueValues)
  if (form.kind === 'strptime') return tables.add(momentProgram(form.format))
  if (form.kind !== 'number') return 0
  const counted: readonly ValueClass[] = form.counted
  // Class 0 is that of no value.
  return tables.add(Uint8Array.from([0, ...valueClasses.map((name) => Number(counted.includes(name)))]))
}

function shapeOf(form: TextForm, tables: RuleTables): Run | null {
  if (form.kind === 'shaped') return textRun(textChecks.pattern, tables.pattern(form.shape), 0)
  if (form.kind !== 'json') return null
  return textRun(textChecks.json, Number(form.of === 'ARRAY'), 0)
}

function textRun(what: number, first: number, second: number): Run {
  return ({ exports }, { column, records }, rule) => exports.checkTexts(column, records, what, first, second, rule)
}

function runOf(check: DeclaredCheck, form: TextForm, tables: RuleTables): Run {
  switch (check.rule) {
    case 'minLength':
    case 'maxLength': {
      const what = check.rule === 'minLength' ? textChecks.lengthMin : textChecks.lengthMax
      return textRun(what, Math.min(check.length, 0xffffffff), 0)
    }
    case 'pattern':
      return textRun(textChecks.pattern, tables.pattern(check.pattern), 0)
    case 'enum':
    case 'categories':
      return listRun(check.values, form, tables)
    default:
      return boundRun(bounds.indexOf(check.rule), check.value, form, tables)
  }
}

function listRun(values: readonly string[], form: TextForm, tables: RuleTables): Run {
  const read = constantReader(form)
  if (read === null) return textRun(textChecks.words, tables.texts(values), 0)
  const listed = tables.values(values.map((text) => bytesOf(read(text))))
  const valueBytes = form.kind === 'boolean' ? 1 : 8
  const [areNumbers, areLong] = [Number(form.kind === 'number'), Number(values.some(isLong))]
  return ({ exports }, { column, records }, rule) =>
    exports.checkListed(column, records, valueBytes, listed, areNumbers, areLong, rule)
}

function boundRun(bound: number, text: string, form: TextForm, tables: RuleTables): Run {
  const limit = constantReader(form)?.(text)
  if (limit === undefined) return textRun(textChecks.bounds, tables.add(utf8.encode(text)), bound)
  if (typeof limit === 'bigint')
    return ({ exports }, { records }, rule) => exports.checkBound(records, bound, limit, rule)
  const areLong = Number(isLong(text))
  return ({ exports }, { column, records }, rule) =>
    exports.checkNumberBound(column, records, bound, limit, areLong, rule)
}

/** Reads a constant in plain form as the values are read while they are checked; null if these are texts. */
function constantReader(form: TextForm): ((text: string) => bigint | number) | null {
  switch (form.kind) {
    case 'integer':
      return BigInt
    case 'number':
      return Number
    case 'boolean':
      return (text) => BigInt(text === 'true')
    case 'iso':
    case 'moment':
    case 'strptime':
      return momentOf
    default:
      return null
  }
}

/** Days of a date; microseconds of a time, or of a timestamp, in UTC. */
function momentOf(text: string): bigint {
  const [, date, time = '', fraction = '', offset = 'Z'] =
    /^(\d{4}-\d\d-\d\d)?[T ]?(\d\d:\d\d:\d\d)?(?:\.(\d+))?(Z|[-+]\d\d:?\d\d)?$/.exec(text) ?? []
  const day = date ?? '1970-01-01'
  if (time === '') return BigInt(Date.parse(`${day}T00:00:00Z`) / 86_400_000)
  const zone = offset === 'Z' ? offset : offset.replace(/:?(\d\d)$/, ':$1')
  return BigInt(Date.parse(`${day}T${time}${zone}`)) * 1000n + BigInt(fraction.padEnd(6, '0'))
}

function bytesOf(value: bigint | number): Uint8Array {
  const view = new DataView(new ArrayBuffer(8))
  if (typeof value === 'bigint') view.setBigInt64(0, value, true)
  // Zero has no sign.
  else view.setFloat64(0, value + 0, true)
  return new Uint8Array(view.buffer)
}

function isLong(text: string): boolean {
  return exactNumber(text).digits.length > digitsOfDouble
}

/** How a number whose double is that of a bound compares with it; whether it is one of a list. */
function comparing(checks: readonly DeclaredCheck[], form: TextForm): ColumnsMemory['compareNumber'] {
  if (form.kind !== 'number') return () => 0
  const compared = new Map<number, (number: ExactNumber) => number>()
  return (rule, text) => {
    const compare = compared.get(rule) ?? comparingWith(checks[rule - ruleCode.firstCheck])
    compared.set(rule, compare)
    return compare(exactNumber(text, form.groupChar ?? '', form.decimalChar))
  }
}

/** The exact value of numbers that a double may not tell from others. */
function keyOf(form: TextForm): ColumnsMemory['numberKey'] {
  if (form.kind !== 'number') return () => ''
  return (text) => {
    const number = exactNumber(text, form.groupChar ?? '', form.decimalChar)
    const { digits, point } = number
    return digits === '' || (digits.length <= digitsOfDouble && point >= normalPointMin) ? '' : exactKey(number)
  }
}

function comparingWith(check: DeclaredCheck | undefined): (number: ExactNumber) => number {
  if (check !== undefined && 'values' in check) {
    const listed = new Set(check.values.map((text) => exactKey(exactNumber(text))))
    return (number) => Number(listed.has(exactKey(number)))
  }
  const limit = exactNumber(check !== undefined && 'value' in check ? check.value : '0')
  return (number) => Math.sign(compareExactly(number, limit))
}
