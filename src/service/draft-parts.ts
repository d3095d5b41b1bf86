// Draft parts: the Parquet files of a dataset in the making, and the types they are written in. Knows no bytes of the file.
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ColumnFacts, Converter, TargetColumn } from '../convert/convert.ts'
import type { Column, Part } from '../core/receipt.ts'
import { throwStoreError } from '../core/storage-error.ts'
import type { Reading } from '../reading/reading.ts'
import { columnFormat, columnTypeName, type Decision, decideTypes, type LineOf } from '../reading/types.ts'
import type { CutSegment } from './segment-cutter.ts'

/** So many columns are asked about in the receipt; of others only the number is told. */
const notesMax = 20

/** Parts of one folder of the draft, in the order of their segments whatever the order they are done in. */
export class PartList {
  readonly #dir: string
  readonly #folder: 'data' | 'rejects'
  readonly #parts: Part[] = []

  constructor(dir: string, folder: 'data' | 'rejects') {
    this.#dir = dir
    this.#folder = folder
  }

  /** Gives the nulls by column, or null for a misfit. */
  async convert(
    { index, segment }: CutSegment,
    columns: readonly TargetColumn[],
    converter: Converter,
    signal: AbortSignal,
  ): Promise<readonly number[] | null> {
    const file = `${this.#folder}/part-${String(index).padStart(5, '0')}.parquet`
    const result = await converter.convert(segment, columns, join(this.#dir, file), signal)
    if (result.kind === 'misfit') return null
    this.#parts[index] = { file, ...result.part }
    await syncFile(join(this.#dir, file))
    return result.nulls
  }

  list(): readonly Part[] {
    return this.#parts
  }

  async clear(): Promise<void> {
    const parts = this.#parts.splice(0)
    // A hole is left where a segment did not fit; `map` passes over it.
    await Promise.all(parts.map(({ file }) => rm(join(this.#dir, file))))
  }
}

/** The parts of the dataset and the types they are written in. */
export class TypedParts {
  readonly parts: PartList
  readonly #names: readonly string[]
  readonly #facts: readonly ColumnFacts[]
  readonly #targets: readonly TargetColumn[]
  readonly #nulls: number[]

  constructor(dir: string, reading: Reading, facts: readonly ColumnFacts[]) {
    this.parts = new PartList(dir, 'data')
    this.#names = reading.names
    this.#facts = facts
    this.#targets = decideTypes(facts).map(({ type, nullWords, holdsFor }, i) => ({
      name: this.#name(i),
      type,
      nullWords,
      ...(holdsFor && { classes: holdsFor }),
    }))
    this.#nulls = facts.map(() => 0)
  }

  /** False when a value did not fit; nothing was written then. */
  async convert(item: CutSegment, converter: Converter, signal: AbortSignal): Promise<boolean> {
    const nulls = await this.parts.convert(item, this.#targets, converter, signal)
    nulls?.forEach((count, i) => {
      this.#nulls[i] = (this.#nulls[i] ?? 0) + count
    })
    return nulls !== null
  }

  /** As the receipt shows them, once all `records` are converted. */
  columns(records: number, lineOf: LineOf | undefined): readonly Column[] {
    return decideTypes(this.#facts, lineOf).map((decision, i) => {
      const { type, nullWords } = decision
      const nulls = this.#nulls[i] ?? 0
      const format = columnFormat(type)
      return {
        name: this.#name(i),
        type: columnTypeName(type),
        ...(format !== undefined && { format }),
        nulls,
        ...(nullWords.length > 0 && { nullWords }),
        why: this.#isDecidedOn(records) ? decision.why : decision.whyHeld(records - nulls),
      }
    })
  }

  /** What a careful person would ask about the types, as sentences for the receipt. */
  notes(records: number, lineOf: LineOf | undefined): readonly string[] {
    const seen = this.#facts[0]?.records ?? 0
    const byFirst = this.#isDecidedOn(records) ? '' : `; told by the first ${seen} records`
    const notes = decideTypes(this.#facts, lineOf).flatMap(({ doubt }: Decision, i) =>
      doubt === null ? [] : `Column ${this.#name(i)}: ${doubt}${byFirst}.`,
    )
    const others = notes.length - notesMax
    if (others <= 0) return notes
    return [...notes.slice(0, notesMax), `And ${others} more ${others === 1 ? 'column' : 'columns'} of this kind.`]
  }

  #isDecidedOn(records: number): boolean {
    return this.#facts.every((facts) => facts.records === records)
  }

  #name(i: number): string {
    return this.#names[i] ?? `column_${i + 1}`
  }
}

/** Beside the conversion of the next segments, so that little is left to sync at the end. */
async function syncFile(path: string): Promise<void> {
  await using file = await open(path, 'r+')
  await file.datasync().catch(throwStoreError)
}
