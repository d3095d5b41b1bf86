// Accepted text: what became of the records of a file, in one sentence. Knows no element.
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

/** Why a preview has no rows; null where records are there. */
export function noRowsText({ accepted, rejected, header }: Counts & { readonly header: number }): string | null {
  if (accepted + rejected > 0) return null
  return header > 0 ? t.noRecordsBelow : t.noRecords
}
