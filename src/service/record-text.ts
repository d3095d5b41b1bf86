// Record text: shows bytes of a record as text without ever putting a replacement character in their place.
import { open } from 'node:fs/promises'
import type { RecordText, Reject, RejectPreview } from '../core/receipt.ts'
import { createDecoder } from '../reading/decoder.ts'

/** The rejects with at most `textBytesMax` bytes of their records, read from the original. */
export async function readTexts(
  originalPath: string,
  encoding: string,
  rejects: readonly Reject[],
  textBytesMax: number,
): Promise<RejectPreview[]> {
  if (rejects.length === 0) return []
  await using original = await open(originalPath, 'r')
  const previews: RejectPreview[] = []
  for (const reject of rejects) {
    const bytes = Buffer.alloc(Math.min(reject.byteLength, textBytesMax))
    const { bytesRead } = await original.read(bytes, 0, bytes.length, reject.byteOffset)
    previews.push({
      ...reject,
      ...recordText(bytes.subarray(0, bytesRead), encoding, reject.byteLength > bytes.length),
    })
  }
  return previews
}

/** A record's text; its bytes in base64 where they are not valid. `isCut` when they are only its beginning. */
export function recordText(bytes: Uint8Array, encoding: string, isCut: boolean): RecordText {
  const cut = isCut ? { cut: true as const } : {}
  const text = decoded(bytes, encoding, isCut)
  return text === null ? { text, base64: Buffer.from(bytes).toString('base64'), ...cut } : { text, ...cut }
}

/** Null when the bytes are wrong; of a beginning, half a character at its end is left out. */
function decoded(bytes: Uint8Array, encoding: string, isCut: boolean): string | null {
  try {
    return createDecoder(encoding, 'strict')(bytes, !isCut)
  } catch {
    return null
  }
}
