// Strptime format: reads dates and times by a strptime pattern. Knows no SQL and no schema.
import { monthNames } from '../../core/declared-values.ts'

/** A supported pattern. */
export interface DeclaredFormat {
  /** The texts that it allows, as RE2. */
  readonly shape: string
  /** The text as ISO 8601; null if it does not match the format, or is no valid date or time. */
  toIso(text: string): string | null
}

export type MomentKind = 'date' | 'time' | 'datetime'

const shortMonths = monthNames.map((month) => month.slice(0, 3))

interface Directive {
  /** Beside another directive or before a digit, a number needs all its digits; `narrow` is for all other places. */
  readonly wide: string
  readonly narrow?: string
  readonly gives: 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second' | 'fraction' | 'half' | 'offset'
  /** Ignores case. */
  readonly isWord?: true
}

const directives: Readonly<Record<string, Directive>> = {
  Y: { wide: '[0-9]{4}', gives: 'year' },
  y: { wide: '[0-9]{2}', gives: 'year' },
  m: { wide: '0[1-9]|1[0-2]', narrow: '0?[1-9]|1[0-2]', gives: 'month' },
  b: { wide: shortMonths.join('|'), gives: 'month', isWord: true },
  B: { wide: monthNames.join('|'), gives: 'month', isWord: true },
  d: { wide: '0[1-9]|[12][0-9]|3[01]', narrow: '0?[1-9]|[12][0-9]|3[01]', gives: 'day' },
  H: { wide: '[01][0-9]|2[0-3]', narrow: '[01]?[0-9]|2[0-3]', gives: 'hour' },
  I: { wide: '0[1-9]|1[0-2]', narrow: '0?[1-9]|1[0-2]', gives: 'hour' },
  p: { wide: 'am|pm', gives: 'half', isWord: true },
  M: { wide: '[0-5][0-9]', narrow: '[0-5]?[0-9]', gives: 'minute' },
  S: { wide: '[0-5][0-9]', narrow: '[0-5]?[0-9]', gives: 'second' },
  f: { wide: '[0-9]{1,6}', gives: 'fraction' },
  z: { wide: 'Z|[-+](?:[01][0-9]|2[0-3]):?[0-5][0-9]', gives: 'offset' },
}

/** What each kind requires, and what else it allows. */
const parts: Readonly<Record<MomentKind, { readonly needs: readonly string[]; readonly takes: readonly string[] }>> = {
  date: { needs: ['year', 'month', 'day'], takes: [] },
  time: { needs: ['hour'], takes: ['half', 'minute', 'second', 'fraction'] },
  datetime: {
    needs: ['year', 'month', 'day', 'hour'],
    takes: ['half', 'minute', 'second', 'fraction', 'offset'],
  },
}

type Token = { readonly letter: string; readonly directive: Directive } | { readonly text: string }

/** Reads a pattern; returns a sentence that says what is wrong with an unsupported one. */
export function parseFormat(format: string, kind: MomentKind): DeclaredFormat | { readonly problem: string } {
  const tokens = tokensOf(format)
  if ('problem' in tokens) return tokens
  const problem = problemOf(tokens, kind)
  if (problem !== null) return { problem }
  const [isDirective, isDigit] = [tokens.map((one) => 'directive' in one), tokens.map(isDigitText)]
  const isTight = (i: number) => isDirective[i - 1] || isDirective[i + 1] || isDigit[i + 1]
  const shapes = tokens.map((token, i) => {
    if ('text' in token) return token.text.replaceAll(/[^0-9A-Za-z ]/g, '\\$&')
    return isTight(i) ? token.directive.wide : (token.directive.narrow ?? token.directive.wide)
  })
  const pieces = tokens.map((token, i): string => {
    if ('text' in token) return shapes[i] ?? ''
    return token.directive.isWord ? `(?i:${shapes[i]})` : `(?:${shapes[i]})`
  })
  const named = tokens.map((token, i) => ('text' in token ? shapes[i] : `(?<${token.directive.gives}>${shapes[i]})`))
  const reader = new RegExp(`^${named.join('')}$`, 'i')
  return { shape: pieces.join(''), toIso: (text) => isoOf(reader.exec(text)?.groups, kind) }
}

