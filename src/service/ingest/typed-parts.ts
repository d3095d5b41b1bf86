// Typed parts: the Parquet files of a dataset in the making, and the types they are written in. Knows no bytes of the file.
import { isDeepStrictEqual } from 'node:util'
import type { Converter, ConvertResult, TargetColumn } from '../../columns/converter.ts'
import type { ColumnFacts } from '../../core/column-facts.ts'
import type { Note } from '../../core/notes.ts'
import type { Column } from '../../core/receipt.ts'
import type { ColumnSoFar } from '../../core/upload-status.ts'
import {
  columnFormat,
  columnTypeName,
  type Decision,
  decideTypes,
  type LineOf,
} from '../../reading/types/infer-types.ts'
import { typeNotes } from '../../reading/types/type-notes.ts'
import type { DraftFiles } from '../../store/store.ts'
import { type DeclaredColumn, declaredTarget } from '../schema/declared-column.ts'
import { PartList, type PartOptions } from './part-list.ts'
import type { CutSegment } from './write-segments.ts'

/** The basis for deciding types. */
export interface TypeBasis {
  /** Names of the columns. */
  readonly names: readonly string[]
  /** One per column; none at all when every type is declared. */
  readonly facts: readonly ColumnFacts[]
  /** One per column; null if its type is to be detected. */
  readonly declared: readonly (DeclaredColumn | null)[]
  /** Between the fields of the file. */
  readonly delimiter?: string
  /** True if the facts are about every readable record. */
  readonly isFinal: boolean
}

/** The content of a part. */
interface MadePart {
  /** The type in which each column was written; null if the column is missing. */
  readonly columns: readonly (TargetColumn | null)[]
  readonly nulls: readonly number[]
}

/** The parts of the dataset and the types they are written in. */
export class TypedParts {
  readonly parts: PartList
  #basis: TypeBasis
  #targets: readonly TargetColumn[]
  /**
   * Text columns alone are as large as the part, so there they are compressed as well as possible. The first segment
   * decides this: parts must not depend on which later values were known when they were written.
   */
  #fastCompression: boolean
  /** Parts by the index of their segments. */
  readonly #made: MadePart[] = []

  constructor(draft: DraftFiles, basis: TypeBasis) {
    this.parts = new PartList(draft, 'data')
    this.#basis = basis
    const targets = targetsOf(basis)
    this.#fastCompression = hasFewTexts(targets)
    this.#targets = this.#withCompression(targets)
  }

  /** Decides types again, for later parts. */
  decide(basis: TypeBasis): void {
    this.#basis = basis
    this.#targets = this.#withCompression(targetsOf(basis))
  }

  /** Decides on the whole of a first segment that was converted by a sample of it. */
  decideFirst(basis: TypeBasis): void {
    const targets = targetsOf(basis)
    this.#basis = basis
    this.#fastCompression = hasFewTexts(targets)
    this.#targets = this.#withCompression(targets)
  }

