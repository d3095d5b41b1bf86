// Note advice: what the docs say about each note: what was found, and what the sender of the file can do about it.
import type { NoteCode } from '../../src/core/notes.ts'

interface NoteRow {
  readonly meaning: string
  readonly advice: string
}

export const noteAdvice: Readonly<Record<NoteCode, NoteRow>> = {
  ENCODING_GUESSED: {
    meaning: 'Neither a byte order mark nor the bytes themselves prove the encoding; the most likely one was used.',
    advice: 'Check the named lines; declare `encoding` in the dialect if they are wrong.',
  },
  DELIMITER_UNCERTAIN: {
    meaning: 'Another delimiter fits the file nearly as well as the one that was used, or each line may be one value.',
    advice: 'Check the columns; declare `delimiter`.',
  },
  DELIMITER_TOO_LONG: {
    meaning:
      'Fields seem to be separated by several characters, such as `||` or `~|~`. One of them is used as the delimiter: the columns between are empty, or the others stay in the values.',
    advice: 'Write the file with a delimiter of one character that its values do not contain, such as tab.',
  },
  DELIMITER_LINE_IGNORED: {
    meaning: 'The first line names a delimiter (`sep=;`) that does not fit the file; another one was used.',
    advice: 'Check the columns; declare `delimiter`, or remove the line.',
  },
  QUOTES_AS_TEXT: {
    meaning: 'Double quotes are read as ordinary characters: they do not enclose fields in this file.',
    advice: 'Declare `quoteChar` if they do.',
  },
  QUOTES_NOT_ESCAPED: {
    meaning: 'Quotes inside quoted fields are neither doubled nor escaped.',
    advice: 'Double the quotes inside quoted fields.',
  },
  LINES_QUOTED: {
    meaning:
      'Each line seems to be quoted as a whole, so that it is one value, although a delimiter separates values in it.',
    advice: 'Write the file without the quotes around its lines.',
  },
  DELIMITERS_ESCAPED: {
    meaning: 'Records have a backslash before a delimiter outside quotes; it is still read as a delimiter.',
    advice: 'Quote such values; correct the records that were rejected.',
  },
  LINE_ENDS_ESCAPED: {
    meaning: 'Records have a backslash before a line end outside quotes; it still ends the record.',
    advice: 'Quote values that contain line ends; correct the records that were rejected.',
  },
  NO_HEADER: {
    meaning: 'No header was found; the columns are named `column_1`, `column_2` and so on.',
    advice: 'Declare `header` true if the first record holds names, or send a schema with names.',
  },
  HEADER_UNCERTAIN: {
    meaning: 'The first record may be a header or data; the message gives the evidence for each, and how it was read.',
    advice: 'Declare `header` true or false.',
  },
  UNITS_SKIPPED: {
    meaning: 'A record of units right below the header was skipped.',
    advice:
      'Declare `headerRows` with both lines to add the units to the names, or with the first to read them as a record.',
  },
  HEADER_WIDTH_DIFFERS: {
    meaning: 'The header has more or fewer names than the table has columns.',
    advice: 'Check which name belongs to which column.',
  },
  HEADER_JOINED: {
    meaning: 'The header spans several records; the values of each column were joined into one name.',
    advice: 'Declare `headerRows` and `headerJoin` for other names.',
  },
  HEADER_QUOTES_UNMATCHED: {
    meaning: 'The header has quotes that do not match.',
    advice: 'Check the column names.',
  },
  HEADER_BYTES_INVALID: {
    meaning: 'The header has bytes that are invalid in the encoding of the file; they were read in another encoding.',
    advice: 'Check the column names.',
  },
  HEADER_SECOND_LINE: {
    meaning:
      'The line right below the header looks like part of it (a rule, units in brackets, text values above numbers); it is read as a record.',
    advice: 'Declare `headerRows` with both lines if it is part of the header.',
  },
  HEADER_REPEATED: {
    meaning: 'The header line is repeated further down; each repetition is read as a record.',
    advice: 'Remove the repeated headers if the file was assembled from several.',
  },
  NAMES_NUMBERED: {
    meaning: 'Column names that occur more than once were numbered.',
    advice: 'Give each column a unique name.',
  },
  TITLES_SKIPPED: {
    meaning: 'Records above the table were skipped as titles.',
    advice: 'Declare `skipRows` 0 if they belong to the table.',
  },
  COMMENTS_SKIPPED: {
    meaning: 'Lines that begin with the comment character were skipped.',
    advice: 'Declare `commentChar` null if they are records.',
  },
  RECORDS_MARKED: {
    meaning:
      'Records of the usual width have a mark such as `#` before their first value, as if commented out; they are read as records.',
    advice: 'Declare `commentChar` if they are comments.',
  },
  RECORDS_ABOVE_TABLE: {
    meaning:
      'Records above the table have another width and are not titles: they are read as records, most of them rejects.',
    advice: 'Check the rejects; declare `skipRows` to skip them, or `headerRows`.',
  },
  ROW_NAMES: {
    meaning: 'The header lacks one name, as R writes it: the names belong to the columns counted from the right.',
    advice: 'Give the first column a name.',
  },
  LAST_COLUMN_EMPTY: {
    meaning: 'Every record ends with a delimiter, so the last column is always empty.',
    advice: 'None needed, or write records without the last delimiter.',
  },
  TABLE_OTHER_WIDTH: {
    meaning: 'Another table, of another width, seems to begin further down; its records are rejects.',
    advice: 'Send each table as its own file.',
  },
  TABLE_SAME_WIDTH: {
    meaning: 'Another table, of the same width, seems to begin further down; it is read as part of the first.',
    advice: 'Send each table as its own file.',
  },
  MOST_REJECTED: {
    meaning: 'More records were rejected than accepted: the file may be prose, or have another dialect.',
    advice: 'Check that it is the right file; declare `delimiter` and `quoteChar`.',
  },
  RULE_LINES: {
    meaning: 'Lines drawn across the table, such as `|---|---|`, are read as records or rejects.',
    advice: 'Export the table without them.',
  },
  NOT_A_TABLE: {
    meaning: 'The file looks like HTML, XML or JSON, not like a table; it was read because a dialect was declared.',
    advice: 'Check that it is the right file.',
  },
  UNLIKELY_TABLE: {
    meaning:
      'The lines do not read as records of a table but as prose, code, a log, settings or a report; the message has the figures.',
    advice: 'Check that it is the right file; declare `delimiter` to have it read without this note.',
  },
  ALIGNED_COLUMNS: {
    meaning: 'The columns are aligned with spaces; each line is read as one value, or each space as a delimiter.',
    advice: 'Export the table with a delimiter.',
  },
  RECORDS_END_WITH_CR: {
    meaning:
      'Some records end with a carriage return that is not part of the line end of this file; it belongs to the last value, or the records are rejects.',
    advice: 'Use the same line end throughout.',
  },
  LINE_ENDS_MIXED: {
    meaning: 'Some records end with LF, others with CR LF; both are read as line ends.',
    advice: 'If an LF alone belongs to a value, declare `lineTerminator` CR LF.',
  },
  UNUSUAL_LINE_ENDS: {
    meaning: 'Lines end with CR CR LF, CR CR CR LF or LF CR; each is read as one line end (CR LF), in values too.',
    advice: 'Write the file in binary mode.',
  },
  DECLARED_ENCODING_CONFLICT: {
    meaning: 'The declared `encoding` was used, but the bytes look like another encoding.',
    advice: 'Declare the right `encoding`, or leave it out.',
  },
  DECLARED_LINE_TERMINATOR_CONFLICT: {
    meaning: 'The declared `lineTerminator` was used, but the file has other line ends.',
    advice: 'Declare the right `lineTerminator`, or leave it out.',
  },
  DECLARED_DIALECT_CONFLICT: {
    meaning:
      'A declared `delimiter`, `quoteChar`, `escapeChar` or `doubleQuote` was used, but another value fits the file better.',
    advice: 'Declare the right value, or leave it out.',
  },
  DECLARED_HEADER_CONFLICT: {
    meaning: 'The declared `header` was used, but the first record suggests otherwise.',
    advice: 'Declare the right `header`, or leave it out.',
  },
  DECLARED_SKIP_ROWS_CONFLICT: {
    meaning: 'The declared `skipRows` was used, but the next record does not have the width of the table.',
    advice: 'Declare the right `skipRows`, or leave it out.',
  },
  SCHEMA_FIELDS_MISSING: {
    meaning: 'The file has no column for some fields of the schema.',
    advice: 'Compare the names in the schema with those in the file.',
  },
  CORRECTIONS_LEFT_OUT: {
    meaning: 'Corrected records violate the schema declared for this reading: they are rejects again.',
    advice: 'Correct these records again in the new dataset.',
  },
  SCHEMA_NAMES_AS_DATA: {
    meaning:
      'The first record holds the names of the schema, but was read as data because `header` was declared false.',
    advice: 'Declare `header` true, or leave it out.',
  },
  PARTS_IGNORED: {
    meaning: 'The request has parts that are neither the file nor settings, or settings that are not a JSON object.',
    advice: 'Send settings as JSON in the parts `dialect` and `schema`, before the file.',
  },
  CODING_IGNORED: {
    meaning:
      'The request has a `Content-Encoding` that names no coding, such as a charset; the body was read as it is.',
    advice: 'Leave the header out, or declare `encoding` in the dialect.',
  },
  EMPTY_RECORDS_AT_END: {
    meaning:
      'The last records of the file have only empty fields, as spreadsheets write rows that were once used; they are counted as blank.',
    advice: 'None needed, unless they should be records: then give each a value in at least one column.',
  },
  QUOTE_REPAIRED: {
    meaning: 'Records have an extra quote but can be read in only one way; the quote is kept as text.',
    advice: 'Check the named lines.',
  },
  ESCAPE_MIXED: {
    meaning:
      'Records escape quotes differently from the rest of the file: with a backslash where it doubles them, or the reverse; they are read as intended.',
    advice: 'Check the named lines; escape quotes in the same way throughout the file.',
  },
  QUOTE_RUNAWAY: {
    meaning:
      'Two stray quotes would turn all lines between them, which look like records of this table, into one value; they are read as records, and the line with the opening quote is a reject.',
    advice: 'Check the first and the last line of each stretch (`lines` has both); write quotes as in RFC 4180.',
  },
  VALUE_LIKE_RECORDS: {
    meaning: 'The lines of a quoted value look like records of this table; they are read as one value.',
    advice: 'Check the first and the last line (`lines` has both): two stray quotes look the same.',
  },
  TOTAL_RECORD: {
    meaning: 'The last record looks like a total or an average; it is read as a record like the others.',
    advice: 'Leave it out of sums.',
  },
  FOOTER_REJECTED: {
    meaning: 'Records at the end have fewer fields than the table and look like a footer; they are rejects.',
    advice: 'None needed, if they are not part of the table.',
  },
  COMPRESSED_DATA_CUT_OFF: {
    meaning: 'The compressed data is truncated; what could be decompressed was read, the rest is missing.',
    advice: 'Compare the size of the file with that of the source, and send it again.',
  },
  COMPRESSED_DATA_FOLLOWED: {
    meaning: 'Other bytes follow the compressed data; they are kept with the file but were not read.',
    advice: 'Check what they are; send other tables as their own files.',
  },
  FILE_CUT_OFF: {
    meaning: 'The file ends inside a record and without a line end; it may be truncated.',
    advice: 'Compare its size with that of the source, and send it again.',
  },
  AMBIGUOUS_DATES: {
    meaning: 'Dates in the column can be read day first or month first; they are kept as text.',
    advice: 'Send a schema with the `format`, or write dates as `YYYY-MM-DD`.',
  },
  AMBIGUOUS_NUMBERS: {
    meaning:
      'A separator in numbers of the column can be a thousands separator or a decimal point; the numbers are kept as text, or read as decimals next to whole numbers.',
    advice: 'Send a schema with `decimalChar` and `groupChar`.',
  },
  NUMBER_FORMS_DIFFER: {
    meaning:
      'Numbers in the column are written in different ways (`2` and `2.0`, `1.1` and `1.10`, `1.5` and `2.50`, `-0`), so different text values may be the same number; `data.csv` keeps the text values.',
    advice: 'None needed if they are numbers; if they are versions or codes, send a schema with type `string`.',
  },
  LEADING_ZEROS: {
    meaning: 'Numbers in the column have leading zeros; they are kept as text.',
    advice: 'None needed if they are codes; otherwise send a schema.',
  },
  PLUS_SIGNS: {
    meaning: 'Numbers in the column have a plus sign; they are kept as text.',
    advice: 'Write numbers without plus signs, or send a schema.',
  },
  TOO_MANY_DIGITS: {
    meaning:
      'Numbers in the column have more digits than a double keeps exactly; the type was chosen to keep them all.',
    advice: 'Send a schema if rounding is acceptable.',
  },
  NUMBERS_ROUNDED: {
    meaning:
      'Numbers in the column, which was declared as `number`, have more digits than a double keeps, and no decimal type keeps them all: the nearest doubles are stored; `data.csv` has the text values.',
    advice: 'Declare the column as `string`, or correct the values with exponents, signs or zeros in front.',
  },
  MIXED_VALUES: {
    meaning: 'All values in the column look typed, but not as the same type; they are kept as text.',
    advice: 'Correct the named values, or send a schema.',
  },
  FEW_MISFITS: {
    meaning:
      'At most 1 % of the values in the column, and at most 1,000, keep it from the type of the others: it is text. `values` has the first of them, with code points for such characters.',
    advice: 'Correct the named values, or send a schema with `missingValues` or a type.',
  },
  VALUES_AS_FORMULAS: {
    meaning:
      'Each value of a column is written as a formula, `="…"`, for Excel; it is kept as text, with these characters.',
    advice: 'Write the values without `="` and `"`; to keep zeros in front, send a schema with type `string`.',
  },
  MORE_COLUMNS: {
    meaning: 'More columns have notes than the receipt lists.',
    advice: 'Read `why` of each column.',
  },
}
