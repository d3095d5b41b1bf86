// Drafts: rejects as texts to edit, and the user's unsent corrections, kept for the tab until they are sent. Knows no
// element.
import type { RefusedCorrection, RejectPreview } from '../../../../src/core/receipt.ts'

export interface Draft {
  readonly text: string
  /** Why the service has refused this text, if it has. */
  readonly refused?: Omit<RefusedCorrection, 'record'>
}

/** By the number of the record. */
export type Drafts = ReadonlyMap<number, Draft>

export function storedDrafts(id: string): Drafts {
  const stored = sessionStorage.getItem(keyOf(id))
  // Only storeDrafts() writes it.
  return new Map(stored === null ? [] : (JSON.parse(stored) as [number, Draft][]))
}

export function storeDrafts(id: string, drafts: Drafts): void {
  try {
    if (drafts.size === 0) sessionStorage.removeItem(keyOf(id))
    else sessionStorage.setItem(keyOf(id), JSON.stringify([...drafts]))
  } catch {
    // Browsers store some megabytes per tab: anything beyond lasts only until a reload.
  }
}

function keyOf(id: string): string {
  return `drafts-${id}`
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
