// Typed parts: the Parquet files of a dataset in the making, and the types they are written in. Knows no bytes of the file.
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ColumnFacts, Converter, ConvertResult, TargetColumn } from '../../convert/convert.ts'
import { type Note, note } from '../../core/notes.ts'
import type { Column, Part } from '../../core/receipt.ts'
import { throwStoreError } from '../../core/storage-error.ts'
import { checksumsOfFile } from '../../io/block-checksums.ts'
import {
  columnFormat,
  columnTypeName,
  type Decision,
  decideTypes,
  type LineOf,
} from '../../reading/types/infer-types.ts'
import { type DeclaredColumn, declaredTarget } from '../schema/declared-column.ts'
import type { CutSegment } from './write-segments.ts'

/** A smaller part waits for the sync of the whole dataset, which is side by side: there is no use in waiting for the disk twice. */
const syncedBytesMin = 1_048_576
/** The receipt has notes on so many columns; of others only the number. */
const notesMax = 20

/** Parts of one folder of the draft, in the order of their segments whatever the order they are done in. */
export class PartList {
  readonly #dir: string
  readonly #folder: 'data' | 'rejects'
  readonly #parts: Part[] = []
  readonly #checksums: Buffer[] = []

  constructor(dir: string, folder: 'data' | 'rejects') {
    this.#dir = dir
    this.#folder = folder
  }

  /** A misfit leaves no part. */
  async convert(
    { index, segment }: CutSegment,
    columns: readonly TargetColumn[],
    converter: Converter,
    signal: AbortSignal,
  ): Promise<ConvertResult> {
    const file = `${this.#folder}/part-${String(index).padStart(5, '0')}.parquet`
    const result = await converter.convert(segment, columns, join(this.#dir, file), signal)
    if (result.kind === 'misfit') return result
    this.#parts[index] = { file, ...result.part }
    // Now, while the system still has the part in memory.
    this.#checksums[index] = result.checksums ?? (await checksumsOfFile(join(this.#dir, file)))
    if (result.part.bytes >= syncedBytesMin) await syncFile(join(this.#dir, file))
    return result
  }

  list(): readonly Part[] {
    return this.#parts
  }

  /** Of the blocks of each part, in the same order. */
  checksums(): readonly Buffer[] {
    return this.#checksums
  }

  async clear(): Promise<void> {
    const parts = this.#parts.splice(0)
    this.#checksums.length = 0
    // A hole is left where a segment did not fit; `map` passes over it.
    await Promise.all(parts.map(({ file }) => rm(join(this.#dir, file))))
  }
}

/** What types are decided on. */
export interface TypeBasis {
  /** Of the columns. */
  readonly names: readonly string[]
  /** One per column; none at all when every type is declared. */
  readonly facts: readonly ColumnFacts[]
  /** One per column; null if its type is to be detected. */
  readonly declared: readonly (DeclaredColumn | null)[]
  /** True when the facts are about every record that can be read. */
  readonly isFinal: boolean
}

/** The parts of the dataset and the types they are written in. */
export class TypedParts {
  readonly parts: PartList
  readonly targets: readonly TargetColumn[]
  readonly #basis: TypeBasis
  readonly #nulls: number[]

  constructor(dir: string, basis: TypeBasis) {
    this.parts = new PartList(dir, 'data')
    this.#basis = basis
    const { names, facts, declared } = basis
    const decisions = decideTypes(facts)
    this.targets = names.map((name, i) => {
      const column = declared[i] ?? null
      if (column !== null) {
        const { type, values } = declaredTarget(column, facts[i] ?? null)
        return { name, type, nullWords: [], declared: values }
      }
      const decision = decisions[i]
      if (decision === undefined) throw new Error('Cannot decide a type: no values were looked at')
      const { type, nullWords, holdsFor } = decision
      return { name, type, nullWords, ...(holdsFor && !basis.isFinal && { classes: holdsFor }) }
    })
    this.#nulls = names.map(() => 0)
  }

  async convert(item: CutSegment, converter: Converter, signal: AbortSignal): Promise<ConvertResult> {
    const result = await this.parts.convert(item, this.targets, converter, signal)
    if (result.kind === 'misfit') return result
    for (const [i, count] of result.nulls.entries()) this.#nulls[i] = (this.#nulls[i] ?? 0) + count
    return result
  }

  /** As the receipt shows them, once all `records` are converted. */
  columns(records: number, lineOf: LineOf | undefined): readonly Column[] {
    const { facts, declared } = this.#basis
    const decisions = decideTypes(facts, lineOf)
    return this.targets.map(({ name, type, declared: values, ...target }, i) => {
      const nulls = this.#nulls[i] ?? 0
      const column = declared[i] ?? null
      const decision = decisions[i]
      const why =
        column !== null
          ? declaredTarget(column, facts[i] ?? null).why
          : this.#isDecidedOn(records)
            ? decision?.why
            : decision?.whyHeld(records - nulls)
      const format = columnFormat(type)
      const nullWords = values?.missing ?? target.nullWords
      return {
        name,
        type: columnTypeName(type),
        ...(format !== undefined && { format }),
        nulls,
        ...(nullWords.length > 0 && { nullWords }),
        why: why ?? '',
      }
    })
  }

  /** What a careful reader would ask about the types. */
  notes(records: number, lineOf: LineOf | undefined): readonly Note[] {
    const { names, facts, declared } = this.#basis
    const seen = facts[0]?.records ?? 0
    const byFirst = this.#isDecidedOn(records) ? '' : `; told by the first ${seen} records`
    const notes = decideTypes(facts, lineOf).flatMap(({ doubt }: Decision, i) => {
      if (doubt === null || declared[i]) return []
      const column = names[i] ?? ''
      return [note(doubt.code, `Column ${column}: ${doubt.clause}${byFirst}.`, { lines: doubt.lines, column })]
    })
    const others = notes.length - notesMax
    if (others <= 0) return notes
    const message = `And ${others} more ${others === 1 ? 'column' : 'columns'} of this kind.`
    return [...notes.slice(0, notesMax), note('MORE_COLUMNS', message)]
  }

  #isDecidedOn(records: number): boolean {
    const { facts, isFinal } = this.#basis
    return isFinal || facts.every((one) => one.records === records)
  }
}

/** Beside the conversion of the next segments, so that little is left to sync at the end. */
async function syncFile(path: string): Promise<void> {
  await using file = await open(path, 'r+')
  await file.datasync().catch(throwStoreError)
}
