// Facts tally: adds up the facts that the module gathers for one column, row group by row group. Knows no bytes.
import {
  type ClassFacts,
  type ColumnFacts,
  joinClasses,
  nullWords,
  type ValueClass,
  valueClasses,
} from '../core/column-facts.ts'

/** Words of a row, and where the counts of null words begin, see wasm/columns/facts/facts.ts. */
const rowLength = 8
const wordsRow = 96
const firstMax = 3

export class FactsTally {
  #records = 0
  #empty = 0
  /** Fields that were a null word. */
  #wordCounts = nullWords.map(() => 0)
  readonly #classes = new Map<ValueClass, ClassFacts>()

  /** @param empty How many fields are empty and not quoted; `table` is what the module has gathered. */
  add(records: number, empty: number, table: Uint32Array): void {
    for (const [i, name] of valueClasses.entries()) {
      const row = (i + 1) * rowLength
      const count = table[row] ?? 0
      if (count > 0) this.#addClass(name, count, table.subarray(row, row + rowLength))
    }
    this.#wordCounts = this.#wordCounts.map((count, i) => count + (table[wordsRow * rowLength + i] ?? 0))
    this.#records += records
    this.#empty += empty
  }

  facts(): ColumnFacts {
    const words = nullWords.flatMap((word, i) => (this.#wordCounts[i] ? [[word, this.#wordCounts[i]]] : []))
    return {
      records: this.#records,
      nulls: this.#empty,
      nullWords: Object.fromEntries(words),
      classes: Object.fromEntries(this.#classes),
    }
  }

  #addClass(name: ValueClass, count: number, row: Uint32Array): void {
    const [, ...rest] = row
    const first = rest.slice(0, Math.min(count, firstMax)).map((record) => record + this.#records)
    const [wholeMax = 0, scaleMin = 0, scaleMax = 0] = rest.slice(firstMax)
    const added = { count, first, ...(wholeMax > 0 && { digits: { wholeMax, scaleMin, scaleMax } }) }
    const before = this.#classes.get(name)
    this.#classes.set(name, before === undefined ? added : joinClasses([before, added]))
  }
}

/** How many fields of a table are null words. */
export function wordCount(table: Uint32Array): number {
  let sum = 0
  for (let i = 0; i < nullWords.length; i++) sum += table[wordsRow * rowLength + i] ?? 0
  return sum
}

/** A bit for each null word, as the module wants them. */
export function wordMask(words: readonly string[]): number {
  return nullWords.reduce((mask, word, i) => (words.includes(word) ? mask | (1 << i) : mask), 0)
}
