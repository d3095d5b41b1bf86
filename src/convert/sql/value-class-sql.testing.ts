// Value class SQL: the expression for the class of a value, the oracle for the facts of the column writer. Knows no files.
import { nullWords } from '../../core/column-facts.ts'
import { type DateForm, type GroupChar, groupChars } from '../../core/receipt.ts'
import { clockShape, fitsExactly, plainShape, tryCast } from './lossless-sql.ts'
import { literal } from './segment-sql.ts'

/**
 * Prefix of the names of classes of numbers with a fraction, so that one comparison finds them: no other name is
 * greater.
 */
export const fractionMark = '~'

const decimalShape = '-?(0|[1-9][0-9]*)\\.[0-9]+'
const thousandPoint = '-?[1-9][0-9]{0,2}[.][0-9]{3}'
const thousandComma = '-?[1-9][0-9]{0,2},[0-9]{3}'
const tooLongShape = `-?${plainShape}([eE][-+]?[0-9]+)?`

const matches = (text: string, pattern: string) => `regexp_full_match(${text}, ${literal(pattern)})`
/** Digits of a number without padding, and its point. */
const digitsOf = (number: string) => `strlen(${number}) - CAST(${number} < '.' AS INTEGER)`

/**
 * The class of a value as text: a ValueClass, perhaps with the mark of a fraction, `null`, or the place of a null word.
 * The conditions are those of conversion, so the class is valid there too.
 */
export function classSql(v: string): string {
  const fits = (kind: 'integer' | 'number' | 'date' | 'time' | 'timestamp' | 'timestamptz') => fitsExactly({ kind }, v)
  const whenWord = (word: string) => `WHEN ${literal(word)} THEN '${(nullWords as readonly string[]).indexOf(word)}'`
  const beginsAsNumber = (word: string) => word >= '+' && word < ':'
  const words = nullWords.filter((word) => !beginsAsNumber(word)).map(whenWord)
  const wordOrText = `CASE ${v} ${nullWords.filter(beginsAsNumber).map(whenWord).join(' ')} ELSE 'text' END`
  const wordBytesMax = Math.max(...nullWords.map((word) => word.length), 'false'.length)
  const other = `CASE WHEN strlen(${v}) > ${wordBytesMax} THEN 'text' ELSE CASE ${v} WHEN 'true' THEN 'true' WHEN 'false' THEN 'true' WHEN 'True' THEN 'True' WHEN 'False' THEN 'True'
    WHEN 'TRUE' THEN 'TRUE' WHEN 'FALSE' THEN 'TRUE' ${words.join(' ')} ELSE 'text' END END`
  const withDashes = `CASE WHEN ${fits('date')} THEN 'date' WHEN ${fits('timestamp')} THEN 'timestamp'
    WHEN ${fits('timestamptz')} THEN 'timestamptz' ELSE 'text' END`
  const decimal = `${matches(v, decimalShape)} AND ${digitsOf(v)} <= 39 AND (${v} >= '.' OR ltrim(${v}, '-0.') <> '')`
  // A number, date or time begins with a byte from + to 9; most texts do not, and are classified by the first test.
  // Dates and fractions are tested before whole numbers, because a failing cast takes many times as long as a test for
  // a character. Most other texts contain a letter, and are classified before the tests for rare forms.
  return `CASE WHEN ${v} IS NULL THEN 'null'
    WHEN ${v} < '+' OR ${v} >= ':' THEN ${other}
    WHEN ${v} LIKE '____-__-__%' THEN ${withDashes}
    WHEN contains(${v}, '.') AND ${decimal} THEN
      CASE WHEN strlen(${v}) - instr(${v}, '.') = 3 AND ${matches(v, thousandPoint)} THEN '${fractionMark}thousandPoint'
        WHEN strlen(${v}) <= 15 OR ${fits('number')} THEN '${fractionMark}decimal' ELSE '${fractionMark}longDecimal' END
    WHEN ${fits('integer')} THEN CASE WHEN ${digitsOf(v)} <= 15 THEN 'integer' ELSE 'longInteger' END
    WHEN ${fits('time')} THEN 'time'
    ELSE coalesce(CASE WHEN ${matches(v, `[-+0-9.eE${groupChars.join('')}/:]+`)} THEN ${rareClass(v)} END, ${wordOrText}) END`
}

