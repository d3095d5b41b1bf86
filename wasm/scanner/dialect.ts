// Dialect: the bytes with a meaning in a file. The host sets these variables by their names. Knows nothing of records.
/** Stands for a byte that the dialect does not use; equal to no byte. */
export const NONE: u32 = 256

/** As the escape: quotes are neither doubled nor escaped. */
export const NOTHING: u32 = 257

export let delimiter: u32 = 0
export let quote: u32 = NONE
export let escape: u32 = NONE
export let comment: u32 = NONE
export let skipInitialSpace: bool = false
/** LF, or CR if records end with a lone CR. */
export let lineEnd: u32 = 10
/** The other of CR and LF: part of a line end if it is a CR before an LF, text otherwise. */
export let otherEnd: u32 = 13
/** The line end is CR LF: an LF without a CR before it is text. */
export let isCrLf: bool = false
/** The escape was declared: it escapes delimiters, line ends and itself, too, in quotes and outside. */
export let escapesAll: bool = false
/** Quotes may be doubled beside an escape. */
export let doublesToo: bool = false
/** A record may have its quotes escaped in another way than the file. */
export let hasOtherEscape: bool = true
export let width: u32 = 1
/** A record on one line that has fewer fields is readable. */
export let padsShort: bool = false
/** A line that begins with the comment byte and has the width is a record. */
export let keepsWideComments: bool = false
export let recordBytesMax: usize = 0
export let lookAheadLines: u32 = 0
export let lookAheadBytes: usize = 0
/** At most two columns, from 1, that must be empty or numeric for a line to read as a record; 0 for none. */
export let figureColumn: u32 = 0
export let otherFigureColumn: u32 = 0
/** This many lines of a value that read as records make its quote a runaway; 0 for never. */
export let runawayLinesMin: u32 = 0

@inline
export function isBlank(byte: u32): bool {
  return (byte == 32 || byte == 9) && byte != delimiter
}

/** A blank that is dropped before a field; several are one delimiter where a blank delimits. */
@inline
export function isSkipped(byte: u32): bool {
  return byte == 32 || (byte == 9 && delimiter != 9)
}

/** The byte after an escape outside quotes and what it escapes: a CR LF is escaped as one. */
@inline
export function afterEscape(at: usize, stop: usize): usize {
  return at + 2 < stop && load<u8>(at + 1) == 13 && lineEnd == 10 && load<u8>(at + 2) == 10 ? at + 3 : at + 2
}
