// Coder: converts a file to UTF-8, block by block, and maps offsets back. Each encoding has its own.
import { concatBytes } from '../bytes/platform-bytes.ts'

/** A block of the original that was decoded on its own, and the result. */
export interface Block {
  readonly original: Uint8Array
  /** Contains the byte 0xFF, which does not occur in UTF-8, for each invalid byte sequence of the original. */
  readonly utf8: Uint8Array
}

/** Converts a file, piece by piece, to what a scanner accepts, and maps offsets back. */
export abstract class Coder {
  /** True if each byte of the file is a character, so that any range of bytes can be converted on its own. */
  readonly isBytewise: boolean = false
  #carry: Uint8Array = new Uint8Array(0)

  /** Where bytes can be cut: what follows may continue in the next piece. */
  protected abstract cut(bytes: Uint8Array): number

  protected abstract toUtf8(original: Uint8Array): Uint8Array

  /** The offset in `block.original` of the character that begins at `utf8Offset` of `block.utf8`. */
  abstract originalOffset(block: Block, utf8Offset: number): number

  /** Returns the block that ends at the last position where this piece can be cut; its utf8 may be empty. */
  push(piece: Uint8Array): Block {
    const bytes = this.#carry.length === 0 ? piece : concatBytes([this.#carry, piece])
    const end = this.cut(bytes)
    this.#carry = Uint8Array.from(bytes.subarray(end))
    return this.#block(bytes.subarray(0, end))
  }

  /** Returns the rest; half a character at the end of the file is an invalid byte. */
  end(): Block {
    const rest = this.#carry
    this.#carry = new Uint8Array(0)
    return this.#block(rest)
  }

  /** Accepted bytes as they are passed on: in UTF-8 and the file's own dialect. Together they are whole records. */
  restored(pieces: readonly Uint8Array[]): readonly Uint8Array[] {
    return pieces
  }

  #block(original: Uint8Array): Block {
    return { original, utf8: this.toUtf8(original) }
  }
}

/** The last position that was looked up: ascending lookups in one block together take one pass over it. */
export class LastPlace {
  #block: Block | null = null
  utf8 = 0
  original = 0

  /** Starts over in another block, or for a position before the last one. */
  from(block: Block, utf8Offset: number): void {
    if (block === this.#block && utf8Offset >= this.utf8) return
    this.#block = block
    this.utf8 = 0
    this.original = 0
  }

  forget(): void {
    this.#block = null
  }
}
