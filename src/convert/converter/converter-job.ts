// Converter job: the messages between the service and a converter child. Plain values only, so that any channel can carry them.
import type { Part } from '../../core/receipt.ts'
import type { ColumnStatistics, LinesTarget, RowMatch, Segment, TargetColumn } from '../convert.ts'

/** The requests to a child, and their answers. */
export interface Jobs {
  readonly convert: {
    readonly job: { readonly segment: Segment; readonly columns: readonly TargetColumn[]; readonly toPath: string }
    /** Null for a misfit. */
    readonly answer: { readonly part: Omit<Part, 'file'>; readonly nulls: readonly number[] } | null
  }
  readonly violations: {
    readonly job: { readonly segment: Segment; readonly columns: readonly TargetColumn[]; readonly toPath: string }
    readonly answer: number
  }
  readonly patterns: {
    readonly job: { readonly patterns: readonly string[] }
    readonly answer: readonly (string | null)[]
  }
  readonly rows: {
    readonly job: {
      readonly slices: readonly PartSlice[]
      readonly columns: readonly string[]
    }
    readonly answer: readonly (readonly unknown[])[]
  }
  readonly matchingRows: {
    readonly job: {
      readonly paths: readonly string[]
      readonly columns: readonly string[]
      readonly match: RowMatch
      readonly offset: number
      readonly limit: number
    }
    readonly answer: readonly (readonly unknown[])[]
  }
  readonly lines: {
    readonly job: { readonly slice: PartSlice; readonly columns: readonly string[] } & LinesTarget
    readonly answer: null
  }
  readonly measure: {
    readonly job: { readonly paths: readonly string[]; readonly columns: readonly string[]; readonly records: number }
    readonly answer: readonly ColumnStatistics[]
  }
  readonly compare: {
    readonly job: { readonly segment: Segment; readonly columns: readonly TargetColumn[] } & ComparedParts
    readonly answer: readonly [records: number, differs: number | null]
  }
  readonly difference: {
    readonly job: PartComparison
    readonly answer: number | null
  }
  readonly merge: {
    readonly job: { readonly paths: readonly string[]; readonly toPath: string }
    readonly answer: null
  }
}

export type JobKind = keyof Jobs

/** Records of one part. */
export interface PartSlice {
  readonly path: string
  readonly offset: number
  readonly limit: number
}

/** One part, and the parts of which records offset … offset+limit-1 should be the same. */
export interface PartComparison {
  readonly path: string
  readonly columns: readonly string[]
  readonly paths: readonly string[]
  readonly offset: number
  readonly limit: number
  /** These are all records of these parts. */
  readonly isWhole: boolean
}

/** The parts that hold the records of a segment, from record `offset` of the first one. */
export interface ComparedParts {
  readonly paths: readonly string[]
  readonly offset: number
  /** The segment has exactly the records of these parts. Otherwise some of its records may break declared rules. */
  readonly isWhole: boolean
}

export type JobMessage = { [Kind in JobKind]: { readonly kind: Kind } & Jobs[Kind]['job'] }[JobKind]

/** The same job for a child that has its files elsewhere, and the files that it reads: at `readAt`, in this order. */
export function moveFiles(
  message: JobMessage,
  readAt: (index: number) => string,
  madeAt: string,
): { readonly message: JobMessage; readonly reads: readonly string[] } {
  const reads: string[] = []
  const path = (original: string) => readAt(reads.push(original) - 1)
  const at = <Holder extends { readonly path: string }>(holder: Holder) => ({ ...holder, path: path(holder.path) })
  return { message: moved(), reads }

  function moved(): JobMessage {
    switch (message.kind) {
      case 'convert':
      case 'violations':
        return { ...message, segment: at(message.segment), toPath: madeAt }
      case 'patterns':
        return message
      case 'rows':
        return { ...message, slices: message.slices.map(at) }
      case 'lines':
        return { ...message, slice: at(message.slice), toPath: madeAt }
      case 'matchingRows':
      case 'measure':
        return { ...message, paths: message.paths.map(path) }
      case 'compare':
        return { ...message, segment: at(message.segment), paths: message.paths.map(path) }
      case 'difference':
        return { ...at(message), paths: message.paths.map(path) }
      case 'merge':
        return { ...message, paths: message.paths.map(path), toPath: madeAt }
    }
  }
}

export type Answer = Jobs[JobKind]['answer']

/** `shouldRecycle` requests a new child: this one holds memory that it cannot release. */
export type AnswerMessage = { readonly shouldRecycle: boolean } & (
  | { readonly kind: 'answer'; readonly answer: Answer }
  /** `problem` is for the log: it may contain paths and values. */
  | { readonly kind: 'failure'; readonly isDiskFull: boolean; readonly problem: string }
)
