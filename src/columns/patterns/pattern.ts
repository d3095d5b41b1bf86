// Pattern: a regular expression as tables of states for wasm/columns/rules/pattern.ts, filled as values need them, so
// that each character of a value is looked at once. Knows no columns.
import { type CodePointClasses, codePointClasses, holds, wordCharacters } from './code-point-classes.ts'
import { assertions, compileProgram, op, type Program } from './re2-program.ts'

export { PatternError } from './count-elements.ts'

/** What is before a state, first in its text: `any` if no assertion is next, which could tell them apart. */
const kinds = { any: 0, other: 1, word: 2, lineEnd: 3, beginning: 4 } as const

/** The block, in words: where the first row is, how many intervals follow, ASCII, intervals, rows. */
const asciiIndex = 4
const intervalsIndex = asciiIndex + 128
/** In place of a row: a state from which nothing matches; 0 is one that is not known yet. */
const deadRow = 4
/** With fewer, a value could not go on. */
const rowsMin = 4
/** A program has fewer than 0xd800 instructions, so that their indexes are characters. */
const utf16 = new TextDecoder('utf-16le')

/** @throws {PatternError} if RE2 does not accept it, or it is too large. */
export function compilePattern(source: string): Pattern {
  return new Pattern(compileProgram(source))
}

/**
 * A compiled pattern, with one block of tables at a time. A state is the set of instructions that may be next. It is
 * kept as a text, with a kind and then the index of each instruction as a character, to be found again.
 */
export class Pattern {
  /** Its size, as the limits count it. */
  readonly elements: number
  readonly #program: Program
  readonly #classes: CodePointClasses
  /** Intervals beyond ASCII. */
  readonly #firstInterval: number
  readonly #rowWords: number
  readonly #rowsIndex: number
  readonly #closure: Closure
  #rowsMax = 0
  /** Of the texts of all states, which thus take twice the bytes of the block. */
  #charactersMax = 0
  #states: string[] = []
  readonly #rows = new Map<string, number>()
  #characters = 0

  constructor(program: Program) {
    this.elements = program.elements
    this.#program = program
    this.#classes = codePointClasses(program)
    this.#firstInterval = this.#classes.starts.indexOf(0x80)
    this.#rowWords = 1 + this.#classes.examples.length
    const intervals = this.#classes.starts.length - this.#firstInterval
    this.#rowsIndex = intervalsIndex + 2 * intervals
    this.#closure = new Closure(program)
  }

