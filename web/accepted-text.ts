// Accepted text: the outcome of a file's records, in one sentence. Knows no element.
import type { ProvisionalReceipt } from './check/provisional.ts'
import { count } from './format.ts'
import { t } from './texts.ts'

interface Counts {
  readonly accepted: number
  readonly rejected: number
}

export function acceptedText({ accepted, rejected }: Counts): string {
  if (accepted + rejected === 0) return t.noRecords
  return t.acceptedSentence(count(accepted), count(accepted + rejected), count(rejected))
}

/** The same before anything is sent. */
export function checkedText({ accepted, rejected }: Counts): string {
  if (accepted + rejected === 0) return t.noRecords
  return t.wouldBeAccepted(count(accepted), count(accepted + rejected), count(rejected))
}

/** Why a preview has no rows; null if there are records. */
export function noRowsText({ isWhole, records }: Pick<ProvisionalReceipt, 'isWhole' | 'records'>): string | null {
  if (records.accepted + records.rejected > 0) return null
  if (!isWhole) return t.noRecordsInHead
  return records.header > 0 ? t.noRecordsBelow : t.noRecords
}
