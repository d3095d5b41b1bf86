// Query job: the messages between the service and a query child. Plain values only.
import type { ResultFormat } from './query.ts'

/** One statement for a child. All of its jobs have the same files and columns. */
export interface QueryJob {
  /** Paths relative to the child's work directory. */
  readonly files: readonly string[]
  readonly columns: readonly string[]
  readonly sql: string
  readonly format: ResultFormat
  readonly rowsMax: number
  readonly bytesMax: number
}

/** What a child is started with. */
export interface QuerySettings {
  /** On top of what it holds when it is ready. Bytes. */
  readonly memoryBytesMax: number
  /** On disk, in its work directory. Bytes. */
  readonly spillBytesMax: number
}

/** A child whose memory has grown by more than this between its jobs, or in one, takes no other. Bytes. */
export function growthBytesMax({ memoryBytesMax }: QuerySettings): number {
  // The engine spills only beyond half of the memory, so a job that has spilled has grown by more than this.
  return memoryBytesMax / 4
}

/**
 * The first answer to a job, as JSON. After `begun`, the pieces of the result follow, a frame each. The result is complete
 * only if the last piece is empty.
 */
export type Verdict = { readonly kind: 'begun' } | ({ readonly kind: 'refused' } & Refusal)

/** The longest verdict, and the longest piece of a result. Bytes. */
export const verdictBytesMax = 65_536
export const pieceBytesMax = 65_536

/** Why there is no result; `problem` is shown to the caller. */
export interface Refusal {
  readonly code: (typeof refusalCodes)[number]
  readonly problem: string
}

const refusalCodes = ['QUERY_NOT_READ_ONLY', 'QUERY_FAILED', 'QUERY_TOO_LARGE'] as const

/** The child has run untrusted SQL, so its verdict is verified. @throws {Error} if it is not a verdict */
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
