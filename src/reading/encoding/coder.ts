// Coder: the interface for converting a file to UTF-8, block by block, and mapping offsets back. Knows no encoding.

/** A block of the original that was decoded on its own, and the result. */
export interface Block {
  readonly original: Uint8Array
  /** Contains the byte 0xFF, which does not occur in UTF-8, for each invalid byte sequence of the original. */
  readonly utf8: Uint8Array
}

/** Converts a file, piece by piece, to what a scanner accepts, and maps offsets back. */
export interface Coder {
  /** True if each byte of the file is a character, so that any range of bytes can be converted on its own. */
  readonly isBytewise: boolean
  /** Returns the block that ends at the last position where this piece can be cut; its utf8 may be empty. */
  push(piece: Uint8Array): Block
  /** Returns the rest; half a character at the end of the file is an invalid byte. */
  end(): Block
  /** The offset in `block.original` of the character that begins at `utf8Offset` of `block.utf8`. */
  originalOffset(block: Block, utf8Offset: number): number
  /** Accepted bytes as they are passed on: in UTF-8 and the file's own dialect. Together they are whole records. */
  restored(pieces: readonly Uint8Array[]): readonly Uint8Array[]
}
