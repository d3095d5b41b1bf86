// Record rules: what a record is, and the words for what is wrong with one. The WASM scanner and its oracle both follow this
// definition; neither knows the other.
//
// Input. The bytes after the header. A file that does not end with a line end (LF; CR in `cr` mode) is read as if it did.
//
// Lines. A physical line ends with each LF, in `cr` mode with each CR. A CR right before that LF belongs to the line end.
// Any other CR or LF is text.
//
// Classes. At the start of each record, the first that holds:
//   1. a line end: blank;
//   2. the comment byte: skipped, the whole physical line, whatever is in it; with `keepsWideComments` not where that line
//      is a reading (below) of `width` fields, several, and at most `recordBytesMax` bytes;
//   3. the first physical line is longer than `recordBytesMax`: rejected, record_too_long, that line;
//   4. the reading (below) has `width` fields, and no stray quote unless it is on one physical line; or, with `padsShort`,
//      it is on one physical line and has fewer. Then, if a quote in it is a runaway (below), rejected, unclosed_quote, its
//      first line only; else, if all bytes are UTF-8 and none is NUL, accepted; else rejected, invalid_bytes or nul_byte,
//      by the first bad byte;
//   5. it can be repaired (below): accepted;
//   6. anything else: rejected, its extent and reason as below.
//
// Reading. Fields up to a line end outside quotes, as in RFC 4180 with the bytes of the dialect, and more kindly:
//   - with `skipInitialSpace`, blanks (space, tab) after a delimiter are left out;
//   - a field that begins with a quote goes up to the closing quote; a doubled quote, or with `escape` any escaped byte,
//     is text. Blanks may follow the closing quote. Anything else that follows it is text_after_quote;
//   - where `escape` is `nothing`, a quote closes its field only if a delimiter or line end follows, blanks between them or
//     not; any other quote in the field is text;
//   - quotes in a field that does not begin with one are text: stray quotes;
//   - so is a CR or LF that ends no line, in any field.
// A reading longer than `recordBytesMax` (its line end not counted), or without an end, is open.
//
// Runaway quotes. Two stray quotes make one legal value of all records between them. With a `runaway` rule, a record on
// several physical lines is doubted when these look like records. Delimiters count for the line they stand on, those of
// quoted fields on one line left out. A line reads as a record when it has `width` - 1 of them and its fields in the figure
// columns begin with a digit, sign or point, or are empty; blanks and quotes before that do not count. The record is
// doubted when at most one in ten of its lines does not read as a record, blank ones not counted, and at least one after
// the first does; where `escape` is `nothing`, only within the look-ahead. `runaway.linesMin` such lines after the first
// make the quote a runaway; the lines after the first are records of their own then. Both outcomes are reported.
//
// Repair. One quote too many is no riddle where it can be meant in one way only. When quotes are doubled and the reading
// meets text_after_quote on the first physical line, that field is taken in two other ways:
//   - the quote that opens it is text, and no other quote is in the field: `"1,"a, b"` is `"1` and `a, b`;
//   - it is read as where `escape` is `nothing`, if no two quotes stand side by side in it: `"a "b" c"` is `a "b" c`. Where
//     the quotes inside are even in number, the first of them has to follow a blank or an opening bracket: `"A" B "C"` may
//     as well be a text of two quoted words. None of them may follow a backslash: it may be an escape.
// The record is repaired when exactly one of them gives a reading of `width` fields without stray quotes that ends with the
// line, at most `recordBytesMax` bytes, all of them UTF-8 without NUL, and a plausible record (below) follows. Every byte of
// a value is one of the file then: nothing is made up, nothing left out but the quotes around. A quote that is not closed on
// its line is not repaired: a text over several lines begins just so. Nor is a record of another width, or with another
// delimiter, ever made to fit: words in a row may count as many.
//
// Writing. A strict record of `width` fields is passed on byte for byte. Fields that another lacks are empty at its end. In any other accepted record, blanks around the quotes and after
// the delimiter are dropped, and fields with stray quotes or line-end bytes are quoted. Quotes that are text are doubled,
// or escaped where there is a byte for that; so what is accepted never has undoubled quotes, whatever the file had. Where
// nothing can be quoted, a line-end byte in a field makes the record a reject, line_end_in_field: no reader would take
// it.
//
// Extent. One stray quote must not cost a second record, and a quote that never closes must not swallow the file. So a
// record that is not accepted takes as many of the physical lines its reading has touched as needed for a plausible
// record to follow: one that reads strictly (blanks after delimiters apart) with `width` fields and at most
// min(recordBytesMax, lookAhead.bytes) bytes, a blank or comment line, or the end of the input. Only line ends within
// `lookAhead` of its start count. Where no such line end is found, it takes all its lines if its reading ended and did
// so within the look-ahead, else its first line only.
//
// Reason. A record that takes fewer lines than its reading touched, or whose reading is open, ends inside quotes:
// unclosed_quote. Otherwise text_after_quote where the reading met it, else quote_in_field if there was a stray quote,
// else too_few_fields or too_many_fields.
//
// Dropping. Readable records that the caller has named, by their number among all readable ones, are rejected in their
// place, constraint. Nothing else is read differently for it: they stay plausible records.
import type { RejectReason } from '../../core/receipt.ts'

/** How far the search for the end of a broken record goes, from its first byte. */
export interface LookAhead {
  readonly lines: number
  readonly bytes: number
}

export const lookAhead: LookAhead = { lines: 64, bytes: 65_536 }

/**
 * Says what is wrong with a record.
 *
 * @param detail Number of fields for too_few_fields and too_many_fields, bytes of the record for record_too_long, the number
 * of the record among readable ones for constraint, else the offset in the original of the byte that is wrong: for
 * unclosed_quote the quote that opens.
 */
export function rejectMessage(
  reason: RejectReason,
  detail: number,
  wanted: { readonly width: number; readonly recordBytesMax: number },
): string {
  switch (reason) {
    case 'too_few_fields':
    case 'too_many_fields':
      return `${detail} ${detail === 1 ? 'field' : 'fields'}, expected ${wanted.width}`
    case 'text_after_quote':
      return `text after a closing quote at offset ${detail}`
    case 'quote_in_field':
      return `quote inside an unquoted field at offset ${detail}`
    case 'unclosed_quote':
      return `quote opened at offset ${detail} is not closed`
    case 'invalid_bytes':
      return `byte at offset ${detail} is not valid in the file's encoding`
    case 'nul_byte':
      return `NUL byte at offset ${detail}`
    case 'record_too_long':
      return `record of ${detail} bytes, at most ${wanted.recordBytesMax} are read`
    case 'line_end_in_field':
      return `carriage return or line feed inside a field at offset ${detail}`
    case 'constraint':
      return 'a value breaks a constraint of the schema'
  }
}
