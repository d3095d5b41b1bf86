// Dialect: the format of the records of a range, set once by the host. Knows nothing of values.

/** Stands for a byte that the dialect does not have; equal to no byte. */
export const NONE: u32 = 256

export let width: u32 = 1
export let delimiter: u32 = 44
export let quote: u32 = NONE
/** LF, or CR if records end with a lone CR. */
export let lineEnd: u32 = 10

export function setDialect(fieldCount: u32, delimiterByte: u32, quoteByte: u32, lineEndByte: u32): void {
  width = fieldCount
  delimiter = delimiterByte
  quote = quoteByte
  lineEnd = lineEndByte
}
