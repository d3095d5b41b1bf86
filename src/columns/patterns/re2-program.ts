// RE2 program: turns a pattern into instructions. The only file that uses re2js, for its parser and compiler alone:
// their result has no types, hence the exact version in package.json. Knows no states.
import { RE2JS, RE2JSSyntaxException } from 're2js'
import { countElements, PatternError } from './count-elements.ts'

/** Operations of re2js, which are those of Go's regexp/syntax; those from `rune` on consume a character. */
export const op = { alt: 1, capture: 3, assertion: 4, fail: 5, match: 6, nop: 7, rune: 8 } as const

export interface Instruction {
  readonly op: number
  readonly out: number
  /** The other way of `alt`; for an assertion, a bit for each of `assertions` that must hold. */
  readonly arg: number
  /** Code points that are consumed: pairs of first and last, ascending. Equal ones are one array. */
  readonly ranges: Int32Array
}

/** Bits of what may hold between two characters. */
export const assertions = { beginLine: 1, endLine: 2, beginText: 4, endText: 8, wordEdge: 16, noWordEdge: 32 } as const

export interface Program {
  /** The size of the pattern, see `countElements`. */
  readonly elements: number
  readonly instructions: readonly Instruction[]
  readonly start: number
}

interface Re2Program {
  readonly inst: readonly {
    readonly op: number
    readonly out: number
    readonly arg: number
    readonly runes: ArrayLike<number>
  }[]
  readonly start: number
}

/** @throws {PatternError} */
export function compileProgram(source: string): Program {
  const elements = countElements(source)
  const { inst, start } = compiled(source)
  const orbits = new Map<number, Int32Array>()
  const known = new Map<string, Int32Array>()
  const instructions = inst.map(({ op: operation, out, arg, runes }) => {
    const isFolded = (arg & foldCase) !== 0
    const ranges = runes.length === 1 ? rangesOf(runes[0] ?? 0, isFolded, orbits) : Int32Array.from(runes)
    const key = ranges.join()
    if (!known.has(key)) known.set(key, ranges)
    return { op: Math.min(operation, op.rune), out, arg, ranges: known.get(key) ?? ranges }
  })
  return { elements, instructions, start }
}

function compiled(source: string): Re2Program {
  try {
    // Its shape is that of the pinned version.
    return (RE2JS.compile(source).re2Input as unknown as { readonly prog: Re2Program }).prog
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error
    const place = [...(error.getPattern() ?? '')].slice(0, placeCharactersMax).join('')
    throw new PatternError(place ? `${error.getDescription()}: ${place}` : error.getDescription(), { cause: error })
  }
}

/** Where in a pattern the problem is. */
const placeCharactersMax = 40
const foldCase = 1
const lastCodePoint = 0x10ffff

/** A code point, and with `isFolded` its other cases: those of a class of it and one without cases, as re2js has them. */
function rangesOf(rune: number, isFolded: boolean, orbits: Map<number, Int32Array>): Int32Array {
  if (!isFolded) return Int32Array.of(rune, rune)
  const known = orbits.get(rune)
  if (known !== undefined) return known
  const both = compiled(`(?i)[\\x{${rune.toString(16)}}\\x{${lastCodePoint.toString(16)}}]`)
  // Without the last code point.
  const ranges = Int32Array.from(both.inst[both.start]?.runes ?? []).slice(0, -2)
  orbits.set(rune, ranges)
  return ranges
}
