// Outcome: the outcome of corrections that were just sent, for the view of the resulting dataset. Knows no element.
import type { CorrectedReceipt } from '../../../api.ts'

export type Outcome = CorrectedReceipt['corrected']

const outcomes = new Map<string, Outcome>()

export function leaveOutcome({ id, corrected }: CorrectedReceipt): void {
  outcomes.set(id, corrected)
}

export function outcomeOf(id: string): Outcome | undefined {
  return outcomes.get(id)
}
