// Random values: texts of numbers, dates, times, JSON and others in many spellings, valid or nearly. Knows no schema.
import { examples, textsNearExamples } from '../../../src/columns/writer/value-examples.testing.ts'
import type { Random } from '../../../src/core/random.testing.ts'

export function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[random(items.length)]!
}

/** True once in so many times. */
export function chance(random: Random, oneIn: number): boolean {
  return random(oneIn) === 0
}

function digits(random: Random, count: number): string {
  const kind = random(6)
  return Array.from({ length: count }, () => (kind === 0 ? '9' : kind === 1 ? '0' : String(random(10)))).join('')
}

/** How the numbers of a column are written. */
export interface NumberStyle {
  readonly decimalChar: string
  readonly groupChar: string | null
  /** Decimal places of all numbers; null if they differ. */
  readonly scale: number | null
  readonly wholeMax: number
  /** Signs, exponents, zeros in front and bare points occur. */
  readonly isWild: boolean
}

export function randomStyle(random: Random, decimalChar: string, groupChar: string | null): NumberStyle {
  const scale = chance(random, 2) ? pick(random, [0, 1, 2, 2, 5, 12, 17, 30]) : null
  return { decimalChar, groupChar, scale, wholeMax: pick(random, [2, 5, 15, 19, 40]), isWild: chance(random, 2) }
}

const edges = ['9223372036854775807', '9223372036854775808', '9007199254740993', '999999999999999', '9999999999999999']

export function randomInteger(random: Random, { groupChar, wholeMax, isWild }: NumberStyle): string {
  const plain = chance(random, 20) ? pick(random, edges) : digits(random, 1 + random(wholeMax))
  const whole = isWild && chance(random, 4) ? plain : plain.replace(/^0+(?=.)/, '')
  return pick(random, isWild ? ['', '', '-', '+'] : ['', '', '', '-']) + grouped(random, whole, groupChar)
}

function grouped(random: Random, whole: string, groupChar: string | null): string {
  if (groupChar === null || chance(random, 3)) return whole
  if (chance(random, 6)) return [...whole].join(chance(random, 2) ? groupChar : '')
  return whole.replaceAll(/(?<=\d)(?=(\d{3})+$)/g, () => groupChar)
}

export function randomNumber(random: Random, style: NumberStyle): string {
  const { decimalChar, scale, isWild } = style
  const whole = randomInteger(random, style)
  const places = scale ?? pick(random, [0, 0, 1, 2, 3, 6, 15, 16, 17, 20])
  const fraction = places === 0 ? '' : decimalChar + digits(random, places)
  const number = whole + fraction
  if (!isWild) return number
  switch (random(12)) {
    case 0:
      return whole + decimalChar
    case 1:
      return `${pick(random, ['', '-', '+'])}${decimalChar}${digits(random, 1 + random(18))}`
    case 2:
      return (
        number +
        pick(random, ['e', 'E']) +
        pick(random, ['', '-', '+']) +
        pick(random, ['0', '5', '05', '30', '290', '308', '400'])
      )
    case 3:
      return pick(random, ['-0', '0', `-0${decimalChar}0`, `0${decimalChar}000`, '00', '+0', `0${decimalChar}`])
    case 4:
      return pick(random, ['0', '-', '+', '1']) + number
    default:
      return number
  }
}

const years = ['0001', '0999', '1000', '1582', '1899', '1900', '1969', '1970', '2000', '2024', '2024', '2023', '9999']
export const shortMonths = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')
export const longMonths = 'January February March April May June July August September October November December'.split(
  ' ',
)

const two = (value: number) => String(value).padStart(2, '0')

/** The parts of a moment as strptime names them, most of them in the calendar. */
export function randomParts(random: Random): Readonly<Record<string, string>> {
  const [month, hour] = [random(12), random(24)]
  const short = (value: number) => (chance(random, 3) ? String(value) : two(value))
  const cased = (word: string) => pick(random, [word, word, word.toLowerCase(), word.toUpperCase(), word.slice(0, 3)])
  return {
    Y: pick(random, [...years, String(1000 + random(9000))]),
    y: pick(random, ['00', '68', '69', '70', '99', two(random(100))]),
    m: short(month + 1),
    b: cased(shortMonths[month]!),
    B: cased(longMonths[month]!),
    d: short(pick(random, [1, 15, 28, 28, 29, 30, 31, 1 + random(28)])),
    H: short(hour),
    I: short((hour % 12) + 1),
    p: pick(random, ['AM', 'PM', 'am', 'pm', 'Pm']),
    M: short(random(60)),
    S: short(random(60)),
    f: digits(random, 1 + random(6)),
    z: pick(random, ['Z', '+00:00', '+0130', '-05:30', '-0800', '+23:59', '+02']),
  }
}

