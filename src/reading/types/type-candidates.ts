// Type candidates: the types that the values of a column might have, and which are proven. Knows facts, and no sentences but its own.
import {
  type ColumnFacts,
  type Digits,
  dateSeparators,
  groupedClasses,
  joinDigits,
  type ValueClass,
} from '../../core/column-facts.ts'
import { type ColumnType, type DateForm, type GroupChar, groupChars, type NumberForm } from '../../core/receipt.ts'

export interface Candidate {
  readonly type: ColumnType
  /** Classes whose values it keeps. */
  readonly keeps: readonly ValueClass[]
  /** False if its values could also have another meaning, which more records may prove. */
  readonly isVerified: boolean
  readonly one: string
  readonly many: string
}

/** A precision is rounded up to one of these, so that a longer number in later records seldom changes the type. */
const precisions = [9, 18, 38]

/** Facts about the whole file, for columns that are ambiguous by themselves. */
export interface FileEvidence {
  /** The decimal character that the other columns and the delimiter suggest; null if they suggest neither. */
  readonly decimalChar: NumberForm['decimalChar'] | null
  /** They prove a point, but something suggests a comma. */
  readonly isContested?: boolean
}

/** The types that a column might have, narrower and more usual ones first. */
export function candidatesFor(facts: ColumnFacts, file: FileEvidence): readonly Candidate[] {
  return [
    ...numberCandidates(facts, null, isPointVerified(facts, file)),
    ...plainCandidates,
    ...formsFor(facts).flatMap(({ form, isVerified }) => numberCandidates(facts, form, isVerified)),
    ...(hasOtherDates(facts) ? dateForms(facts) : []),
  ]
}

/** Types that do not depend on facts. */
const plainCandidates: readonly Candidate[] = [
  ...(['true', 'True', 'TRUE'] as const).map((spelling): Candidate => {
    const words = `${spelling} or ${{ true: 'false', True: 'False', TRUE: 'FALSE' }[spelling]}`
    return { type: { kind: 'boolean', spelling }, keeps: [spelling], isVerified: true, one: words, many: words }
  }),
  iso('date', 'an ISO 8601 date', 'ISO 8601 dates'),
  iso('time', 'a time of day', 'times of day'),
  iso('timestamp', 'an ISO 8601 timestamp without offset', 'ISO 8601 timestamps without offset'),
  iso('timestamptz', 'an ISO 8601 timestamp with offset', 'ISO 8601 timestamps with offset'),
]

/** Few columns do. */
function hasOtherDates({ classes }: ColumnFacts): boolean {
  return Object.keys(classes).some((name) => name.startsWith('date ') || name.startsWith('timestamp '))
}

function dateForms(facts: ColumnFacts): readonly Candidate[] {
  return (['date', 'timestamp'] as const).flatMap((kind) =>
    dateSeparators.flatMap((separator) => dateCandidates(facts, kind, separator)),
  )
}

/** The type as the receipt names it: the kind, with precision and scale for a decimal. */
export function columnTypeName(type: ColumnType): string {
  return type.kind === 'decimal' ? `decimal(${type.precision},${type.scale})` : type.kind
}

/** How the values of a type are written, shown by an example or a pattern; undefined for the usual format. */
export function columnFormat(type: ColumnType): string | undefined {
  if (!('form' in type) || type.form === undefined) return undefined
  if ('order' in type.form) return dateFormat(type.form) + (type.kind === 'timestamp' ? ' hh:mm:ss' : '')
  const { decimalChar, groupChar } = type.form
  return `1${groupChar ?? ''}234${type.kind === 'integer' ? '' : `${decimalChar}56`}`
}

function dateFormat({ order, separator }: DateForm): string {
  const names = { y: 'YYYY', m: 'MM', d: 'DD' }
  return [...order].map((field) => names[field as keyof typeof names]).join(separator)
}

function iso(kind: 'date' | 'time' | 'timestamp' | 'timestamptz', one: string, many: string): Candidate {
  return { type: { kind }, keeps: [kind], isVerified: true, one, many }
}

