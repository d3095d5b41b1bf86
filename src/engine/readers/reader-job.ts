// Reader job: the messages between the service and a reader child. Plain values only, so that any channel can carry them.
import type { ColumnStatistics, LinesTarget, RowMatch } from '../part-reader.ts'
import type { PartComparison, PartSlice, PartWindow } from '../sql/rows-sql.ts'

/** The requests to a child, and their answers. */
export interface Jobs {
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
    readonly job: {
      readonly paths: readonly string[]
      readonly window: PartWindow['window']
      readonly columns: readonly string[]
    } & LinesTarget
    readonly answer: null
  }
  readonly measure: {
    readonly job: { readonly paths: readonly string[]; readonly columns: readonly string[]; readonly records: number }
    readonly answer: readonly ColumnStatistics[]
  }
  readonly difference: {
    readonly job: PartComparison
    readonly answer: number | null
  }
}

export type JobKind = keyof Jobs

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
      case 'rows':
        return { ...message, slices: message.slices.map(at) }
      case 'lines':
        return { ...message, paths: message.paths.map(path), toPath: madeAt }
      case 'matchingRows':
      case 'measure':
        return { ...message, paths: message.paths.map(path) }
      case 'difference':
        return { ...at(message), paths: message.paths.map(path) }
    }
  }
}

export type Answer = Jobs[JobKind]['answer']

export type ResponseMessage =
  | { readonly kind: 'answer'; readonly answer: Answer }
  /** `problem` is for the log: it may contain paths and values. */
  | { readonly kind: 'failure'; readonly isDiskFull: boolean; readonly problem: string }
