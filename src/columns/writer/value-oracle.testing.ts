// Value oracle: the value of a text, in plain TypeScript, to compare with SQL. For tests only.
import { nullWords, type ValueClass } from '../../core/column-facts.ts'
import { type DateForm, groupChars, type NumberForm } from '../../core/receipt.ts'

/** The text without the blanks around it, which mean nothing but around texts. */
export function trimBlanks(text: string): string {
  return text.replace(/^ +/, '').replace(/ +$/, '')
}

/** The class of a text that is not null, or `word` for a null word. */
export function classOf(padded: string): ValueClass | 'word' {
  const text = trimBlanks(padded)
  if (/^(true|false)$/.test(text)) return 'true'
  if (/^(True|False)$/.test(text)) return 'True'
  if (/^(TRUE|FALSE)$/.test(text)) return 'TRUE'
  if ((nullWords as readonly string[]).includes(text)) return 'word'
  if (/^(0|-?[1-9][0-9]*)$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text)) {
    return isKeptByDouble(text) ? 'integer' : 'longInteger'
  }
  if (isCanonicalDecimal(text)) {
    if (/^-?[1-9]\d{0,2}\.\d{3}$/.test(text)) return 'thousandPoint'
    return isKeptByDouble(text) ? 'decimal' : 'longDecimal'
  }
  if (isTimestamp(text)) return 'timestamp'
  if (isTimestampWithZone(text)) return 'timestamptz'
  if (isDate(text)) return 'date'
  if (isTime(text)) return 'time'
  if (/^-?((0|[1-9]\d*)(\.\d*)?|\.\d+)([eE][-+]?\d+)?$/.test(text) && isKeptByDouble(text)) return 'number'
  if (/^[-+]?0\d+(\.\d*|,\d+)?$/.test(text)) return 'padded'
  if (/^\+(0|[1-9]\d*)([.,]\d+)?$/.test(text)) return 'signed'
  if (/^-?(0|[1-9]\d*)(\.\d*)?([eE][-+]?\d+)?$/.test(text)) return 'tooLong'
  return dateClassOf(text) ?? numberClassOf(text) ?? 'text'
}

const orders = ['dmy', 'mdy', 'ymd'] as const

function dateClassOf(text: string): ValueClass | undefined {
  for (const separator of ['/', '.', '-'] as const) {
    for (const kind of ['date', 'timestamp'] as const) {
      const fitting = orders.filter((order) => isoOf(text, { order, separator }, kind) !== null)
      const [first] = fitting
      // With dashes and the year first it is ISO 8601 or text.
      if (first === undefined || (first === 'ymd' && separator === '-')) continue
      return fitting.length > 1 ? `${kind} ${separator}either` : `${kind} ${separator}${first}`
    }
  }
  return undefined
}

function numberClassOf(text: string): ValueClass | undefined {
  for (const groupChar of groupChars) {
    for (const decimalChar of ['.', ','] as const) {
      if (decimalChar === groupChar) continue
      const plain = plainOf(text, { decimalChar, groupChar })
      if (plain === null || !text.includes(groupChar) || /e/i.test(plain)) continue
      const groups = text.split(groupChar).length - 1
      const isVerified = groups > 1 || plain.includes('.') || (groupChar !== ',' && groupChar !== '.')
      if (!isVerified) continue
      const inner = classOf(plain)
      // Beyond 64 bits or 38 digits, in groups.
      if (inner === 'tooLong' || inner === 'number') return 'tooLong'
      const decimal = plain.includes('.') ? decimalChar : ''
      return inner.startsWith('long') ? `longGrouped ${groupChar}${decimal}` : `grouped ${groupChar}${decimal}`
    }
  }
  const plain = plainOf(text, { decimalChar: ',', groupChar: null })
  if (plain === null) return undefined
  const inner = classOf(plain)
  if (inner === 'thousandPoint') return 'thousandComma'
  if (inner === 'decimal') return 'decimalComma'
  if (inner === 'longDecimal') return 'longDecimalComma'
  return inner === 'number' ? 'numberComma' : inner === 'tooLong' ? 'tooLong' : undefined
}

/** The number as written with a decimal point and no groups; null if it does not have the format. */
function plainOf(text: string, { decimalChar, groupChar }: NumberForm): string | null {
  const [, minus, mantissa = '', power = ''] = /^(-?)([^eE]*)([eE][-+]?\d+)?$/.exec(text) ?? []
  const [whole = '', fraction, ...more] = mantissa.split(decimalChar)
  if (more.length === 0 && fraction === '' && decimalChar === '.' && /^(0|[1-9]\d*)$/.test(whole)) return text
  if (more.length > 0 || (fraction !== undefined && !/^\d+$/.test(fraction))) return null
  if (fraction === undefined) {
    const digits = ungrouped(whole, groupChar)
    return digits && `${minus}${digits}${power}`
  }
  const digits = whole === '' ? '' : ungrouped(whole, groupChar)
  return digits === null ? null : `${minus}${digits}.${fraction}${power}`
}

function ungrouped(whole: string, groupChar: string | null): string | null {
  if (/^(0|[1-9]\d*)$/.test(whole)) return whole
  const groups = groupChar === null ? [] : whole.split(groupChar)
  const [first = '', ...others] = groups
  const areGroups = others.length > 0 && /^[1-9]\d{0,2}$/.test(first) && others.every((one) => /^\d{3}$/.test(one))
  return areGroups ? groups.join('') : null
}