function has({ classes }: ColumnFacts, ...names: readonly ValueClass[]): boolean {
  return names.some((name) => classes[name] !== undefined)
}

/** A point is a decimal one unless all points of the column could separate groups and nothing in the file speaks for it. */
function isPointVerified(facts: ColumnFacts, { decimalChar }: FileEvidence): boolean {
  return decimalChar === '.' || !has(facts, 'thousandPoint') || has(facts, 'decimal', 'longDecimal', 'number')
}

/**
 * One verdict for all columns of a file. A decimal comma proves itself. Dates with points and semicolons between fields go
 * with one, commas between fields and decimal points in other columns do not.
 */
export function fileEvidence(
  columns: readonly ColumnFacts[],
  hasDecimalComma: boolean,
  delimiter: string | undefined,
): FileEvidence {
  if (hasDecimalComma) return { decimalChar: ',' }
  const suggestsComma = delimiter === ';' || columns.some((facts) => has(facts, ...dottedDates))
  const suggestsPoint = columns.some((facts) => has(facts, 'decimal', 'longDecimal', ...pointClasses))
  if (suggestsComma) return suggestsPoint ? { decimalChar: '.', isContested: true } : { decimalChar: ',' }
  return { decimalChar: suggestsPoint || delimiter === ',' ? '.' : null }
}

const dottedDates = (['date', 'timestamp'] as const).flatMap((kind) =>
  (['dmy', 'either'] as const).map((order): ValueClass => `${kind} .${order}`),
)
/** Numbers whose comma can only separate groups. */
const pointClasses: readonly ValueClass[] = (['', '.'] as const).flatMap((decimal) => groupedClasses(',', decimal))

const decimals = ['', '.', ','] as const
/** Numbers whose comma can only be a decimal one. */
const commaClasses: readonly ValueClass[] = [
  'decimalComma',
  'longDecimalComma',
  'numberComma',
  ...groupChars.flatMap((group) => groupedClasses(group, ',')),
]

/** Classes without which only the usual format is possible. */
const formClasses: ReadonlySet<string> = new Set<ValueClass>([
  ...commaClasses,
  'thousandComma',
  'thousandPoint',
  ...groupChars.flatMap((group) => decimals.flatMap((decimal) => groupedClasses(group, decimal))),
])

/**
 * Formats other than the usual one in which values of the column could be meant. Each of its characters must be proven
 * by a value with only one possible meaning; a number such as `1,234` proves nothing, but is compatible.
 */
function formsFor(facts: ColumnFacts): readonly { readonly form: NumberForm; readonly isVerified: boolean }[] {
  // Few columns have a value in favour of one, and each column of each file passes through here.
  if (!Object.keys(facts.classes).some((name) => formClasses.has(name))) return []
  const isGroup = (group: GroupChar) => has(facts, ...decimals.flatMap((decimal) => groupedClasses(group, decimal)))
  const isCommaVerified = has(facts, ...commaClasses)
  const mayBeComma = isCommaVerified || has(facts, 'thousandComma')
  const mayBeGroup = { ',': has(facts, 'thousandComma'), '.': has(facts, 'thousandPoint') && mayBeComma }
  return [...groupChars, null].flatMap((groupChar) => {
    const isGroupVerified = groupChar === null || isGroup(groupChar)
    if (!isGroupVerified && !((groupChar === ',' || groupChar === '.') && mayBeGroup[groupChar])) return []
    return (['.', ','] as const).flatMap((decimalChar) => {
      if (decimalChar === groupChar || (decimalChar === '.' && groupChar === null)) return []
      if (decimalChar === ',' && !mayBeComma && groupChar !== '.') return []
      const isDecimalVerified = decimalChar === '.' || isCommaVerified || groupChar === '.'
      return { form: { decimalChar, groupChar }, isVerified: isGroupVerified && isDecimalVerified }
    })
  })
}

