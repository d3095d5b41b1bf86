// Text reading: what a text is when it is read as one record of a dataset. Types alone; knows no element and no worker.
import type { DataStart, Dialect, Encoding } from '../../../src/core/receipt.ts'

/** What of a receipt says how its records are read. */
export interface RecordLayout {
  readonly encoding: Encoding
  readonly dialect: Dialect
  /** Fields of a record. */
  readonly width: number
  readonly body: DataStart & { readonly recordBytesMax: number }
}

/** A part of a text, in characters; empty where something is missing. */
export interface TextPlace {
  readonly from: number
  readonly to: number
}

export interface TextRefusal {
  readonly reason: string
  readonly message: string
  /** Null where the whole record is meant. */
  readonly place: TextPlace | null
}

export interface TextReading {
  /** The values of the first columns, null for an empty one; null where the text is no record. */
  readonly fields: readonly (string | null)[] | null
  readonly refusal: TextRefusal | null
  /** Where the values stand in the text. */
  readonly places: readonly TextPlace[]
}
