// Transcoder: turns pieces of a file into UTF-8 and can tell which byte of the original a byte of the UTF-8 came from.
import { createDecoder, type Decoder } from './decoder.ts'

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

/** How bytes of the original and characters go together. */
type Kind = 'single-byte' | 'utf-16' | 'utf-32' | 'multi-byte'

const kinds: Readonly<Record<string, Kind>> = {
  'utf-16le': 'utf-16',
  'utf-16be': 'utf-16',
  'utf-32le': 'utf-32',
  'utf-32be': 'utf-32',
  gbk: 'multi-byte',
  gb18030: 'multi-byte',
  big5: 'multi-byte',
  'euc-jp': 'multi-byte',
  'iso-2022-jp': 'multi-byte',
  shift_jis: 'multi-byte',
  'euc-kr': 'multi-byte',
}

/** Stands for a wrong byte in decoded text: a lone surrogate, which no decoder gives. */
const wrongMark = '\udc80'
/** A line of a multi-byte encoding is decoded in one block up to this size. Bytes. */
const lineBytesMax = 4_194_304

export class Transcoder implements Coder {
  readonly #name: string
  readonly #kind: Kind
  readonly #decode: Decoder
  #carry: Uint8Array = new Uint8Array(0)

  constructor(encoding: string) {
    this.#name = encoding
    this.#kind = kinds[encoding] ?? 'single-byte'
    this.#decode = createDecoder(encoding, 'replace')
  }

  push(piece: Uint8Array): Block {
    const bytes = this.#carry.length === 0 ? piece : Buffer.concat([this.#carry, piece])
    const end = this.#cut(bytes)
    this.#carry = bytes.subarray(end)
    return this.#block(bytes.subarray(0, end))
  }

  end(): Block {
    const rest = this.#carry
    this.#carry = new Uint8Array(0)
    return this.#block(rest)
  }

  originalOffset(block: Block, utf8Offset: number): number {
    if (utf8Offset >= block.utf8.length) return block.original.length
    if (this.#kind === 'multi-byte') return this.#walk(block, utf8Offset)
    const unitBytes = this.#kind === 'utf-16' ? 2 : this.#kind === 'utf-32' ? 4 : 1
    let units = 0
    for (let i = 0; i < utf8Offset; i++) {
      const byte = block.utf8[i] as number
      // Continuation bytes begin no character; those of four bytes are two units of UTF-16.
      if ((byte & 0xc0) !== 0x80) units += this.#kind === 'utf-16' && byte >= 0xf0 && byte < 0xf8 ? 2 : 1
    }
    return Math.min(units * unitBytes, block.original.length)
  }

  restored(pieces: readonly Uint8Array[]): readonly Uint8Array[] {
    return pieces
  }

  #block(original: Uint8Array): Block {
    return { original, utf8: encode(this.#text(original)) }
  }

  #text(bytes: Uint8Array): string {
    if (this.#kind === 'utf-16') {
      // Buffer keeps lone surrogates as they are, which is just the mark wanted; an odd byte is left over.
      const units = Buffer.from(bytes.subarray(0, bytes.length & ~1))
      const text = (this.#name === 'utf-16be' ? units.swap16() : units).toString('utf16le')
      return bytes.length % 2 === 0 ? text : text + wrongMark
    }
    return this.#decode(bytes, true).replaceAll('\ufffd', wrongMark)
  }

  /** Where bytes can be cut without cutting a character. */
  #cut(bytes: Uint8Array): number {
    switch (this.#kind) {
      case 'single-byte':
        return bytes.length
      case 'utf-16': {
        const end = bytes.length & ~1
        const high = bytes[this.#name === 'utf-16le' ? end - 1 : end - 2] ?? 0
        return high >= 0xd8 && high < 0xdc ? end - 2 : end
      }
      case 'utf-32':
        return bytes.length & ~3
      case 'multi-byte':
        return lastCut(bytes)
    }
  }

  /** Feeds the bytes one by one until so much text has come out. */
  #walk({ original }: Block, utf8Offset: number): number {
    const decode = createDecoder(this.#name, 'replace')
    let length = 0
    /** Where the bytes begin that have given no text yet. */
    let from = 0
    for (let i = 0; i < original.length; i++) {
      const text = decode(original.subarray(i, i + 1), false).replaceAll('\ufffd', wrongMark)
      if (text === '') continue
      // A wrong byte may come out together with the one that showed it to be wrong, which stands for itself.
      if (utf8Offset === length) return from
      length += encode(text).length
      if (utf8Offset < length) return i
      from = i + 1
    }
    return from
  }
}

/**
 * No multi-byte encoding uses line-end bytes inside a character, and all but ISO-2022-JP, which is back in ASCII at each
 * line end, use none below 0x30. So a block ends with a line, or, in an endless one, after such a byte.
 */
function lastCut(bytes: Uint8Array): number {
  const lineEnd = Math.max(bytes.lastIndexOf(0x0a), bytes.lastIndexOf(0x0d))
  if (lineEnd >= 0 || bytes.length < lineBytesMax) return lineEnd + 1
  for (let i = bytes.length - 1; i >= 0; i--) if ((bytes[i] as number) < 0x30) return i + 1
  return bytes.length
}

/** As UTF-8, with the byte 0xFF for each mark. */
function encode(text: string): Uint8Array {
  if (text.isWellFormed()) return Buffer.from(text, 'utf8')
  const wrong = Buffer.of(0xff)
  return Buffer.concat(
    text.split(/\p{Surrogate}/u).flatMap((part, i) => (i === 0 ? [] : [wrong]).concat(Buffer.from(part))),
  )
}
