// Seven-bit encodings: HZ, UTF-7 and ISO-2022-KR, which write characters as ASCII bytes, and which the platform cannot
// decode. Knows no files. Each line begins in ASCII (RFC 1843, RFC 2152, RFC 1557), so lines can be decoded separately.
import { latin1Bytes, latin1Text } from '../platform-bytes.ts'
import { isFrequent } from './frequent-characters.ts'

export const sevenBitNames = ['hz-gb-2312', 'utf-7', 'iso-2022-kr'] as const
export type SevenBitName = (typeof sevenBitNames)[number]

export function isSevenBit(name: string): name is SevenBitName {
  return sevenBitNames.some((one) => one === name)
}

/** The name of the encoding for a label such as `HZ`; null for any other label. */
export function sevenBitName(label: string): SevenBitName | null {
  if (label === 'hz') return 'hz-gb-2312'
  if (label === 'utf7' || label === 'csutf7' || label === 'unicode-1-1-utf-7') return 'utf-7'
  if (label === 'csiso2022kr') return 'iso-2022-kr'
  return isSevenBit(label) ? label : null
}

const LF = 0x0a
const CR = 0x0d
const ESC = 0x1b
const tilde = 0x7e
const plus = 0x2b
const minus = 0x2d

/** Receives the next character of a text; `null` stands for an invalid one. */
type Put = (text: string | null) => void

/** Takes one byte at a time. */
interface Machine {
  take(byte: number, put: Put): void
  /** Reports the rest at the end of the text, and starts over. */
  finish(put: Put): void
}

/** Makes a decoder, which throws a TypeError on invalid bytes if strict, and yields U+FFFD for them otherwise. */
export function createSevenBitDecoder(
  name: SevenBitName,
  onWrongByte: 'strict' | 'replace',
): (bytes: Uint8Array, isLast: boolean) => string {
  const machine = name === 'utf-7' ? new Utf7() : name === 'hz-gb-2312' ? new Hz() : new Iso2022Kr()
  return (bytes, isLast) => {
    const characters: string[] = []
    const put: Put = (text) => {
      if (text === null && onWrongByte === 'strict')
        throw new TypeError(`The encoded data was not valid for encoding ${name}`)
      characters.push(text ?? '\ufffd')
    }
    for (const byte of bytes) machine.take(byte, put)
    if (isLast) machine.finish(put)
    return characters.join('')
  }
}

/** Two-byte characters, each byte with its high bit set, in one of the platform's encodings. */
class Pairs {
  readonly #decode: (pair: Uint8Array) => string
  #first = 0

  constructor(encoding: 'gbk' | 'euc-kr') {
    const decoder = new TextDecoder(encoding, { fatal: true })
    this.#decode = (pair) => decoder.decode(pair)
  }

  get isOpen(): boolean {
    return this.#first !== 0
  }

