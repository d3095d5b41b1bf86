// Drafts: rejects as texts to edit, and what the user means to mend: texts and rules, kept for the tab until they are
// stored. Knows no element.
import type { CorrectionRule } from '../../../../src/core/correction-rules.ts'
import type { RejectPreview } from '../../../../src/core/receipt.ts'
import type { CorrectionLine, Receipt } from '../../../api.ts'

export interface Draft extends Pick<RejectPreview, 'line' | 'byteOffset'> {
  readonly text: string
  /** It is still the text of the reject, or empty: nothing is mended by it. */
  readonly isUnchanged: boolean
}

/** By the number of the record. */
export type Drafts = ReadonlyMap<number, Draft>

export interface Mends {
  readonly drafts: Drafts
  /** In the order in which they were applied. */
  readonly rules: readonly CorrectionRule[]
}

export const noMends: Mends = { drafts: new Map(), rules: [] }

/** What is kept for a file, and the dataset that it was meant for. */
interface StoredMends {
  readonly id: string
  readonly drafts: readonly [number, Draft][]
  readonly rules: readonly CorrectionRule[]
}

type OfFile = Pick<Receipt, 'id' | 'file'>

/** `isElsewhere` if they were meant for another reading of the same file. */
export function storedMends({ id, file }: OfFile): { readonly mends: Mends; readonly isElsewhere: boolean } {
  const stored = sessionStorage.getItem(keyOf(file))
  if (stored === null) return { mends: noMends, isElsewhere: false }
  // Only storeMends() writes it.
  const { drafts, rules, ...kept } = JSON.parse(stored) as StoredMends
  return { mends: { drafts: new Map(drafts), rules }, isElsewhere: kept.id !== id }
}

export function storeMends({ id, file }: OfFile, { drafts, rules }: Mends): void {
  try {
    if (drafts.size + rules.length === 0) sessionStorage.removeItem(keyOf(file))
    else sessionStorage.setItem(keyOf(file), JSON.stringify({ id, drafts: [...drafts], rules } satisfies StoredMends))
  } catch {
    // Browsers store some megabytes per tab: anything beyond lasts only until a reload.
  }
}

function keyOf({ sha256 }: Receipt['file']): string {
  return `mends-${sha256}`
}

/** @param text Null discards the draft. */
export function withDraft(drafts: Drafts, reject: RejectPreview, text: string | null, encoding: string): Drafts {
  const { record, line, byteOffset } = reject
  const next = new Map(drafts)
  if (text === null) next.delete(record)
  else next.set(record, { text, line, byteOffset, isUnchanged: text === '' || text === originalText(reject, encoding) })
  return next
}

/** Mends as the service takes them. */
export function linesOf({ drafts, rules }: Mends): readonly CorrectionLine[] {
  return [...[...drafts].map(([record, { text, byteOffset }]) => ({ record, text, byteOffset })), ...rules]
}

/** A text field has only line feeds: this restores those of the original. */
export function withLineEndsOf(original: string, edited: string): string {
  const ends = new Set(original.match(/\r\n|\r|\n/g))
  const [end = '\n'] = ends
  return ends.size === 1 && end !== '\n' ? edited.replaceAll('\n', end) : edited
}

/** Bytes that are not text become U+FFFD, so that they can be seen and replaced; null if this is only a beginning. */
export function originalText({ text, base64, cut }: RejectPreview, encoding: string): string | null {
  if (cut === true) return null
  if (text !== null) return text
  const bytes = Uint8Array.from(atob(base64 ?? ''), (character) => character.charCodeAt(0))
  return decoderOf(encoding).decode(bytes)
}

/** The service knows some encodings that browsers do not. */
function decoderOf(encoding: string): TextDecoder {
  try {
    return new TextDecoder(encoding, { ignoreBOM: true })
  } catch {
    return new TextDecoder('windows-1252')
  }
}
