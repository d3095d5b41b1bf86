// Count elements: the size of a pattern before it is compiled, since compiling a large one would take seconds; it also
// refuses what re2js has beyond RE2. Knows no instructions.

/** A pattern that is not accepted; the message says why. */
export class PatternError extends Error {}

/** Of a pattern, as `countElements` counts. */
export const patternElementsMax = 10_000
/** What a class of Unicode counts, and how many characters count one in a range whose cases are looked up one by one. */
const elementsOfUnicode = 10
const foldedCharacters = 250

/** In a bracket class, `]` may come first, or end the name of another class. Each form ends at the end at the latest. */
const tokens =
  /\\Q.*?(?:\\E|$)|\\[pP](?:\{[^}]*\}|.)|\\x\{[^}]*\}|\\.|\[\^?\]?(?:\[:[^\]]*:\]|\\.|[^\]])*(?:\]|$)|\(\?[^:)<]*[:)<]?|\{\d+(?:,\d*)?\}|./gsu
const ranges = /(\\x\{[^}]*\}|\\?.)-(\\x\{[^}]*\}|\\?.)/gsu
/** General categories and properties that RE2 does not have. */
const unknownClass = /\\[pP]\{\^?(?:LC|Lc|Cn|Ascii|Assigned)\}/u

/**
 * Characters, classes, groups and repetitions, with counted repetitions written out: `(ab){3}` as `(ab)(ab)(ab)`. The
 * syntax is not checked.
 *
 * @throws {PatternError} if there are more than `patternElementsMax`, or a class is not one of RE2.
 */
export function countElements(source: string): number {
  const isFolded = /\(\?[a-zA-Z-]*i/.test(source)
  /** Elements of the groups around, of this one, and of what a repetition would repeat. */
  const outer: number[] = []
  let elements = 0
  let last = 0
  for (const [token] of source.matchAll(tokens)) {
    if (token === '(' || (token.startsWith('(?') && !token.endsWith(')'))) {
      outer.push(elements)
      elements = 1
      last = 0
    } else if (token === ')') {
      last = elements
      elements += outer.pop() ?? 0
    } else if (/^\{./.test(token)) {
      const times = Math.max(1, ...token.slice(1, -1).split(',').map(Number))
      elements += last * (times - 1)
      last *= times
    } else {
      last = /^(?:\[|\\[pP])/.test(token) ? elementsOfClass(token, isFolded) : 1
      elements += token.startsWith('\\Q') ? [...token.replaceAll(/^\\Q|\\E$/g, '')].length : last
    }
    if (elements > patternElementsMax) {
      throw new PatternError(`it has more than ${patternElementsMax} elements, with counts written out`)
    }
  }
  return elements
}

function elementsOfClass(token: string, isFolded: boolean): number {
  const [unknown] = unknownClass.exec(token) ?? []
  if (unknown !== undefined) throw new PatternError(`invalid character class range: ${unknown}`)
  let elements = 1 + elementsOfUnicode * (token.match(/\\[pP]/g)?.length ?? 0)
  if (!isFolded) return elements
  for (const [, first = '', last = ''] of token.matchAll(ranges)) {
    elements += Math.max(0, Math.floor((codePointOf(last) - codePointOf(first)) / foldedCharacters))
  }
  return elements
}

function codePointOf(character: string): number {
  if (character.startsWith('\\x{')) return Number.parseInt(character.slice(3, -1), 16) || 0
  return character.replace(/^\\(?=.)/su, '').codePointAt(0) ?? 0
}
