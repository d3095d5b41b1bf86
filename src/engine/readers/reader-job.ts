// Reader job: the messages between the service and a reader child. Plain values only, so that any channel can carry them.
import type { ColumnStatistics, LinesTarget, RowMatch } from '../part-reader.ts'
import type { PartComparison, RecordWindow } from '../sql/rows-sql.ts'

/** What every job reads. */
interface Reading {
  readonly paths: readonly string[]
  readonly columns: readonly string[]
}

type Rows = readonly (readonly unknown[])[]

/** The requests to a child, and their answers. */
export interface Jobs {
  /** A window of each part. */
  readonly rows: { readonly job: Reading & { readonly windows: readonly RecordWindow[] }; readonly answer: Rows }
  readonly matchingRows: { readonly job: Reading & RecordWindow & { readonly match: RowMatch }; readonly answer: Rows }
  readonly lines: {
    readonly job: Reading & { readonly window: RecordWindow | null } & LinesTarget
    readonly answer: null
  }
  readonly measure: {
    readonly job: Reading & { readonly records: number }
    readonly answer: readonly ColumnStatistics[]
  }
  readonly difference: { readonly job: PartComparison; readonly answer: number | null }
}

export type JobKind = keyof Jobs

export type JobMessage = { [Kind in JobKind]: { readonly kind: Kind } & Jobs[Kind]['job'] }[JobKind]

export type Answer = Jobs[JobKind]['answer']

export type ResponseMessage =
  | { readonly kind: 'answer'; readonly answer: Answer }
  /** `problem` is for the log: it may contain paths and values. */
  | { readonly kind: 'failure'; readonly isDiskFull: boolean; readonly problem: string }
