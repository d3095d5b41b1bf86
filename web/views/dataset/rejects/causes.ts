// Causes: rejects grouped by what is wrong with them, and the rules that may mend each group. Knows no element.
import type { CorrectionRule, Mend, RuleOutcome } from '../../../../src/core/correction-rules.ts'
import { type RejectReason, rejectReasons } from '../../../../src/core/reject-reasons.ts'
import { getRejects, previewCorrections, type Receipt } from '../../../api.ts'

export interface Cause extends Pick<CorrectionRule, 'reason' | 'column'> {
  readonly count: number
}

/** The likeliest first. */
const proposals: Readonly<Record<RejectReason, readonly Mend[]>> = {
  too_few_fields: ['append', 'join'],
  too_many_fields: ['drop'],
  text_after_quote: ['quote', 'replace'],
  quote_in_field: ['quote', 'replace'],
  unclosed_quote: ['quote', 'join'],
  invalid_bytes: ['replace'],
  nul_byte: ['replace'],
  record_too_long: [],
  line_end_in_field: ['quote'],
  constraint: ['trim', 'null', 'replace'],
}

export function proposedMends({ reason }: Cause): readonly Mend[] {
  return [...(proposals[reason] ?? []), 'leave']
}

export function isOf(rule: CorrectionRule, { reason, column }: Cause): boolean {
  return rule.reason === reason && rule.column === column
}

export interface TriedRules {
  readonly rules: readonly CorrectionRule[]
  /** In the order of the rules. */
  readonly outcomes: readonly RuleOutcome[]
}

/** The first rejects of a cause that no rule takes; null if none was tried. */
export function leftOf(cause: Cause, tried: TriedRules | null): readonly number[] | null {
  const at = tried?.rules.findIndex((rule) => isOf(rule, cause)) ?? -1
  return tried?.outcomes[at]?.left ?? null
}

/** Names a cause in an address. */
export function causeKey({ reason, column }: Cause): string {
  return column === undefined ? reason : `${reason}/${column}`
}

/** By reason alone; `causesByColumn` splits those that are about values. */
export function causesOf({ rejects }: Receipt): readonly Cause[] {
  return rejectReasons.flatMap((reason) => {
    const count = rejects.reasons[reason] ?? 0
    return count === 0 ? [] : [{ reason, count }]
  })
}

const columnsMax = 20

/** The same, with a cause for each column whose values break the schema, as far as the first rejects show. */
export async function causesByColumn(receipt: Receipt, signal: AbortSignal): Promise<readonly Cause[]> {
  const causes = causesOf(receipt)
  const broken = causes.find(({ reason }) => reason === 'constraint')
  if (broken === undefined) return causes
  const { rejects } = await getRejects(receipt.id, 'constraint', 0, 100, signal)
  const names = rejects.flatMap(({ column }) => receipt.columns[(column ?? 0) - 1]?.name ?? [])
  const rules = [...new Set(names)]
    .slice(0, columnsMax)
    .map((column) => ({ reason: 'constraint', column, mend: 'leave' }) as const)
  if (rules.length === 0) return causes
  // A rule that leaves them as they are only counts.
  const { rules: counted = [] } = await previewCorrections(receipt.id, rules, signal)
  const split = rules.map(({ reason, column }, at) => ({ reason, column, count: counted[at]?.records ?? 0 }))
  const others = broken.count - split.reduce((sum, { count }) => sum + count, 0)
  return [
    ...causes.filter((one) => one !== broken),
    ...split.toSorted((a, b) => b.count - a.count),
    ...(others > 0 ? [{ ...broken, count: others }] : []),
  ]
}