  take(byte: number, put: Put): void {
    if (byte < 0x21 || byte > 0x7e) {
      this.#first = 0
      put(null)
    } else if (this.#first === 0) this.#first = byte
    else {
      const bytes = Uint8Array.of(this.#first | 0x80, byte | 0x80)
      this.#first = 0
      try {
        put(this.#decode(bytes))
      } catch {
        put(null)
      }
    }
  }

  finish(put: Put): void {
    if (this.isOpen) put(null)
    this.#first = 0
  }
}

/** RFC 1843: `~{` and `~}` around GB 2312, `~~` for a tilde; a tilde before a line end is dropped. */
class Hz implements Machine {
  readonly #pairs = new Pairs('gbk')
  #isChinese = false
  #isTilde = false

  take(byte: number, put: Put): void {
    if (this.#isTilde) {
      this.#isTilde = false
      if (byte === 0x7b) this.#isChinese = true
      else if (byte === 0x7d) this.#isChinese = false
      else if (byte === tilde) put('~')
      else if (byte !== LF) {
        put(null)
        this.take(byte, put)
      }
    } else if (byte === tilde && !this.#pairs.isOpen) this.#isTilde = true
    else if (byte === LF || byte === CR) {
      this.finish(put)
      put(String.fromCharCode(byte))
    } else if (this.#isChinese) this.#pairs.take(byte, put)
    else put(byte < 0x80 ? String.fromCharCode(byte) : null)
  }

  finish(put: Put): void {
    this.#pairs.finish(put)
    if (this.#isTilde) put(null)
    this.#isTilde = false
    this.#isChinese = false
  }
}

/** RFC 1557: an escape sequence at the beginning of the text, then SO and SI around KS C 5601. */
class Iso2022Kr implements Machine {
  readonly #pairs = new Pairs('euc-kr')
  #isKorean = false
  #escape = ''

  take(byte: number, put: Put): void {
    if (this.#escape !== '' || byte === ESC) {
      this.#escape += String.fromCharCode(byte)
      if (this.#escape === isoKrEscape) this.#escape = ''
      else if (!isoKrEscape.startsWith(this.#escape)) {
        this.#escape = ''
        put(null)
      }
    } else if (byte === LF || byte === CR) {
      this.finish(put)
      put(String.fromCharCode(byte))
    } else if (byte === 0x0e || byte === 0x0f) {
      this.#pairs.finish(put)
      this.#isKorean = byte === 0x0e
    } else if (this.#isKorean && byte > 0x20) this.#pairs.take(byte, put)
    else put(byte < 0x80 ? String.fromCharCode(byte) : null)
  }

  finish(put: Put): void {
    this.#pairs.finish(put)
    if (this.#escape !== '') put(null)
    this.#escape = ''
    this.#isKorean = false
  }
}

const isoKrEscape = '\x1b$)C'

/** RFC 2152: `+` begins UTF-16 in base64, which ends at the first other character; a `-` there is dropped; `+-` is a plus. */
class Utf7 implements Machine {
  #isBase64 = false
  #isEmpty = false
  #bits = 0
  #bitCount = 0
  #high = 0

  take(byte: number, put: Put): void {
    const digit = base64Digit(byte)
    if (this.#isBase64 && digit >= 0) this.#takeDigit(digit, put)
    else if (this.#isBase64) {
      if (this.#isEmpty) put(byte === minus ? '+' : null)
      this.finish(put)
      if (byte !== minus) this.take(byte, put)
    } else if (byte === plus) {
      this.#isBase64 = true
      this.#isEmpty = true
    } else put(byte < 0x80 ? String.fromCharCode(byte) : null)
  }

  finish(put: Put): void {
    // The rest of the last digit is fewer than six zeros.
    if (this.#bitCount >= 6 || (this.#bits & ((1 << this.#bitCount) - 1)) !== 0 || this.#high !== 0) put(null)
    this.#isBase64 = false
    this.#bits = 0
    this.#bitCount = 0
    this.#high = 0
  }

  #takeDigit(digit: number, put: Put): void {
    this.#isEmpty = false
    this.#bits = ((this.#bits << 6) | digit) & 0x3fffff
    this.#bitCount += 6
    if (this.#bitCount < 16) return
    this.#bitCount -= 16
    const unit = (this.#bits >> this.#bitCount) & 0xffff
    if (this.#high !== 0) {
      const isLow = unit >= 0xdc00 && unit < 0xe000
      put(isLow ? String.fromCharCode(this.#high, unit) : null)
      this.#high = 0
    } else if (unit >= 0xd800 && unit < 0xdc00) this.#high = unit
    else put(unit >= 0xdc00 && unit < 0xe000 ? null : String.fromCharCode(unit))
  }
}

const base64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

function base64Digit(byte: number): number {
  return base64.indexOf(String.fromCharCode(byte))
}

const sampleBytesMax = 65_536

/** The seven-bit encoding of a text of ASCII bytes; null if it is more likely ASCII. */
export function detectSevenBit(head: Uint8Array): SevenBitName | null {
  const sample = latin1Text(head.subarray(0, sampleBytesMax))
  if (sample.startsWith(isoKrEscape) && sample.includes('\x0e')) return 'iso-2022-kr'
  if (isLikely(sample, /~\{(?:[\x21-\x7d][\x21-\x7e])+~\}/g, 'hz-gb-2312')) return 'hz-gb-2312'
  return isLikely(sample, /\+(?!-)[A-Za-z0-9+/]+-?/g, 'utf-7') ? 'utf-7' : null
}

/** True if there are several such pieces, all of them letters of one script and punctuation. */
function isLikely(sample: string, pieces: RegExp, name: SevenBitName): boolean {
  const found = sample.match(pieces) ?? []
  // The last piece may be cut.
  const whole = found.length > 2 ? found.slice(0, -1) : found
  // Exponents such as `e+000` are no letters, though they would decode to some.
  if (whole.length < 2 || whole.every((piece) => /^\+\d+$/.test(piece))) return false
  const decode = createSevenBitDecoder(name, 'strict')
  try {
    const text = whole.map((piece) => decode(latin1Bytes(piece), true)).join('')
    const letters = text.match(/\p{L}/gu)?.length ?? 0
    // Templates, too, have text between braces, but it decodes to rare characters.
    const isRare = name === 'hz-gb-2312' && Array.from(text).filter(isCommonChinese).length * 2 < letters
    return letters * 2 > Array.from(text).length && !isRare && scripts.some((script) => script.test(text))
  } catch {
    return false
  }
}

function isCommonChinese(character: string): boolean {
  return isFrequent('gb18030', character)
}

/** Texts of letters of one script, with its punctuation. ASCII letters need no other encoding. */
const scripts = ['Latin', 'Cyrillic', 'Greek', 'Hebrew', 'Arabic', 'Thai', 'Devanagari'].map(
  (script) => new RegExp(`^(?:(?![A-Za-z])[\\p{Script=${script}}\\p{M}\\p{P}\\p{S}\\s])+$`, 'u'),
)
scripts.push(/^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー－-ﾟ\p{P}\p{S}\s]+$/u)