/** The class of a value of digits and separators; null if it is text or a null word. */
function rareClass(v: string): string {
  return `CASE WHEN ${fitsExactly({ kind: 'number' }, v)} THEN 'number'
    WHEN ${matches(v, '[-+]?0[0-9]+(\\.[0-9]*|,[0-9]+)?')} THEN 'padded'
    WHEN ${matches(v, '\\+(0|[1-9][0-9]*)([.,][0-9]+)?')} THEN 'signed'
    WHEN ${matches(v, tooLongShape)} THEN 'tooLong'
    WHEN ${matches(v, dateShape)} THEN ${dateClass(v)}
    WHEN ${matches(v, groupedShape)} THEN ${groupedClass(v)}
    WHEN contains(${v}, ',') THEN ${commaClass(v)} END`
}

/** With one separator throughout, and perhaps with a time. */
const dateShape = `(${['/', '[.]', '-']
  .map((separator) => `[0-9]{1,2}${separator}[0-9]{1,2}${separator}[0-9]{4}`)
  .concat(['/', '[.]'].map((separator) => `[0-9]{4}${separator}[0-9]{1,2}${separator}[0-9]{1,2}`))
  .join('|')})(${clockShape})?`

/** The separator does not affect in which orders the date is valid, so they are tried with one separator only. */
function dateClass(v: string): string {
  const kind = `CASE WHEN contains(${v}, ' ') THEN 'timestamp ' ELSE 'date ' END`
  const separator = `CASE WHEN contains(${v}, '/') THEN '/' WHEN contains(${v}, '-') THEN '-' ELSE '.' END`
  const date = `translate(split_part(${v}, ' ', 1), '.-', '//')`
  const isIn = (order: DateForm['order']) =>
    `${tryCast({ kind: 'date', form: { order, separator: '/' } }, date)} >= DATE '0001-01-01'`
  const order = `CASE WHEN ${isIn('dmy')} THEN CASE WHEN ${isIn('mdy')} THEN 'either' ELSE 'dmy' END
    WHEN ${isIn('mdy')} THEN 'mdy' WHEN ${isIn('ymd')} THEN 'ymd' END`
  return `${kind} || ${separator} || ${order}`
}

/** A point or comma certainly separates groups only if there are two of them, or a fraction. */
const groupedShape = `-?[1-9][0-9]{0,2}(${groupChars.map(groupsShape).join('|')})`

function groupsShape(group: GroupChar): string {
  const one = `[${group}][0-9]{3}`
  if (group === ',' || group === '.') return `(${one}){2,}|(${one})+[${group === ',' ? '.' : ','}][0-9]+`
  return `(${one})+([.,][0-9]+)?`
}

function groupedClass(v: string): string {
  const group = `regexp_extract(${v}, '[^-0-9]')`
  const decimalChar = `CASE WHEN ${group} <> ',' AND contains(${v}, ',') THEN ',' ELSE '.' END`
  const plain = `replace(replace(${v}, ${group}, ''), ',', '.')`
  const prefix = (isShort: string) => `CASE WHEN ${isShort} THEN 'grouped ' ELSE 'longGrouped ' END`
  return `CASE WHEN contains(${plain}, '.') THEN CASE WHEN ${digitsOf(plain)} > 39 THEN 'tooLong'
      ELSE '${fractionMark}' || ${prefix(isKeptByDouble(plain))} || ${group} || ${decimalChar} END
    WHEN ${fitsExactly({ kind: 'integer' }, plain)} THEN ${prefix(`${digitsOf(plain)} <= 15`)} || ${group}
    ELSE 'tooLong' END`
}

function commaClass(v: string): string {
  const plain = `replace(${v}, ',', '.')`
  const decimal = `${matches(v, '-?(0|[1-9][0-9]*),[0-9]+')} AND ${digitsOf(plain)} <= 39 AND NOT ${matches(v, '-0,0+')}`
  return `CASE WHEN contains(${v}, '.') THEN NULL
    WHEN ${matches(v, thousandComma)} THEN '${fractionMark}thousandComma'
    WHEN ${decimal} THEN CASE WHEN ${isKeptByDouble(plain)} THEN '${fractionMark}decimalComma' ELSE '${fractionMark}longDecimalComma' END
    WHEN ${fitsExactly({ kind: 'number' }, plain)} THEN 'numberComma'
    WHEN ${matches(plain, tooLongShape)} THEN 'tooLong' END`
}

/** The class of at most 38 digits without an exponent. */
function isKeptByDouble(plain: string): string {
  const digits = `strlen(ltrim(replace(replace(${plain}, '-', ''), '.', ''), '0'))`
  return `(${digits} <= 15 OR CAST(TRY_CAST(${plain} AS DOUBLE) AS VARCHAR) = ${plain})`
}
