// Drafts: the user's unsent corrections, kept for the tab until they are sent. Knows no element.
import type { RefusedCorrection } from '../../../../src/core/receipt.ts'

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
