// Coder: what turns the bytes of a file into UTF-8, block by block, and back into offsets. Knows no encoding.

/** A stretch of the original that was decoded by itself, and what became of it. */
export interface Block {
  readonly original: Uint8Array
  /** Has the byte 0xFF, which no UTF-8 contains, for each wrong byte sequence of the original. */
  readonly utf8: Uint8Array
}

/** Turns a file, piece by piece, into what a scanner takes, and knows the way back. */
export interface Coder {
  /** Gives the block that ends with the last place where this piece can be cut; its utf8 may be empty. */
  push(piece: Uint8Array): Block
  /** Gives what is left; half a character at the end of the file is a wrong byte. */
  end(): Block
  /** The offset in `block.original` at which the character stands that begins at `utf8Offset` of `block.utf8`. */
  originalOffset(block: Block, utf8Offset: number): number
  /** Accepted bytes as they are handed on: in UTF-8 and the file's own dialect. They are whole records together. */
  restored(pieces: readonly Uint8Array[]): readonly Uint8Array[]
}
