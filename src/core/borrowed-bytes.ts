// Borrowed bytes: bytes that are valid only until the next ones are requested. Does not know who lends them.

/**
 * A view of memory that its lender reuses or detaches as soon as the next bytes are requested. Any `Uint8Array` can be
 * lent; the other direction takes a copy (`Uint8Array.from`), so code that would keep borrowed bytes does not compile.
 */
export interface BorrowedBytes extends ArrayLike<number> {
  subarray(start?: number, end?: number): BorrowedBytes
}

/** Total length of all of them. */
export function lengthOf(slices: readonly BorrowedBytes[]): number {
  let length = 0
  for (const slice of slices) length += slice.length
  return length
}

/** The bytes, for a call that reads them immediately and does not keep them, such as one of Node's own. */
export function viewOf(bytes: BorrowedBytes): Uint8Array {
  // Only a Uint8Array is ever lent: the type hides the methods with which it could be kept.
  return bytes as Uint8Array
}