  #withCompression(targets: readonly TargetColumn[]): readonly TargetColumn[] {
    return this.#fastCompression
      ? targets.map((target) => (isText(target) ? { ...target, fastCompression: true } : target))
      : targets
  }

  /** after a type mismatch, the part may exist without some columns. */
  async convert(
    item: CutSegment,
    options: PartOptions,
    converter: Converter,
    signal: AbortSignal,
  ): Promise<ConvertResult> {
    const targets = this.#targets
    const result = await this.parts.convert(item, targets, converter, signal, options)
    if (result.kind === 'part') this.#made[item.index] = { columns: targets, nulls: result.nulls }
    else if (result.rest !== undefined) {
      const { isWritten, nulls } = result.rest
      this.#made[item.index] = { columns: targets.map((target, i) => (isWritten[i] ? target : null)), nulls }
    }
    return result
  }

  /**
   * Writes a part again if any of its columns is missing or has another type than decided; the other columns are
   * copied.
   *
   * @param facts Of the segment.
   * @returns False if a value does not fit.
   */
  async convertChanged(
    item: Pick<CutSegment, 'index' | 'segment'>,
    facts: readonly ColumnFacts[],
    converter: Converter,
    signal: AbortSignal,
    options: Pick<PartOptions, 'keys'> = {},
  ): Promise<boolean> {
    const targets = this.#targets
    const made = this.#made[item.index]
    const isSame = this.#areSame(item.index, facts)
    if (isSame.every(Boolean)) return true
    const kept = placesOf(made, isSame)
    const result = await this.parts.convert(item, targets, converter, signal, { ...options, kept })
    if (result.kind === 'typeMismatch') return false
    const nulls = result.nulls.map((count, i) => (isSame[i] ? (made?.nulls[i] ?? 0) : count))
    this.#made[item.index] = { columns: targets, nulls }
    return true
  }

  /** Whether all parts have the types decided. @param facts Of each segment. */
  areAsDecided(facts: readonly (readonly ColumnFacts[])[]): boolean {
    return facts.every((one, index) => this.#areSame(index, one).every(Boolean))
  }

  #areSame(index: number, facts: readonly ColumnFacts[]): readonly boolean[] {
    const columns = this.#made[index]?.columns ?? []
    return this.#targets.map((target, i) => isSameColumn(columns[i] ?? null, target, facts[i]))
  }

  /** Only names and types. */
  types(): readonly ColumnSoFar[] {
    return this.#targets.map(({ name, type }) => ({ name, type: columnTypeName(type) }))
  }

  /** The columns as the receipt shows them, once all `records` are converted, and what a careful reader would ask. */
  described(records: number, lineOf: LineOf | undefined) {
    const { facts, delimiter } = this.#basis
    const decisions = decideTypes(facts, lineOf, delimiter)
    return { columns: this.#columns(records, decisions), notes: this.#notes(records, lineOf, decisions) }
  }

  #columns(records: number, decisions: readonly Decision[]): readonly Column[] {
    const { facts, declared } = this.#basis
    return this.#targets.map(({ name, type, declared: values, ...target }, i) => {
      const nulls = this.#made.reduce((sum, part) => sum + (part.nulls[i] ?? 0), 0)
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

  #notes(records: number, lineOf: LineOf | undefined, decisions: readonly Decision[]): readonly Note[] {
    const { names, facts, declared } = this.#basis
    const seen = facts[0]?.records ?? 0
    const byFirst = this.#isDecidedOn(records) ? '' : `; based on the first ${seen} records`
    const targets = declared.map((column, i) => column && declaredTarget(column, facts[i] ?? null, lineOf))
    const chosen = names.map((_, i) => targets[i] ?? decisions[i] ?? {})
    return typeNotes(names, chosen, byFirst)
  }

  #isDecidedOn(records: number): boolean {
    const { facts, isFinal } = this.#basis
    return isFinal || facts.every((one) => one.records === records)
  }
}

function isText({ type }: TargetColumn): boolean {
  return type.kind === 'text'
}

/** Then their texts are compressed in less time. */
export function hasFewTexts(targets: readonly TargetColumn[]): boolean {
  return 2 * targets.filter(isText).length <= targets.length
}

function targetsOf({ names, facts, declared, isFinal, delimiter }: TypeBasis): readonly TargetColumn[] {
  const decisions = decideTypes(facts, undefined, delimiter)
  return names.map((name, i) => {
    const column = declared[i] ?? null
    if (column !== null) {
      const { type, values } = declaredTarget(column, facts[i] ?? null)
      return { name, type, nullWords: [], declared: values }
    }
    const decision = decisions[i]
    if (decision === undefined) throw new Error('Cannot decide a type: no values were looked at')
    const { type, nullWords, holdsFor } = decision
    return { name, type, nullWords, ...(holdsFor && !isFinal && { classes: holdsFor }) }
  })
}

/** Whether a segment with these facts makes the same column. A null word that does not occur makes no difference. */
function isSameColumn(made: TargetColumn | null, target: TargetColumn, facts: ColumnFacts | undefined): boolean {
  if (made === null || facts === undefined || !isDeepStrictEqual(made.type, target.type)) return false
  if (made.fastCompression !== target.fastCompression) return false
  return Object.keys(facts.nullWords).every((word) => made.nullWords.includes(word) === target.nullWords.includes(word))
}

/** For each column its position in the part; null if it must be written. */
function placesOf(made: MadePart | undefined, isSame: readonly boolean[]): readonly (number | null)[] {
  let place = 0
  return isSame.map((isKept, i) => {
    if ((made?.columns[i] ?? null) === null) return null
    place++
    return isKept ? place - 1 : null
  })
}
