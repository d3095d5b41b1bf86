// Moment format: makes the program by which the module reads dates and times from a strptime pattern. Knows no schema.
import { monthNames } from '../../core/declared-values.ts'

// The layout of a program: see wasm/columns/rules/moment-format.ts.
const marksAt = 16
const digitsAt = 48
const zerosAt = 80
const tokensAt = 96
const wholeBytesMax = 32
const directiveCode = 0x80
const wideCode = 0x10
const nameBytes = 10
/** Stands for no byte of the text. */
const none = 0xff

/** The directives by their codes; those of the digits first, with their places in YYYYMMDDhhmmss. */
const directives = 'yYmdHIMSfpzb'
const places = [2, 0, 4, 6, 8, 8, 10, 12]

/** @param format A pattern that src/service/schema/strptime-format.ts supports. */
export function momentProgram(format: string): Uint8Array {
  const tokens = format.match(/%?./g) ?? []
  const letters = tokens.map((token) => (token.length === 2 && token !== '%%' ? token.charAt(1) : ''))
  const isWide = (i: number) =>
    /y/i.test(letters[i] ?? '') || Boolean(letters[i - 1] || letters[i + 1]) || /\d/.test(tokens[i + 1] ?? '')
  const codes: number[] = []
  const marks = new Uint8Array(wholeBytesMax)
  const digits = new Uint8Array(wholeBytesMax).fill(none)
  const zeros = new Uint8Array(16).fill('0'.charCodeAt(0))
  /** Bytes of a text that leaves out no digit; infinite if they vary anyhow. */
  let bytes = 0
  let halfPlace = 0
  for (const [i, letter] of letters.entries()) {
    if (letter === '') {
      // `%%` is a percent sign.
      const mark = (tokens[i] ?? '').charCodeAt(0)
      codes.push(mark)
      marks[bytes++] = mark
      continue
    }
    const code = directives.indexOf(letter.replace('B', 'b'))
    const place = places[code]
    codes.push(directiveCode | code | (place !== undefined && isWide(i) ? wideCode : 0))
    if (letter === 'b') codes.push(...namesOf(3))
    if (letter === 'B') codes.push(...namesOf(nameBytes))
    if (letter === 'p') halfPlace = bytes + 1
    const count = letter === 'Y' ? 4 : place !== undefined || letter === 'p' ? 2 : Number.POSITIVE_INFINITY
    for (let digit = 0; place !== undefined && digit < count; digit++) {
      const from = bytes + digit
      digits[(from < 16 ? 0 : 16) + place + digit] = from % 16
      zeros[place + digit] = 0
    }
    bytes += count
  }
  const uses = (some: string) => Number([...some].some((letter) => letters.includes(letter)))
  const program = new Uint8Array(tokensAt + codes.length + 1)
  program.set([bytes <= wholeBytesMax ? bytes : 0, halfPlace, uses('Yy'), uses('HI'), uses('y')])
  program.set(marks, marksAt)
  program.set(digits, digitsAt)
  program.set(zeros, zerosAt)
  program.set(codes, tokensAt)
  return program
}

/** The names of the months up to a length, each in `nameBytes`. */
function namesOf(length: number): Uint8Array {
  return new TextEncoder().encode(monthNames.map((name) => name.slice(0, length).padEnd(nameBytes, '\0')).join(''))
}
