// Limits: what a compressed file may cost. Knows no format.
import { ServiceError } from '../core/errors.ts'
import type { ByteSource } from './byte-source.ts'

export interface DecompressLimits {
  /** Bytes of the text. */
  readonly textBytesMax: number
  /** Bytes of text for each byte of the file. */
  readonly ratioMax: number
}

/** Compressed data that cannot be valid. The message completes a sentence about the file. */
export class DamagedData extends Error {
  override readonly name = 'DamagedData'

  constructor(problem: string, cause?: unknown) {
    super(problem, { cause })
  }
}

/** Size to which any file may decompress, whatever its ratio: a table of zeros is not an attack. Bytes. */
const ratioFreeBytes = 16 * 1024 * 1024
/**
 * Beginning a member or frame takes 150 to 300 µs (2 cores, Node 24), so a file of nothing else would keep a processor
 * busy for hours. Tools that write many (bgzip, pzstd) make one for at least 64 KB of text.
 */
const textBytesPerMember = 16_384
const freeMembers = 1_000

/** Counts decompressed bytes, and stops a file that exceeds its limits. */
export class Spending {
  readonly #limits: DecompressLimits
  readonly #source: ByteSource
  #textBytes = 0
  #members = 0

  constructor(limits: DecompressLimits, source: ByteSource) {
    this.#limits = limits
    this.#source = source
  }

  get textBytes(): number {
    return this.#textBytes
  }

  /** @throws {ServiceError} DECOMPRESSED_TOO_LARGE, COMPRESSED_TOO_MUCH */
  addText(bytes: number): void {
    const { textBytesMax, ratioMax } = this.#limits
    this.#textBytes += bytes
    if (this.#textBytes > textBytesMax) throw new ServiceError('DECOMPRESSED_TOO_LARGE', { limitBytes: textBytesMax })
    if (this.#textBytes > ratioFreeBytes && this.#textBytes > ratioMax * this.#source.given) {
      throw new ServiceError('COMPRESSED_TOO_MUCH', { limit: ratioMax })
    }
  }

  /** Counts one more member or frame. @throws {DamagedData} if there are too many for the amount of text */
  addMember(): void {
    this.#members += 1
    if (this.#members > freeMembers + this.#textBytes / textBytesPerMember) {
      throw new DamagedData('it has too many parts for so little text')
    }
  }
}