function isDigitText(token: Token): boolean {
  return 'text' in token && /[0-9]/.test(token.text)
}

function tokensOf(format: string): readonly Token[] | { readonly problem: string } {
  const tokens: Token[] = []
  for (let i = 0; i < format.length; i++) {
    const char = format[i] as string
    if (char !== '%') {
      if (!/^[ -~]$/.test(char)) return { problem: 'it has a character that is not printable ASCII' }
      tokens.push({ text: char })
      continue
    }
    const letter = format[++i] ?? ''
    const directive = directives[letter]
    if (letter === '%') tokens.push({ text: '%' })
    else if (directive !== undefined) tokens.push({ letter, directive })
    else return { problem: `the directive '%${letter}' is not supported` }
  }
  return tokens
}

function problemOf(tokens: readonly Token[], kind: MomentKind): string | null {
  const used = tokens.flatMap((token) => ('directive' in token ? [token] : []))
  const given = used.map(({ directive }) => directive.gives)
  const { needs, takes } = parts[kind]
  const missing = needs.find((need) => given.every((one) => one !== need))
  if (missing !== undefined) return `it gives no ${missing}`
  const surplus = given.find((one) => !needs.includes(one) && !takes.includes(one))
  if (surplus !== undefined)
    return `it gives ${surplus === 'half' ? 'am or pm' : surplus}, which a ${kind} does not have`
  if (new Set(given).size < given.length) return 'it gives something twice'
  if (given.includes('half') !== used.some(({ letter }) => letter === 'I')) return '%I and %p go together'
  const last = tokens.at(-1)
  const endsWithOffset = last !== undefined && 'directive' in last && last.directive.gives === 'offset'
  return given.includes('offset') && !endsWithOffset ? '%z is supported at the end only' : null
}

function isoOf(groups: Readonly<Record<string, string>> | undefined, kind: MomentKind): string | null {
  if (groups === undefined) return null
  const { hour = '0', minute = '0', second = '0', fraction, half, offset = '' } = groups
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === 'pm' ? 12 : 0)
  const clock = [hours, minute, second].map((part) => String(part).padStart(2, '0')).join(':')
  const time = fraction === undefined ? clock : `${clock}.${fraction}`
  if (kind === 'time') return time
  const date = `${fullYear(groups.year ?? '')}-${monthOf(groups.month ?? '')}-${(groups.day ?? '').padStart(2, '0')}`
  if (!isDay(date)) return null
  return kind === 'date' ? date : `${date}T${time}${offset.toUpperCase()}`
}

/** Two digits as POSIX and DuckDB read them: 69 and above are in the last century. */
function fullYear(year: string): string {
  if (year.length === 4) return year
  return String(Number(year) + (Number(year) >= 69 ? 1900 : 2000))
}

function monthOf(month: string): string {
  const index = shortMonths.indexOf(month.slice(0, 3).toLowerCase())
  return index >= 0 ? String(index + 1).padStart(2, '0') : month.padStart(2, '0')
}

const isoTime = '(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{1,6})?'
const isoShapes: Readonly<Record<MomentKind, RegExp>> = {
  date: /^\d{4}-\d\d-\d\d$/,
  time: new RegExp(`^${isoTime}$`),
  datetime: new RegExp(`^\\d{4}-\\d\\d-\\d\\d[T ]${isoTime}(?:Z|[-+](?:[01]\\d|2[0-3]):?[0-5]\\d)?$`),
}

/** True for ISO 8601 calendar dates and times, the default format. */
export function isIso(text: string, kind: MomentKind): boolean {
  return isoShapes[kind].test(text) && (kind === 'time' || isDay(text.slice(0, 10)))
}

/** A valid day, from the year 1 on. */
function isDay(date: string): boolean {
  const day = new Date(`${date}T00:00:00Z`)
  return date >= '0001' && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(date)
}
