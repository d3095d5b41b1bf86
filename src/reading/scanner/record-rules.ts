// Record rules: what a record is, and what can be wrong with one. The WASM scanner and its oracle both implement this
// definition; neither knows the other.
//
// Input. The bytes after the header. A file that does not end with a line end (LF; CR in `cr` mode) is read as if it did.
//
// Lines. A physical line ends with each LF, in `cr` mode with each CR, in `crlf` mode with each CR LF. A CR right before that
// LF belongs to the line end. Any other CR or LF is text. The last one of the input always ends a line.
//
// Declared escape. If the escape is declared (`isEscapeDeclared`), there is no other one. It then counts outside quotes,
// too: the byte after it, or a CR LF, is text and ends neither field nor line. At the end of the input it is text itself.
//
// Classes. At the start of each record, the first of these that applies:
//   1. a line end: blank;
//   2. the comment byte: skipped, the whole physical line, whatever it holds; with `keepsWideComments`, not if that line
//      is a reading (below) of `width` fields, several, and at most `recordBytesMax` bytes;
//   3. the first physical line is longer than `recordBytesMax`: rejected, record_too_long, that line;
//   4. the reading (below) is on one physical line, has another number of fields than `width`, and holds only delimiters and
//      blanks: blank;
//   5. the reading has `width` fields, and no stray quote unless it is on one physical line; or it is on one physical line and
//      has more, none of which holds a byte, or, with `padsShort`, fewer. Then, if a quote in it is a runaway (below), rejected, unclosed_quote, its
//      first line only; else, if all bytes are UTF-8 and none is NUL, accepted; else rejected, invalid_bytes or nul_byte,
//      by the first bad byte;
//   6. it can be repaired, or read with the other escape (both below): accepted;
//   7. anything else: rejected, its extent and reason as below.
//
// Reading. Fields up to a line end outside quotes, as in RFC 4180 with the bytes of the dialect, but more lenient:
//   - with `skipInitialSpace`, blanks (space, tab unless it delimits) before a field are dropped, so that several blanks that
//     delimit are one;
//   - a field that begins with a quote goes up to the closing quote; a doubled quote, or with `escape` any escaped byte,
//     is text, with `doublesToo` both. Blanks may follow the closing quote. Anything else that follows it is text_after_quote;
//   - if `escape` is `nothing`, a quote closes its field only if a delimiter or line end follows, with or without blanks
//     between; any other quote in the field is text;
//   - quotes in a field that does not begin with one are text: stray quotes;
//   - so is a CR or LF that does not end a line, in any field.
// A reading longer than `recordBytesMax` (its line end not counted), or without an end, is open. So is one with a line end in
// quotes beyond the look-ahead, after a quote in a field that is text because `escape` is `nothing`: each line might be so.
//
// Runaway quotes. Two stray quotes turn all records between them into one legal value. With a `runaway` rule, but not in
// `crlf` mode, with a declared escape byte, or where several blanks are one delimiter, a record on several physical lines is
// suspected if these look like records. A delimiter counts for the line it is on; those inside
// fields quoted within one line do not count. If `escape` is `nothing`, such a field may be on the last line of another, closed by
// the same quote. A line reads as a record if it has `width` - 1 of them and its fields in the
// figure columns begin with a digit, sign or point, or are empty; blanks and quotes before that are ignored. The record is
// suspected if at most one in ten of its lines does not read as a record, blank ones not counted, and at least one after
// the first does. `runaway.linesMin` such lines after the first make the quote a runaway:
// then the lines after the first are records of their own. Both outcomes are reported.
//
// Repair. A surplus quote is repaired if only one meaning is possible. If quotes are doubled and the reading
// meets text_after_quote on the first physical line, that field is read in two other ways:
//   - the quote that opens it is text, and no other quote is in the field: `"1,"a, b"` is `"1` and `a, b`;
//   - it is read as if `escape` were `nothing`, if no two quotes are adjacent in it: `"a "b" c"` is `a "b" c`. If the number
//     of quotes inside is even, the first of them has to follow a blank or an opening bracket: `"A" B "C"` may just as
//     well be a text with two quoted words. None of them may follow a backslash, which may be an escape.
// The record is repaired if exactly one of them gives a reading of `width` fields without stray quotes that ends with the
// line, at most `recordBytesMax` bytes, all of them UTF-8 without NUL, and a plausible record (below) follows. So every
// byte of a value comes from the file: nothing is made up, and nothing is left out but the enclosing quotes. A quote that
// is not closed on its line is not repaired: this is how a value over several lines begins. Neither is a record of another
// width, or with another delimiter, ever made to fit: a few words in a row may have the right count by chance.
//
// Other escape. One record may have its quotes escaped in another way than the rest of the file. Its first physical line is
// read as if quotes in quoted fields were escaped by a backslash, in a file that doubles them, or doubled, in a file with an
// escape byte; with `nothing` there is no such reading. The record is read so when no repair gives a reading (above), and this
// one has `width` fields, one quote so escaped at least, no stray quote, no CR or LF within, no other backslash (or escape
// byte) in a quoted field, at most `recordBytesMax` bytes, all of them UTF-8 without NUL, and when a plausible record follows
// or another line of which all this holds but for what follows it and its bytes. It is written as the rest of the file is.
//
// Writing. A strict record of `width` fields is passed on byte for byte. Any other accepted record gets empty fields for
// those it lacks at its end, loses surplus ones and the blanks around quotes and after delimiters, and its fields with stray quotes or
// line-end bytes are quoted. Quotes that are text are doubled, or escaped if there is a byte for that; so accepted records
// never have undoubled quotes, whatever the file had. Where nothing can be quoted, a line-end byte in a field makes the
// record a reject, line_end_in_field: no reader would accept it.
//
// Extent. One stray quote must not cost a second record, and an unclosed quote must not swallow the file. So a
// record that is not accepted takes as many of the physical lines its reading has touched as needed for a plausible
// record to follow: one that reads strictly (blanks after delimiters apart) with `width` fields and at most
// min(recordBytesMax, lookAhead.bytes) bytes, a blank or comment line, or the end of the input. Only line ends within
// `lookAhead` of its start count. If there is no such line end, it takes all its lines if its reading ended within the
// look-ahead, else only its first line.
//
// Reason. A record that takes fewer lines than its reading touched, or whose reading is open, ends inside quotes:
// unclosed_quote. Otherwise text_after_quote if the reading met it, else quote_in_field if there was a stray quote,
// else too_few_fields or too_many_fields.
//
// Exclusion. Readable records that the caller has named, by their number among all readable ones, are rejected in their
// place, constraint. Nothing else is read differently because of it: they remain plausible records.

import type { ScanOptions } from './scanner.ts'

/** How far the search for the end of a broken record goes, from its first byte. */
export interface LookAhead {
  readonly lines: number
  readonly bytes: number
}

export const lookAhead: LookAhead = { lines: 64, bytes: 65_536 }

/** Whether quotes can run away: not where line ends or several delimiters may be text. */
export function mayRunAway({
  lineEnd,
  escape: mark,
  isEscapeDeclared,
  skipInitialSpace,
  delimiter,
}: ScanOptions): boolean {
  const hasEscape = isEscapeDeclared === true && typeof mark === 'number'
  return lineEnd !== 'crlf' && !hasEscape && !(skipInitialSpace && delimiter === 32)
}

/** Whether an LF has no CR before it. */
export function hasLoneFeed(bytes: Uint8Array): boolean {
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) if (bytes[at - 1] !== 13) return true
  return false
}
