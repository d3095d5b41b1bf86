// Responses: the members of JSON responses that the command line and the page read in the same way.
import type { RuleOutcome } from './correction-rules.ts'
import type { RefusedCorrection } from './receipt.ts'

/** Rows of a dataset or of the result of a query. */
export interface RowPage {
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  readonly rows: readonly (readonly unknown[])[]
  /** Total number of rows; absent if the server does not say. */
  readonly total?: number
  /** The server had more rows than it sends in one response. */
  readonly truncated?: boolean
}

export interface Quota {
  readonly used: number
  readonly max: number | null
}

/** What a key allows. Name and owner are null without authentication. */
export interface Caller {
  readonly name: string | null
  readonly owner: string | null
  readonly scopes: readonly string[]
  readonly expiresAt: number | null
  readonly bytes: Quota
  readonly datasets: Quota
  /** Of that, what is in the trash. */
  readonly trash: { readonly datasets: number; readonly bytes: number; readonly keepMs: number }
  readonly limits: {
    readonly fileBytesMax: number
    readonly requestBytesMax: number
    readonly requestsPerMinuteMax: number | null
  }
}

/** What became of corrections, in the response to them. */
export interface CorrectionOutcome {
  /** Records that were sent, or that a rule mends. */
  readonly sent: number
  /** Of those, records sent without a text, or with the text that they have. */
  readonly unchanged: number
  /** Texts that are not accepted as the one record for which they were sent. */
  readonly refused: number
  /** At most `firstRejectsMax`. */
  readonly firstRefused: readonly RefusedCorrection[]
  /** One for each rule, in their order; absent if none was sent. */
  readonly rules?: readonly RuleOutcome[]
}
