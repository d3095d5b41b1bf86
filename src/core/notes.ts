// Notes: every doubt that a receipt can raise, by code. Branch on the code, never on the message.

/** In ascending order. `serious`: the file is probably not the table that was meant. */
export const severities = ['info', 'doubt', 'serious'] as const
export type Severity = (typeof severities)[number]

/** A code is public: it is never renamed or reused, and its meaning never changes. docs/notes.md explains each. */
export const noteSeverities = {
  ENCODING_GUESSED: 'doubt',
  DELIMITER_UNCERTAIN: 'doubt',
  DELIMITER_TOO_LONG: 'doubt',
  DELIMITER_LINE_IGNORED: 'doubt',
  QUOTES_AS_TEXT: 'info',
  QUOTES_NOT_ESCAPED: 'info',
  LINES_QUOTED: 'doubt',
  DELIMITERS_ESCAPED: 'doubt',
  LINE_ENDS_ESCAPED: 'doubt',
  NO_HEADER: 'info',
  HEADER_UNCERTAIN: 'doubt',
  UNITS_SKIPPED: 'info',
  HEADER_WIDTH_DIFFERS: 'doubt',
  HEADER_JOINED: 'info',
  HEADER_QUOTES_UNMATCHED: 'doubt',
  HEADER_BYTES_INVALID: 'doubt',
  HEADER_SECOND_LINE: 'doubt',
  HEADER_REPEATED: 'doubt',
  NAMES_NUMBERED: 'info',
  TITLES_SKIPPED: 'info',
  COMMENTS_SKIPPED: 'info',
  RECORDS_MARKED: 'doubt',
  RECORDS_ABOVE_TABLE: 'doubt',
  ROW_NAMES: 'info',
  LAST_COLUMN_EMPTY: 'info',
  TABLE_OTHER_WIDTH: 'doubt',
  TABLE_SAME_WIDTH: 'doubt',
  MOST_REJECTED: 'doubt',
  RULE_LINES: 'doubt',
  NOT_A_TABLE: 'serious',
  UNLIKELY_TABLE: 'serious',
  ALIGNED_COLUMNS: 'doubt',
  RECORDS_END_WITH_CR: 'doubt',
  LINE_ENDS_MIXED: 'info',
  UNUSUAL_LINE_ENDS: 'info',
  DECLARED_ENCODING_CONFLICT: 'doubt',
  DECLARED_LINE_TERMINATOR_CONFLICT: 'doubt',
  DECLARED_DIALECT_CONFLICT: 'doubt',
  DECLARED_HEADER_CONFLICT: 'doubt',
  DECLARED_SKIP_ROWS_CONFLICT: 'doubt',
  SCHEMA_FIELDS_MISSING: 'doubt',
  CORRECTIONS_LEFT_OUT: 'doubt',
  SCHEMA_NAMES_AS_DATA: 'doubt',
  PARTS_IGNORED: 'info',
  CODING_IGNORED: 'info',
  EMPTY_RECORDS_AT_END: 'info',
  QUOTE_REPAIRED: 'doubt',
  ESCAPE_MIXED: 'info',
  QUOTE_RUNAWAY: 'doubt',
  VALUE_LIKE_RECORDS: 'doubt',
  TOTAL_RECORD: 'info',
  FOOTER_REJECTED: 'info',
  COMPRESSED_DATA_CUT_OFF: 'serious',
  COMPRESSED_DATA_FOLLOWED: 'doubt',
  FILE_CUT_OFF: 'doubt',
  AMBIGUOUS_DATES: 'doubt',
  AMBIGUOUS_NUMBERS: 'doubt',
  NUMBER_FORMS_DIFFER: 'info',
  LEADING_ZEROS: 'info',
  PLUS_SIGNS: 'info',
  TOO_MANY_DIGITS: 'info',
  NUMBERS_ROUNDED: 'doubt',
  MIXED_VALUES: 'doubt',
  FEW_MISFITS: 'doubt',
  VALUES_AS_FORMULAS: 'info',
  MORE_COLUMNS: 'info',
} as const satisfies Readonly<Record<string, Severity>>

export type NoteCode = keyof typeof noteSeverities

/** All codes, in the order of the table. */
export const noteCodes = Object.keys(noteSeverities) as readonly NoteCode[] // the keys of the table are the codes by definition

/** A note as clients see it. */
export interface ShownNote extends Note {
  readonly severity: Severity
}

export function shownNote({ code, ...others }: Note): ShownNote {
  return { code, severity: noteSeverities[code], ...others }
}

/** The highest severity of notes; `info` without notes. */
export function verdictOf(notes: readonly Pick<Note, 'code'>[]): Severity {
  const ranks = notes.map(({ code }) => severities.indexOf(noteSeverities[code]))
  return severities[Math.max(0, ...ranks)] ?? 'info'
}

/** A doubt that a careful reader would raise about how a file was read. */
export interface Note extends NotePlace {
  readonly code: NoteCode
  /** A sentence for humans; its wording may change. */
  readonly message: string
}

/** The place to which a note refers; members that do not apply are absent. */
export interface NotePlace {
  /** The first physical lines, counted from 1, in ascending order; at most noteLinesMax. */
  readonly lines?: readonly number[]
  /** Name of the column. */
  readonly column?: string
  /** The first values, with code points for characters that do not show: `12<U+00A0>`. */
  readonly values?: readonly string[]
}

/** Maximum number of lines that a note lists; its message names fewer. */
export const noteLinesMax = 20

/** Makes a note. An empty list of lines is left out. */
export function note(code: NoteCode, message: string, { lines, column, values }: NotePlace = {}): Note {
  return {
    code,
    message,
    ...(lines !== undefined && lines.length > 0 && { lines: lines.slice(0, noteLinesMax) }),
    ...(column !== undefined && { column }),
    ...(values !== undefined && { values }),
  }
}
