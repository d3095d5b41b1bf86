// Declared values: how a column's text is read and what must hold for it, as a client has declared. Plain values, no SQL.

/** How a text becomes a value. What a text in another form is: a violation of the type. Patterns are RE2, for the whole text. */
export type TextForm =
  | { readonly kind: 'text' }
  /** Stays text, but has to look like this. */
  | { readonly kind: 'shaped'; readonly shape: string }
  | { readonly kind: 'json'; readonly of: 'OBJECT' | 'ARRAY' }
  /** Digits with any sign and zeros in front, a group character between any two; or just what `shape` says. */
  | { readonly kind: 'integer'; readonly groupChar: string | null; readonly shape?: string }
  /** With `isNearest`, a number that a double does not keep with every digit becomes the nearest double. */
  | {
      readonly kind: 'number'
      readonly groupChar: string | null
      readonly decimalChar: string
      readonly isNearest?: true
    }
  | { readonly kind: 'boolean'; readonly trueValues: readonly string[]; readonly falseValues: readonly string[] }
  /** ISO 8601, as the type has it. */
  | { readonly kind: 'iso' }
  /** ISO 8601 timestamps, some with an offset and some without: they stay text, since no type holds both. */
  | { readonly kind: 'moment' }
  /** In the directives of strptime; `shape` is what they allow. */
  | { readonly kind: 'strptime'; readonly format: string; readonly shape: string }

export type Bound = 'minimum' | 'maximum' | 'exclusiveMinimum' | 'exclusiveMaximum'

/** What must hold for a value. Values are in plain form: `-12.5`, `2024-01-31`, `2024-01-31T12:00:00Z`, `true`. */
export type DeclaredCheck =
  | { readonly rule: Bound; readonly value: string }
  | { readonly rule: 'minLength' | 'maxLength'; readonly length: number }
  | { readonly rule: 'pattern'; readonly pattern: string }
  | { readonly rule: 'enum' | 'categories'; readonly values: readonly string[] }

export interface DeclaredValues {
  readonly form: TextForm
  /** Texts that are null, quoted or not. An empty field is text where the empty text is not among them. */
  readonly missing: readonly string[]
  readonly isRequired: boolean
  readonly checks: readonly DeclaredCheck[]
}

/** Numbers that name the rule a value violates; those of the checks follow, in their order. */
export const ruleCode = { required: 0, type: 1, range: 2, firstCheck: 3 } as const

/** The first rule that a record violates. */
export interface Violation {
  /** Number of the record among those of its segment, from 1. */
  readonly record: number
  /** Index of the column, from 0. */
  readonly column: number
  /** As `ruleCode` says. */
  readonly rule: number
  /** The text of the value, or its beginning: at most `violationTextMax` characters. */
  readonly value: string
}

/** One more than a message shows, so that it can show that something is left out. */
export const violationTextMax = 201
