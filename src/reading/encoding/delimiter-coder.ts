// Delimiter coder: replaces a delimiter of several bytes by the single byte that the scanner requires. Knows nothing of records.
import { concatBytes, utf8Bytes } from '../bytes/platform-bytes.ts'
import { type Block, Coder, LastPlace } from './coder.ts'

/** Control characters that may replace the delimiter; at least one of them is not used by the dialect. */
const standIns = [0x1f, 0x1e, 0x1d, 0x1c, 0x1b]

/** The byte that replaces the delimiter while the file is scanned: one that is not `taken`. */
export function standInBeside(taken: readonly (number | string | null)[]): number {
  const free = standIns.find((byte) => !taken.includes(byte))
  if (free === undefined) throw new Error('delimiter swap: every stand-in is taken')
  return free
}

/**
 * Swaps a UTF-8 character and a control byte. Each is replaced by the other, so the swap can be
 * undone without loss, even if the file contains that control byte. Invalid UTF-8 stays as it is.
 */
export class DelimiterCoder extends Coder {
  readonly #character: Uint8Array
  readonly #standIn: number
  readonly #last = new LastPlace()

  /** @param delimiter A code unit from 0x80 on, not a surrogate. */
  constructor(delimiter: number, standIn: number) {
    super()
    this.#character = utf8Bytes(String.fromCharCode(delimiter))
    this.#standIn = standIn
  }

  /** Before the first byte of an incomplete character. */
  protected cut(bytes: Uint8Array): number {
    let end = bytes.length
    while (end > 0 && bytes.length - end < 3 && ((bytes[end - 1] as number) & 0xc0) === 0x80) end--
    // A character that begins within the last bytes may continue in the next piece; anything before them is complete.
    return end > 0 && (bytes[end - 1] as number) >= 0xc0 ? end - 1 : bytes.length
  }

  originalOffset(block: Block, utf8Offset: number): number {
    const last = this.#last
    last.from(block, utf8Offset)
    last.original += this.#swappedLength(block.utf8.subarray(last.utf8, utf8Offset))
    last.utf8 = utf8Offset
    return last.original
  }

  override restored(pieces: readonly Uint8Array[]): readonly Uint8Array[] {
    return pieces.length === 0 ? pieces : [this.toUtf8(concatBytes(pieces))]
  }

  /**
   * Swaps the character and its stand-in; swapping twice restores everything. A plain loop, because
   * searching and replacing with the platform's own calls is slower if every tenth byte is a delimiter.
   */
  protected toUtf8(bytes: Uint8Array): Uint8Array {
    const character = this.#character
    const standIn = this.#standIn
    const [first, second = 0, third] = character
    const out = new Uint8Array(this.#swappedLength(bytes))
    let to = 0
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] as number
      if (byte === standIn) {
        out[to++] = first as number
        out[to++] = second
        if (third !== undefined) out[to++] = third
      } else if (byte === first && isAt(bytes, at, character)) {
        out[to++] = standIn
        at += character.length - 1
      } else out[to++] = byte
    }
    return out
  }

  #swappedLength(bytes: Uint8Array): number {
    const character = this.#character
    const standIn = this.#standIn
    const first = character[0]
    const surplus = character.length - 1
    let length = bytes.length
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at]
      if (byte === standIn) length += surplus
      else if (byte === first && isAt(bytes, at, character)) length -= surplus
    }
    return length
  }
}

function isAt(bytes: Uint8Array, at: number, character: Uint8Array): boolean {
  for (let i = 1; i < character.length; i++) if (bytes[at + i] !== character[i]) return false
  return true
}
