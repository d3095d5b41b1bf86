// Text reading: the result of reading a text as one record of a dataset. Only types; knows no element and no worker.
import type { Receipt, RefusedCorrection } from '../../../src/core/receipt.ts'

/** The members of a receipt that determine how its records are read. */
export interface RecordLayout extends Pick<Receipt, 'encoding' | 'dialect' | 'body'> {
  /** Fields of a record. */
  readonly width: number
}

/** A part of a text, in characters; empty if something is missing. */
export interface TextPlace {
  readonly from: number
  readonly to: number
}

export interface TextRefusal extends Omit<RefusedCorrection, 'record'> {
  /** Null if the whole record is meant. */
  readonly place: TextPlace | null
}

export interface TextReading {
  /** The values of the first columns, null for an empty one; null if the text is not a record. */
  readonly fields: readonly (string | null)[] | null
  readonly refusal: TextRefusal | null
  /** The positions of the values in the text. */
  readonly places: readonly TextPlace[]
}
