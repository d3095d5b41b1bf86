// Query job: what goes between the service and a query child. Plain values only.
import type { AnswerFormat } from './query.ts'

/** All that a child can be asked, once. */
export interface QueryJob {
  /** Names in the child's own directory. */
  readonly files: readonly string[]
  readonly columns: readonly string[]
  readonly sql: string
  readonly format: AnswerFormat
  readonly rowsMax: number
  readonly bytesMax: number
}

/** What a child is started with. */
export interface QuerySettings {
  /** Beyond what it holds when it is ready. Bytes. */
  readonly memoryBytesMax: number
  /** On disk, in its own directory. Bytes. */
  readonly spillBytesMax: number
}

/** Sent once, when the child waits for its job. */
export type ReadyMessage = { readonly kind: 'ready' }

/**
 * The first piece of a child's output, as JSON. After `begun` the pieces of the answer follow; they are all there only
 * where an empty one comes last.
 */
export type Verdict = { readonly kind: 'begun' } | ({ readonly kind: 'refused' } & Refusal)

/** Why there is no answer; `problem` is for the caller. */
export interface Refusal {
  readonly code: 'QUERY_NOT_READ_ONLY' | 'QUERY_FAILED' | 'QUERY_TOO_LARGE'
  readonly problem: string
}
