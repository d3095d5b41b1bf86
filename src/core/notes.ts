// Notes: every doubt that a receipt can raise, by code. Branch on the code, never on the message.

/** A code is public: it is never renamed or reused, and its meaning never changes. test/docs/note-advice.ts explains each. */
export const noteCodes = [
  'ENCODING_GUESSED',
  'DELIMITER_UNCERTAIN',
  'DELIMITER_TOO_LONG',
  'DELIMITER_LINE_IGNORED',
  'QUOTES_AS_TEXT',
  'QUOTES_NOT_ESCAPED',
  'LINES_QUOTED',
  'DELIMITERS_ESCAPED',
  'LINE_ENDS_ESCAPED',
  'NO_HEADER',
  'HEADER_UNCERTAIN',
  'UNITS_SKIPPED',
  'HEADER_WIDTH_DIFFERS',
  'HEADER_JOINED',
  'HEADER_QUOTES_UNMATCHED',
  'HEADER_BYTES_INVALID',
  'HEADER_SECOND_LINE',
  'HEADER_REPEATED',
  'NAMES_NUMBERED',
  'TITLES_SKIPPED',
  'COMMENTS_SKIPPED',
  'RECORDS_MARKED',
  'RECORDS_ABOVE_TABLE',
  'ROW_NAMES',
  'LAST_COLUMN_EMPTY',
  'TABLE_OTHER_WIDTH',
  'TABLE_SAME_WIDTH',
  'MOST_REJECTED',
  'RULE_LINES',
  'NOT_A_TABLE',
  'ALIGNED_COLUMNS',
  'RECORDS_END_WITH_CR',
  'LINE_ENDS_MIXED',
  'UNUSUAL_LINE_ENDS',
  'DECLARED_ENCODING_CONFLICT',
  'DECLARED_LINE_TERMINATOR_CONFLICT',
  'DECLARED_DIALECT_CONFLICT',
  'DECLARED_HEADER_CONFLICT',
  'DECLARED_SKIP_ROWS_CONFLICT',
  'SCHEMA_FIELDS_MISSING',
  'CORRECTIONS_LEFT_OUT',
  'SCHEMA_NAMES_AS_DATA',
  'PARTS_IGNORED',
  'EMPTY_RECORDS_AT_END',
  'QUOTE_REPAIRED',
  'ESCAPE_MIXED',
  'QUOTE_RUNAWAY',
  'VALUE_LIKE_RECORDS',
  'TOTAL_RECORD',
  'FOOTER_REJECTED',
  'COMPRESSED_DATA_CUT_OFF',
  'COMPRESSED_DATA_FOLLOWED',
  'FILE_CUT_OFF',
  'AMBIGUOUS_DATES',
  'AMBIGUOUS_NUMBERS',
  'EQUAL_NUMBERS',
  'NUMBER_FORMS_DIFFER',
  'LEADING_ZEROS',
  'PLUS_SIGNS',
  'TOO_MANY_DIGITS',
  'NUMBERS_ROUNDED',
  'MIXED_VALUES',
  'FEW_MISFITS',
  'VALUES_AS_FORMULAS',
  'MORE_COLUMNS',
] as const
export type NoteCode = (typeof noteCodes)[number]

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
