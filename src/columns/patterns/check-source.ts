// Check source: what is refused before a pattern is compiled: a large one, since compiling it would take seconds, and
// what re2js has beyond RE2. Knows no instructions.

/** Characters, classes, groups and repetitions, with counted repetitions written out: `(ab){3}` is `(ab)(ab)(ab)`. */
export const patternElementsMax = 10_000

/** In a bracket class, `]` may come first, or end the name of another class. Each form ends at the end at the latest. */
const tokens =
  /\\Q.*?(?:\\E|$)|\\[pP]\{[^}]*\}|\\x\{[^}]*\}|\\.|\[\^?\]?(?:\[:[^\]]*:\]|\\.|[^\]])*(?:\]|$)|\(\?[^:)<]*[:)<]?|\{\d+(?:,\d*)?\}|./gsu
/** General categories and properties that RE2 does not have. */
const unknownClass = /\\[pP]\{\^?(?:LC|Lc|Cn|Ascii|Assigned)\}/u

/** What is wrong with the size or with a class of `source`, or null. Its syntax is not checked. */
export function checkSource(source: string): string | null {
  /** Elements of the groups around, of this one, and of what a repetition would repeat. */
  const outer: number[] = []
  let elements = 0
  let last = 0
  for (const [token] of source.matchAll(tokens)) {
    if (/^[\\[]/.test(token) && !token.startsWith('\\Q')) {
      const [unknown] = unknownClass.exec(token) ?? []
      if (unknown !== undefined) return `invalid character class range: ${unknown}`
    }
    if (token === '(' || (token.startsWith('(?') && !token.endsWith(')'))) {
      outer.push(elements)
      elements = 1
      last = 0
    } else if (token === ')') {
      last = elements
      elements += outer.pop() ?? 0
    } else if (/^\{./.test(token)) {
      const [least, most] = token.slice(1, -1).split(',').map(Number)
      const times = Math.max(1, least ?? 0, most ?? 0)
      elements += last * (times - 1)
      last *= times
    } else {
      last = 1
      elements += token.startsWith('\\Q') ? [...token.replaceAll(/^\\Q|\\E$/g, '')].length : 1
    }
    if (elements > patternElementsMax) return `it has more than ${patternElementsMax} elements, with counts written out`
  }
  return null
}
