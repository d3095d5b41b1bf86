// Value kind: what a single value looks like, only to score layouts and headers. It decides no column type and knows no tables.

export type Kind = 'empty' | 'null' | 'number' | 'date' | 'time' | 'timestamp' | 'boolean' | 'address' | 'text'

const nullWords = new Set('na n/a null none nan \\n - -- ? . #n/a #value! nil … ..'.split(' '))
const booleans = new Set(['true', 'false', 'yes', 'no'])
/** The first characters of these words, as codes. */
const beginsWord = new Set([...nullWords, ...booleans].flatMap((word) => [word, word.toUpperCase()]).map(firstCode))
/** Length limit of a number; a longer value may be a text. */
const plainLengthMax = 40
const plainNumber = /^[-+]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][-+]?\d+)?$/
/**
 * Currencies that often precede an amount: any three capitals before digits are more likely a name, such as `VAR001`
 * and `DAY 1`.
 */
const currency =
  'AED|ARS|AUD|BGN|BRL|CAD|CHF|CLP|CNY|COP|CZK|DKK|EGP|EUR|GBP|HKD|HUF|IDR|ILS|INR|ISK|JPY|KES|KRW|MXN|MYR|NGN|NOK|NZD|PEN|PHP|PKR|PLN|RMB|RON|RSD|RUB|SAR|SEK|SGD|THB|TRY|TWD|UAH|USD|VND|XAF|ZAR'
// Grouped thousands, currency signs, percent, brackets for negatives, a short unit.
const dressedNumber = new RegExp(
  String.raw`^\(?[-+<>~≈]? ?(?:[$€£¥]|${currency}) ?[-+]?\d{1,3}(?:(?:[,. '’\u00a0\u202f]\d{3})*|\d*)(?:[.,]\d+)?\)?$` +
    String.raw`|^\(?[-+<>~≈]? ?\d{1,3}(?:(?:[,. '’\u00a0\u202f]\d{3})*|\d*)(?:[.,]\d+)? ?(?:[$€£¥%‰°]|°?[CFK]|[kmKMB]|[A-Z]{3})?\)?$`,
)
const date =
  /^(?:\d{4}([-/.])\d{1,2}\1\d{1,2}|\d{1,2}([-/.])\d{1,2}\2(?:\d{4}|\d{2})|\d{1,2}[- ]?(?:[A-Z][a-z]{2,8}|[A-Z]{3})\.?[- ,]{0,2}(?:\d{4}|\d{2})|[A-Z][a-z]{2,8}\.? \d{1,2},? \d{4})\.?$/
const time = /^\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?[AaPp]\.?[Mm]\.?)?$/
const timestamp =
  /^(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})(?:[T ]|, ?| - )\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?[AaPp][Mm])?(?: ?(?:Z|UTC|GMT|[-+]\d{2}:?\d{0,2}))?$/
const address =
  /^(?:[a-z][a-z0-9+.-]{1,15}:\/\/[^\s"]+|www\.[^\s"]+|[^\s@",;]+@[^\s@",;]+\.[a-zA-Z]{2,}|\d{1,3}(?:\.\d{1,3}){3}(?:\/\d+)?|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|(?:[0-9a-f]{2}:){5}[0-9a-f]{2})$/i

const hyphen = 0x2d

/** Classifies what a value looks like, ignoring blanks around it. Values over 200 characters are text. */
export function kindOf(value: string): Kind {
  const trimmed = value.trim()
  const length = trimmed.length
  if (length === 0) return 'empty'
  if (length > 200) return 'text'
  const first = trimmed.charCodeAt(0)
  // Most values examined begin with a digit; no word does.
  const isDigitFirst = isDigit(first)
  if (!isDigitFirst && length <= 8 && (beginsWord.has(first) || first >= 0x80)) {
    const word = trimmed.toLowerCase()
    if (nullWords.has(word)) return 'null'
    if (booleans.has(word)) return 'boolean'
  }
  // None begins with a lower-case letter.
  const isSmallFirst = first >= 0x61 && first <= 0x7a
  if (length <= plainLengthMax && (isDigitFirst || (!isSmallFirst && /[0-9]/.test(trimmed)))) {
    if (isPlainNumber(trimmed, 0, length)) return 'number'
    // Such a word before digits can only be a month.
    if (isCapitalized(trimmed)) return date.test(trimmed) ? 'date' : wordKind(trimmed)
    if (!beginsWithYear(trimmed) && (plainNumber.test(trimmed) || dressedNumber.test(trimmed))) return 'number'
    if (date.test(trimmed)) return 'date'
    if (time.test(trimmed)) return 'time'
    if (timestamp.test(trimmed)) return 'timestamp'
  }
  return wordKind(trimmed)
}

/** For values that are neither number, date nor time. */
function wordKind(text: string): Kind {
  return text.length > 4 && address.test(text) ? 'address' : 'text'
}

function firstCode(text: string): number {
  return text.charCodeAt(0)
}

/** An upper-case letter followed by a lower-case one. */
function isCapitalized(text: string): boolean {
  const [first, second] = [text.charCodeAt(0), text.charCodeAt(1)]
  return first >= 0x41 && first <= 0x5a && second >= 0x61 && second <= 0x7a
}

export function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

/** Four digits and a hyphen, with which no number begins. */
function beginsWithYear(text: string): boolean {
  if (text.charCodeAt(4) !== hyphen) return false
  for (let at = 0; at < 4; at += 1) if (!isDigit(text.charCodeAt(at))) return false
  return true
}

/** True for digits with a decimal point or comma, as in most numbers; other texts may be numbers, too, see kindOf. */
export function isPlainNumber(text: string, start: number, end: number): boolean {
  if (end === start || end - start > plainLengthMax) return false
  let points = 0
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at)
    if (isDigit(code)) continue
    if ((code !== 0x2e && code !== 0x2c) || at === start) return false
    points += 1
  }
  return points < 2
}

/** True for values that are rarely used as a column's name. */
export function isMeasured(kind: Kind): boolean {
  return kind === 'number' || kind === 'date' || kind === 'time' || kind === 'timestamp' || kind === 'boolean'
}
