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

export type DecompressBudget = ReturnType<typeof createSpending>

/** Counts decompressed bytes, and stops a file that exceeds its limits. */
export function createSpending({ textBytesMax, ratioMax }: DecompressLimits, source: ByteSource) {
  let textBytes = 0
  let members = 0
  return {
    textBytes: () => textBytes,
    /** @throws {ServiceError} DECOMPRESSED_TOO_LARGE, COMPRESSED_TOO_MUCH */
    addText(bytes: number): void {
      textBytes += bytes
      if (textBytes > textBytesMax) throw new ServiceError('DECOMPRESSED_TOO_LARGE', { limitBytes: textBytesMax })
      if (textBytes > ratioFreeBytes && textBytes > ratioMax * source.given) {
        throw new ServiceError('COMPRESSED_TOO_MUCH', { limit: ratioMax })
      }
    },
    /** Counts one more member or frame. @throws {DamagedData} if there are too many for the amount of text */
    addMember(): void {
      members += 1
      if (members > freeMembers + textBytes / textBytesPerMember) {
        throw new DamagedData('it has too many parts for so little text')
      }
    },
  }
}