  /** The size of a block, a multiple of 16: as many states as fit into `budget`, but at least four. */
  blockBytes(budget: number): number {
    const rows = Math.max(rowsMin, Math.floor((budget / 4 - this.#rowsIndex) / this.#rowWords))
    return Math.ceil((4 * (this.#rowsIndex + rows * this.#rowWords)) / 16) * 16
  }

  /** Begins a block of `bytes`, as returned by `blockBytes`, at the address `at`, a multiple of 4. */
  writeTo(words: Uint32Array, at: number, bytes: number): void {
    const { starts, classes } = this.#classes
    const block = words.subarray(at / 4, (at + bytes) / 4)
    block[0] = 4 * this.#rowsIndex
    block[1] = starts.length - this.#firstInterval
    const column = (interval: number) => 4 * (1 + (classes[interval] ?? 0))
    for (let interval = 0; interval < this.#firstInterval; interval++) {
      block.fill(column(interval), asciiIndex + (starts[interval] ?? 0), asciiIndex + (starts[interval + 1] ?? 0))
    }
    for (let interval = this.#firstInterval; interval < starts.length; interval++) {
      const index = intervalsIndex + 2 * (interval - this.#firstInterval)
      block[index] = starts[interval] ?? 0
      block[index + 1] = column(interval)
    }
    this.#charactersMax = bytes
    this.#rowsMax = Math.floor((block.length - this.#rowsIndex) / this.#rowWords)
    this.#clear(block)
  }

  /**
   * The row after a state and a character, which the block at `at` does not have yet. @param row Of the state, from the
   * beginning of the block, in bytes. @param column Of the class in a row, in bytes.
   */
  nextRow(words: Uint32Array, at: number, row: number, column: number): number {
    const block = words.subarray(at / 4)
    const state = this.#states[(row / 4 - this.#rowsIndex) / this.#rowWords] ?? ''
    const next = this.#next(state, this.#classes.examples[column / 4 - 1] ?? 0)
    if (next.length === 1) {
      block[(row + column) / 4] = deadRow
      return deadRow
    }
    const known = this.#rows.get(next)
    const isFull = this.#states.length === this.#rowsMax || this.#characters + next.length > this.#charactersMax
    if (known === undefined && isFull) {
      this.#clear(block)
      return this.#rows.get(next) ?? this.#add(block, next)
    }
    const found = known ?? this.#add(block, next)
    block[(row + column) / 4] = found
    return found
  }

  #clear(block: Uint32Array): void {
    block.fill(0, this.#rowsIndex, this.#rowsIndex + this.#rowsMax * this.#rowWords)
    this.#states = []
    this.#rows.clear()
    this.#characters = 0
    this.#closure.begin()
    this.#closure.add(this.#program.start, null)
    this.#add(block, this.#closure.state(kinds.beginning))
  }

  #add(block: Uint32Array, state: string): number {
    const index = this.#rowsIndex + this.#states.length * this.#rowWords
    block[index] = this.#closure.resolve(state, null).includes(this.#closure.match, 1) ? 1 : 0
    this.#states.push(state)
    this.#rows.set(state, 4 * index)
    this.#characters += state.length
    return 4 * index
  }

  #next(state: string, codePoint: number): string {
    const resolved = this.#closure.resolve(state, codePoint)
    this.#closure.begin()
    for (let i = 1; i < resolved.length; i++) {
      const instruction = this.#program.instructions[resolved.charCodeAt(i)]
      if (instruction?.op === op.rune && holds(instruction.ranges, codePoint)) this.#closure.add(instruction.out, null)
    }
    return this.#closure.state(kindOf(codePoint))
  }
}

function kindOf(codePoint: number): number {
  if (codePoint === 10) return kinds.lineEnd
  return holds(wordCharacters, codePoint) ? kinds.word : kinds.other
}

/** What holds between two characters; null is the end. */
function holding(before: number, after: number | null): number {
  const isWordAfter = after !== null && kindOf(after) === kinds.word
  return (
    (before === kinds.beginning ? assertions.beginText | assertions.beginLine : 0) |
    (before === kinds.lineEnd ? assertions.beginLine : 0) |
    (after === null ? assertions.endText | assertions.endLine : 0) |
    (after === 10 ? assertions.endLine : 0) |
    ((before === kinds.word) === isWordAfter ? assertions.noWordEdge : assertions.wordEdge)
  )
}

/** Gathers instructions that are reached without a character. */
class Closure {
  /** The end of the pattern, as in a state. */
  readonly match: string
  readonly #program: Program
  readonly #isFound: Uint8Array
  #found: number[] = []
  #hasAssertion = false

  constructor(program: Program) {
    this.#program = program
    this.#isFound = new Uint8Array(program.instructions.length)
    this.match = String.fromCharCode(program.instructions.findLastIndex((one) => one.op === op.match))
  }

  begin(): void {
    this.#isFound.fill(0)
    this.#found = []
    this.#hasAssertion = false
  }

  /** Passes assertions that are among `holds`; null leaves them to the character that follows. */
  add(from: number, holds: number | null): void {
    const pending = [from]
    for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
      const instruction = this.#program.instructions[at]
      if (instruction === undefined || this.#isFound[at] === 1) continue
      this.#isFound[at] = 1
      const { op: operation, out, arg } = instruction
      if (operation === op.alt) pending.push(arg, out)
      else if (operation === op.capture || operation === op.nop) pending.push(out)
      else if (operation === op.assertion && holds !== null) {
        if ((arg & ~holds) === 0) pending.push(out)
      } else if (operation !== op.fail) {
        this.#found.push(at)
        if (operation === op.assertion) this.#hasAssertion = true
      }
    }
  }

  state(before: number): string {
    const found = Uint16Array.from(this.#found).sort()
    const kind = this.#hasAssertion ? before : kinds.any
    return String.fromCharCode(kind) + utf16.decode(found)
  }

  /** The state with its assertions decided by the character that follows, or the end. */
  resolve(state: string, after: number | null): string {
    const before = state.charCodeAt(0)
    if (before === kinds.any) return state
    const holds = holding(before, after)
    this.begin()
    for (let i = 1; i < state.length; i++) this.add(state.charCodeAt(i), holds)
    return this.state(kinds.any)
  }
}
