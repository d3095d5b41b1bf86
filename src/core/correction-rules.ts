// Correction rules: one mend for all rejects of one cause, as the API takes it. Knows no file.
import type { RejectReason } from './reject-reasons.ts'

/** What a rule does with the text of a record, see docs/api.md. */
export const mends = ['append', 'drop', 'quote', 'join', 'replace', 'trim', 'null', 'leave'] as const
export type Mend = (typeof mends)[number]

export interface CorrectionRule {
  /** The cause: why the records were rejected. */
  readonly reason: RejectReason
  /** The column that the cause points at, by its name; absent for any. It is also the column that is mended. */
  readonly column?: string
  readonly mend: Mend
  /** What `replace` looks for in the value; may be empty only for a whole value. */
  readonly text?: string
  /** What `replace` writes instead; what `join` writes between the two lines, a space if it is absent. */
  readonly with?: string
  /** True if `replace` takes whole values only. */
  readonly whole?: boolean
}

/** At most this many in one request. */
export const rulesMax = 100
/** The outcome of a rule shows as many of the records that it mends. */
export const firstMendedMax = 5
/** And names as many of those that none mends. */
export const firstLeftMax = 1_000

/** What became of one rule. */
export interface RuleOutcome {
  /** Rejects that have its cause. */
  readonly records: number
  readonly mended: number
  /** Of the others, those that a text of their own or an earlier rule has taken. */
  readonly earlier: number
  readonly first: readonly MendedRecord[]
  /** The first with its cause that no rule takes, by their numbers. */
  readonly left: readonly number[]
}

/** A record before and after, each with at most 800 characters. */
export interface MendedRecord {
  readonly record: number
  readonly line: number
  readonly text: string
  readonly correctedText: string
}
