// Sentences: what the service says about a file or a failure, in the language of the page, found by its code. The
// service speaks English: its own sentence is shown if the page has none.

import { germanWhy } from './texts/german/columns.ts'
import { germanEvidence } from './texts/german/evidence.ts'
import { germanFailure, type ShownFailure } from './texts/german/failures.ts'
import { germanNote } from './texts/german/notes.ts'
import { germanReject } from './texts/german/rejects.ts'
import type { ShownNote, ShownReason, ShownReceipt } from './texts/shown-receipt.ts'
import { language } from './texts.ts'

const isGerman = language === 'de'

export interface Sentence {
  readonly text: string
  /** Language of the text; undefined for that of the page. */
  readonly lang: 'en' | undefined
}

export function noteSentence({ code, message, column }: ShownNote): Sentence {
  return sentence(isGerman ? germanNote(code, column) : null, message)
}

/** Why a column has its type. */
export function whySentence(receipt: ShownReceipt, at: number): Sentence {
  return sentence(isGerman ? germanWhy(receipt, at) : null, receipt.columns[at]?.why ?? '')
}

/** How a file was read. */
export function evidenceSentences(receipt: ShownReceipt): readonly Sentence[] {
  const { encoding, dialect, header } = receipt.evidence
  const own = isGerman ? germanEvidence(receipt) : []
  return [encoding, dialect, header].map((theirs, at) => sentence(own[at] ?? null, theirs))
}

/** @param columns Names of the columns of the table. */
export function rejectSentence({ reason, message, column = null }: ShownReason, columns: readonly string[]): Sentence {
  return sentence(isGerman ? germanReject(reason, { column, columns }) : null, message)
}

/** One sentence, or the page's sentence and the service's own, which states where or why. */
export function failureSentences(
  failure: ShownFailure & { readonly message: string },
): readonly [Sentence, ...(readonly Sentence[])] {
  const own = isGerman ? germanFailure(failure) : null
  const theirs = sentence(null, failure.message)
  if (own === null) return [theirs]
  return own.needsMessage ? [sentence(own.text, ''), theirs] : [sentence(own.text, '')]
}

function sentence(own: string | null, theirs: string): Sentence {
  return own === null ? { text: theirs, lang: 'en' } : { text: own, lang: undefined }
}