/** The date, with its time if any, in ISO 8601; null if it does not have the format or is not valid. */
function isoOf(text: string, { order, separator }: DateForm, kind: 'date' | 'timestamp'): string | null {
  const blank = text.indexOf(' ')
  if (blank < 0 !== (kind === 'date')) return null
  const fields = (blank < 0 ? text : text.slice(0, blank)).split(separator)
  const [year = '', month = '', day = ''] = [...'ymd'].map((field) => fields[order.indexOf(field)])
  if (fields.length !== 3 || !/^\d{4}$/.test(year) || !/^\d\d?$/.test(month) || !/^\d\d?$/.test(day)) return null
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  if (!isDate(date)) return null
  if (kind === 'date') return date
  const [hour = '', ...rest] = text.slice(blank + 1).split(':')
  const time = [hour.padStart(2, '0'), ...rest, ...(rest.length === 1 ? ['00'] : [])].join(':')
  return /^\d\d?$/.test(hour) && rest.length > 0 && isTime(time) ? `${date} ${time}` : null
}

function isCanonicalDecimal(text: string): boolean {
  const match = /^-?(0|[1-9]\d*)\.(\d+)$/.exec(text)
  return match !== null && match[1]!.length + match[2]!.length <= 38 && !/^-0\.0+$/.test(text)
}

function isDate(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)
  if (match === null) return false
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])]
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0
  return year >= 1 && day >= 1 && day <= days
}

function isTime(text: string): boolean {
  const match = /^(\d\d):(\d\d)(?::(\d\d)(\.\d{1,6})?)?$/.exec(text)
  return match !== null && Number(match[1]) < 24 && Number(match[2]) < 60 && Number(match[3] ?? 0) < 60
}

function isTimestamp(text: string): boolean {
  return /^.{10}[ T]/.test(text) && isDate(text.slice(0, 10)) && isTime(text.slice(11))
}

function isTimestampWithZone(text: string): boolean {
  const match = /^(.*?)(Z|[-+](\d\d)(:?(\d\d))?)$/s.exec(text)
  if (match === null || !isTimestamp(match[1]!) || Number(match[3] ?? 0) > 23 || Number(match[5] ?? 0) > 59)
    return false
  const micros = instantOf(text)
  return micros >= instantOf('0001-01-01T00:00:00Z') && micros <= instantOf('9999-12-31T23:59:59.999999Z')
}

/** Microseconds since 1970 of a timestamp, in UTC if it has no offset. */
function instantOf(text: string): bigint {
  const match = /^(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,6}))?)?(?:Z|([-+])(\d\d):?(\d\d)?)?$/.exec(
    text,
  )!
  const [, year, month, day, hour, minute, second = '0', fraction = '', sign, zoneHour = '0', zoneMinute = '0'] = match
  const date = new Date(0)
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  date.setUTCHours(Number(hour), Number(minute), Number(second))
  const offsetMinutes = (Number(zoneHour) * 60 + Number(zoneMinute)) * (sign === '-' ? -1 : 1)
  return BigInt(date.getTime() - offsetMinutes * 60_000) * 1000n + BigInt(fraction.padEnd(6, '0'))
}

/** At most 15 digits far from the ends of the range, or those as which the double is printed with as many, or its fewest. */
export function isKeptByDouble(text: string): boolean {
  const digits = significantOf(text)
  const size = Math.abs(Number(text))
  if (!Number.isFinite(size)) return false
  if (digits.length <= 15) {
    const isInRange = digits === '' || (size >= 1e-290 && size <= 1e290)
    return isInRange || significantOf(String(size)) === digits
  }
  return (digits.length <= 19 && isHalfUnitFrom(text, size)) || significantOf(String(size)) === digits
}

function significantOf(text: string): string {
  const mantissa = text.replace(/\.?([eE].*)?$/, '').replace(/^[-+]/, '')
  return (mantissa.includes('.') ? mantissa.replace('.', '') : mantissa.replace(/0*$/, '')).replace(/^0+/, '')
}

/** Whether a double is at most half a unit of the last digit from a text, in exact arithmetic. */
function isHalfUnitFrom(text: string, size: number): boolean {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, size)
  const bits = view.getBigUint64(0)
  const biased = Number(bits >> 52n)
  const significand = (bits & 0xfffffffffffffn) | (biased === 0 ? 0n : 1n << 52n)
  const binary = Math.max(biased, 1) - 1075
  const [, whole = '', fraction = '', power = '0'] = /^-?(\d*)\.?(\d*)(?:[eE]([-+]?\d+))?$/.exec(text)!
  const zeros = fraction !== '' ? 0 : /0*$/.exec(whole)![0].length
  const digits = BigInt(`${whole}${fraction}`) / 10n ** BigInt(zeros)
  const decimal = Number(power) - fraction.length + zeros
  const up = (base: bigint, exponent: number) => base ** BigInt(Math.max(exponent, 0))
  const unit = up(10n, decimal) * up(2n, -binary)
  const exact = significand * up(2n, binary) * up(10n, -decimal)
  const twice = 2n * (digits * unit > exact ? digits * unit - exact : exact - digits * unit)
  return twice <= unit
}