function numberCandidates(facts: ColumnFacts, form: NumberForm | null, isVerified: boolean): readonly Candidate[] {
  const { whole, fractions, numbers } = form === null ? usualClasses : classesOfForm(form)
  const typeForm = form === null ? {} : { form }
  const written = (kind: 'integer' | 'number') =>
    form === null ? '' : `, written like ${columnFormat({ kind, form })}`
  const digits = joinDigits(fractions.flatMap((name) => facts.classes[name] ?? []))
  const candidate = (type: ColumnType, keeps: readonly ValueClass[], one: string, many: string, like: string) => ({
    type,
    keeps,
    isVerified,
    one: `${one}${like}`,
    many: `${many}${like}`,
  })
  const decimal = decimalOf(digits)
  const places = `with ${digits?.scaleMax} decimal place${digits?.scaleMax === 1 ? '' : 's'}`
  return [
    candidate(
      { kind: 'integer', ...typeForm },
      whole,
      'an integer without padding',
      'integers without padding',
      written('integer'),
    ),
    ...(decimal === null
      ? []
      : [
          candidate(
            { ...decimal, ...typeForm },
            fractions,
            `a number ${places}`,
            `numbers ${places}`,
            written('number'),
          ),
        ]),
    candidate(
      { kind: 'number', ...typeForm },
      numbers,
      'a number within double precision',
      'numbers within double precision',
      written('number'),
    ),
  ]
}

/** The classes whose values are numbers in a format: whole ones, ones with a fraction, and all that a double keeps. */
export interface NumberClasses {
  readonly whole: readonly ValueClass[]
  readonly fractions: readonly ValueClass[]
  readonly numbers: readonly ValueClass[]
}

/** Classes of numbers written in a form; none but the plain ones for characters that no class has. */
export function classesOfForm(form: NumberForm | null): NumberClasses {
  const { decimalChar, groupChar } = form ?? { decimalChar: '.', groupChar: null }
  const thousands: Partial<Record<GroupChar, ValueClass>> = { ',': 'thousandComma', '.': 'thousandPoint' }
  const grouped = (decimal: '' | '.' | ',') => (groupChar === null ? [] : groupedClasses(groupChar, decimal))
  const thousand = groupChar === null ? undefined : thousands[groupChar]
  const whole: ValueClass[] = ['integer', 'longInteger', ...grouped(''), ...(thousand === undefined ? [] : [thousand])]
  const fractions: ValueClass[] = [
    ...(decimalChar === '.'
      ? (['decimal', 'thousandPoint', 'longDecimal'] as const)
      : (['decimalComma', 'thousandComma', 'longDecimalComma'] as const)),
    ...grouped(decimalChar),
  ]
  const short = [...whole, ...fractions].filter((name) => !name.startsWith('long'))
  return { whole, fractions, numbers: [...short, decimalChar === '.' ? 'number' : 'numberComma'] }
}

/** For nearly every column, only these are needed. */
const usualClasses = classesOfForm(null)

/** The decimal for fractions with these digits; null if they have different numbers of places, or too many digits. */
export function decimalOf(digits: Digits | null): Extract<ColumnType, { kind: 'decimal' }> | null {
  if (digits === null || digits.scaleMin !== digits.scaleMax) return null
  const scale = digits.scaleMax
  const precision = precisions.find((one) => one >= digits.wholeMax + scale)
  return precision === undefined ? null : { kind: 'decimal', precision, scale }
}

/** Only a date that is valid in no other order proves an order. */
function dateCandidates(
  facts: ColumnFacts,
  kind: 'date' | 'timestamp',
  separator: DateForm['separator'],
): readonly Candidate[] {
  const either: ValueClass = `${kind} ${separator}either`
  return (['dmy', 'mdy', 'ymd'] as const).flatMap((order) => {
    const own: ValueClass = `${kind} ${separator}${order}`
    const isVerified = has(facts, own)
    if (!isVerified && (order === 'ymd' || !has(facts, either))) return []
    const type: ColumnType = { kind, form: { order, separator } }
    const keeps = order === 'ymd' ? [own] : [own, either]
    const written = `written ${columnFormat(type)}`
    return [{ type, keeps, isVerified, one: `a ${kind} ${written}`, many: `${kind}s ${written}` }]
  })
}