export function isoDate(random: Random): string {
  const { Y, m = '', d = '' } = randomParts(random)
  return `${Y}-${m.padStart(2, '0')}-${d.padStart(2, '0')}`
}

export function isoTime(random: Random): string {
  const [hours, minutes, seconds] = [random(24), random(60), random(60)].map(two)
  const fraction = chance(random, 3) ? `.${digits(random, 1 + random(7))}` : ''
  return chance(random, 12) ? `${hours}:${minutes}` : `${hours}:${minutes}:${seconds}${fraction}`
}

/** @param offsets How often it has an offset: never, always, or at random. */
export function isoDateTime(random: Random, offsets: 'none' | 'all' | 'some'): string {
  const hasOffset = offsets === 'all' || (offsets === 'some' && chance(random, 2))
  const offset = hasOffset ? pick(random, ['Z', 'Z', '+00:00', '+01:30', '-0800', '+05', '-23:59', '+24:00']) : ''
  return `${isoDate(random)}${pick(random, ['T', ' '])}${isoTime(random)}${offset}`
}

export function randomUuid(random: Random): string {
  const hex = Array.from({ length: 32 }, () => pick(random, [...'0123456789abcdefABCDEF'])).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

export function randomDuration(random: Random): string {
  const some = (units: string) =>
    [...units].map((unit) => (chance(random, 2) ? `${digits(random, 1 + random(3))}${unit}` : '')).join('')
  const time = some('HM') + (chance(random, 2) ? `${random(100)}${chance(random, 2) ? '.5' : ''}S` : '')
  return `${chance(random, 5) ? '-' : ''}P${some('YMD')}${time === '' ? pick(random, ['', '', 'T']) : `T${time}`}`
}

const json = {
  object: '{}|{"a":1}|{"a":[{"b":null}]}|\n{}\n|{"a":1,"a":2}|{"":{}}|{"é":"\\u00e9"}|{"\\ud83d\\udc4d":"👍"}'.split(
    '|',
  ),
  array:
    '[]|[1,2]| [1] |["é","\\u00e9"]|[1e5,-0.5,0]|[[[[]]]]|["\\n"]|[true,false,null]|[12345678901234567890123]'.split(
      '|',
    ),
  neither:
    '1|"x"|null|true|[|{|[1|{"a"}|{a:1}|[\'x\']|[01]|[1.]|[.5]|[+1]|[1] x|["\\x"]|["|{"a":}|[,]|[-]|\u00a0[]|["a\tb"]|//\n[]'.split(
      '|',
    ),
  /** What DuckDB reads in another way than RFC 8259. */
  disputed: '[1,]|{"a":1,}|[NaN]|[Infinity]|{"a":nan}|["\\ud800"]|[1e999]'.split('|'),
} as const

export function randomJson(random: Random, kind: 'object' | 'array'): string {
  const other = pick(random, ['object', 'array', 'neither', 'disputed'] as const)
  const text = pick(random, json[chance(random, 8) ? other : kind])
  return chance(random, 10) ? nudged(random, text) : text
}

const characters = [
  ...'abcXYZ019 .,;:-_\'"\\/éßΩж€٣',
  '👍',
  '👩‍👧',
  'e\u0301',
  'ﬀ',
  '\u00a0',
  '\n',
  '\r\n',
  '\t',
  '\u2028',
  '\ufeff',
  '\u007f',
]

export function randomText(random: Random, length: number): string {
  const isPlain = chance(random, 2)
  return Array.from({ length }, () => (isPlain ? pick(random, [...'abc019']) : pick(random, characters))).join('')
}

/** The text with one character changed, and digits rather by one. */
export function nudged(random: Random, text: string): string {
  const letters = [...text]
  const at = random(letters.length + 1)
  const letter = letters[at] ?? ''
  if (/^\d$/.test(letter) && !chance(random, 4)) letters[at] = String((Number(letter) + pick(random, [1, 9])) % 10)
  else
    letters.splice(at, random(2), ...(chance(random, 2) ? [pick(random, [...'0159.,-+eETZ: /x', ...characters])] : []))
  return letters.join('')
}

const classes = Object.values(examples)

/** A text of any class, or near one. */
export function anyText(random: Random): string {
  if (chance(random, 2)) return pick(random, pick(random, classes))
  return chance(random, 3) ? randomText(random, random(8)) : textsNearExamples(random, 1)[0]!
}
