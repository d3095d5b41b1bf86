// Declared values: how a column's text is parsed and which rules its values must satisfy, as declared. Plain values, no SQL.

import type { ValueClass } from './column-facts.ts'

/** How a text becomes a value. Text in another form violates the type. Patterns are RE2 and match the whole text. */
export type TextForm =
  | { readonly kind: 'text' }
  /** Stays text, but must match this. */
  | { readonly kind: 'shaped'; readonly shape: string }
  | { readonly kind: 'json'; readonly of: 'OBJECT' | 'ARRAY' }
  /**
   * Digits with any sign and leading zeros, with a group character between any two; or exactly what `shape` matches.
   */
  | { readonly kind: 'integer'; readonly groupChar: string | null; readonly isYear?: true; readonly shape?: string }
  /** With `isNearest`, a number with more digits than a double keeps becomes the nearest double. */
  | {
      readonly kind: 'number'
      readonly groupChar: string | null
      readonly decimalChar: string
      /** Classes of numbers that a double does not keep, but whose digits are counted: the type will hold them. */
      readonly counted: readonly ValueClass[]
      readonly isNearest?: true
      /** A decimal even if a double would keep every number. */
      readonly isDecimal?: true
    }
  | { readonly kind: 'boolean'; readonly trueValues: readonly string[]; readonly falseValues: readonly string[] }
  /** ISO 8601. */
  | { readonly kind: 'iso'; readonly of: 'date' | 'time' | 'datetime' }
  /** ISO 8601 timestamps, some with an offset and some without: they stay text, since no type can hold both. */
  | { readonly kind: 'moment' }
  /** Directives of strptime; `shape` is what they match. */
  | { readonly kind: 'strptime'; readonly format: string; readonly shape: string }

/** The names of `%B`; the first three letters are those of `%b`. In any case. */
export const monthNames: readonly string[] =
  'january february march april may june july august september october november december'.split(' ')

export type Bound = 'minimum' | 'maximum' | 'exclusiveMinimum' | 'exclusiveMaximum'

/** A rule for values. Bounds are in plain form: `-12.5`, `2024-01-31`, `2024-01-31T12:00:00Z`, `true`. */
export type DeclaredCheck =
  | { readonly rule: Bound; readonly value: string }
  | { readonly rule: 'minLength' | 'maxLength'; readonly length: number }
  | { readonly rule: 'pattern'; readonly pattern: string }
  | { readonly rule: 'enum' | 'categories'; readonly values: readonly string[] }

export interface DeclaredValues {
  readonly form: TextForm
  /** Texts that are null, quoted or not. An empty field is text unless the empty string is among them. */
  readonly missing: readonly string[]
  readonly isRequired: boolean
  readonly checks: readonly DeclaredCheck[]
}

/** Numbers of the rules a value can violate; those of the checks follow, in their order. */
export const ruleCode = { required: 0, type: 1, range: 2, firstCheck: 3, repeated: 99 } as const

/** Values that no two records may have both, in one column or in several. */
export interface DeclaredKey {
  readonly rule: 'primaryKey' | 'unique'
  /** Indexes, from 0. */
  readonly columns: readonly number[]
}

/** A key that an earlier record has. */
export interface RepeatedKey {
  readonly key: number
  /** The first record that has it, in the whole file, from 1. */
  readonly first: number
  /** The two records have the same text in every field. */
  readonly isSame: boolean
}

/** The bytes of a record, without its line end. */
export interface RecordPlace {
  readonly byteOffset: number
  readonly byteLength: number
  readonly lineEndBytes: number
}

/** The first rule that a record violates. */
export interface Violation {
  /** Number of the record within its segment, from 1. */
  readonly record: number
  /** In the segment. */
  readonly place?: RecordPlace
  /** Index of the column, from 0. */
  readonly column: number
  /** A number of `ruleCode`. */
  readonly rule: number
  /** The text of the value, or its beginning: at most `violationTextMax` characters. For a key, those of it in JSON. */
  readonly value: string
  /** If the rule is `repeated`. */
  readonly repeated?: RepeatedKey
}

/** A violation in the list of a segment; its place is in the file, and null if the record is not in it as it is. */
export type ViolationLine = readonly [
  ...[record: number, column: number, rule: number, value: string],
  ...[byteOffset: number | null, byteLength: number, lineEndBytes: number],
  repeated: RepeatedKey | null,
]

/** One more than a message shows, so that the message can mark the omission. */
export const violationTextMax = 201
