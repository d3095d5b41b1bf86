// Facts tally: adds up the facts that the module gathers for one column, row group by row group. Knows no bytes.

import {
  type ClassFacts,
  type ColumnFacts,
  joinClasses,
  joinNumberTexts,
  type NumberTexts,
  nullWords,
  type SeenAt,
  type ValueClass,
  valueClasses,
} from '../../core/column-facts.ts'

/** Words of a row, and where the counts of null words begin, see wasm/columns/facts/facts.ts. */
const rowLength = 8
const wordsRow = 96
/** See wasm/columns/facts/number-texts.ts. */
const numberTextsRow = 100
const firstMax = 3

export class FactsTally {
  #records = 0
  #empty = 0
  /** Fields that were a null word. */
  #wordCounts = nullWords.map(() => 0)
  #classes = new Map<ValueClass, ClassFacts>()
  #numberTexts: NumberTexts | null = null

  /**
   * @param empty Number of fields that are empty and not quoted; `table` is what the module has gathered.
   * @param textOf The text of a record, from 1, of these.
   */
  add(records: number, empty: number, table: Uint32Array, textOf: (record: number) => string): void {
    // Plain loops: each column has a hundred words, nearly all of them 0, however few the records are.
    for (let i = 0; i < valueClasses.length; i += 1) {
      const row = (i + 1) * rowLength
      const count = table[row] as number
      if (count === 0) continue
      const texts = 2 * count <= records ? textOf : null
      this.#addClass(valueClasses[i] as ValueClass, count, table.subarray(row, row + rowLength), texts)
    }
    for (let i = 0; i < nullWords.length; i += 1) {
      this.#wordCounts[i] = (this.#wordCounts[i] as number) + (table[wordsRow * rowLength + i] as number)
    }
    const numberTexts = numberTextsOf(table, this.#records)
    this.#numberTexts = this.#numberTexts === null ? numberTexts : joinNumberTexts(this.#numberTexts, numberTexts)
    this.#records += records
    this.#empty += empty
  }

  copy(): FactsTally {
    const copy = new FactsTally()
    copy.#records = this.#records
    copy.#empty = this.#empty
    copy.#wordCounts = this.#wordCounts.slice()
    copy.#classes = new Map(this.#classes)
    copy.#numberTexts = this.#numberTexts
    return copy
  }

  facts(): ColumnFacts {
    const words = nullWords.flatMap((word, i) => (this.#wordCounts[i] ? [[word, this.#wordCounts[i]]] : []))
    return {
      records: this.#records,
      nulls: this.#empty,
      nullWords: Object.fromEntries(words),
      classes: Object.fromEntries(this.#classes),
      ...(this.#numberTexts !== null && { numberTexts: this.#numberTexts }),
    }
  }

  #addClass(name: ValueClass, count: number, row: Uint32Array, textOf: ((record: number) => string) | null): void {
    const [, ...rest] = row
    const before = this.#classes.get(name)
    const found = rest.slice(0, Math.min(count, firstMax))
    const first = found.map((record) => record + this.#records)
    const isNew = (before?.first.length ?? 0) < firstMax
    const texts = textOf === null || !isNew ? undefined : found.map(textOf)
    const [wholeMax = 0, scaleMin = 0, scaleMax = 0] = rest.slice(firstMax)
    const added = {
      count,
      first,
      ...(texts && { texts }),
      ...(wholeMax > 0 && { digits: { wholeMax, scaleMin, scaleMax } }),
    }
    this.#classes.set(name, before === undefined ? added : joinClasses([before, added]))
  }
}

/** @param before Records before those of the table. */
function numberTextsOf(table: Uint32Array, before: number): NumberTexts {
  const word = (at: number) => table[numberTextsRow * rowLength + at] ?? 0
  const recordAt = (at: number) => (word(at) === 0 ? null : word(at) + before)
  const seenAt = (at: number): SeenAt | null => {
    const record = recordAt(at + 1)
    return record === null ? null : { value: word(at), record }
  }
  return {
    zerosMin: seenAt(0),
    zerosMax: seenAt(2),
    scaleMin: seenAt(4),
    paddedMax: seenAt(6),
    zeroWhole: recordAt(8),
    noWhole: recordAt(9),
    minusZero: recordAt(10),
    shortest: recordAt(11),
    exponent: recordAt(12),
    notNormal: recordAt(13),
    noFraction: recordAt(14),
  }
}

/** Number of fields in a table that are null words. */
export function wordCount(table: Uint32Array): number {
  let sum = 0
  for (let i = 0; i < nullWords.length; i++) sum += table[wordsRow * rowLength + i] ?? 0
  return sum
}

/** A bit for each null word, as the module expects. */
export function wordMask(words: readonly string[]): number {
  return nullWords.reduce((mask, word, i) => (words.includes(word) ? mask | (1 << i) : mask), 0)
}
