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

/**
 * What a child sends first when it was asked, as JSON. After `begun` the pieces of the answer follow, a frame each; they are all there only
 * where an empty one comes last.
 */
export type Verdict = { readonly kind: 'begun' } | ({ readonly kind: 'refused' } & Refusal)

/** The longest verdict, and the longest piece of an answer. Bytes. */
export const verdictBytesMax = 65_536
export const pieceBytesMax = 65_536

/** Why there is no answer; `problem` is for the caller. */
export interface Refusal {
  readonly code: (typeof refusalCodes)[number]
  readonly problem: string
}

const refusalCodes = ['QUERY_NOT_READ_ONLY', 'QUERY_FAILED', 'QUERY_TOO_LARGE'] as const

/** The child has run a stranger's SQL: nothing it sends is taken on trust. @throws {Error} where it is no verdict */
export function parseVerdict(frame: Buffer): Verdict {
  const value: unknown = JSON.parse(frame.toString())
  if (typeof value === 'object' && value !== null && 'kind' in value) {
    if (value.kind === 'begun') return { kind: 'begun' }
    if (value.kind === 'refused' && 'code' in value && 'problem' in value && typeof value.problem === 'string') {
      const code = refusalCodes.find((one) => one === value.code)
      if (code !== undefined) return { kind: 'refused', code, problem: value.problem }
    }
  }
  throw new Error('Cannot read verdict: it is of another shape')
}
