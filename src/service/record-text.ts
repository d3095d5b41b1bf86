// Record text: shows bytes of a record as text without ever putting a replacement character in their place.
import { open } from 'node:fs/promises'
import type { RecordText, Reject, RejectPreview } from '../core/receipt.ts'

/** The rejects with at most `textBytesMax` bytes of their records, read from the original. */
export async function readTexts(
  originalPath: string,
  rejects: readonly Reject[],
  textBytesMax: number,
): Promise<RejectPreview[]> {
  if (rejects.length === 0) return []
  await using original = await open(originalPath, 'r')
  const previews: RejectPreview[] = []
  for (const reject of rejects) {
    const bytes = Buffer.alloc(Math.min(reject.byteLength, textBytesMax))
    const { bytesRead } = await original.read(bytes, 0, bytes.length, reject.byteOffset)
    previews.push({ ...reject, ...recordText(bytes.subarray(0, bytesRead), reject.byteLength > bytes.length) })
  }
  return previews
}

/** A record's text; its bytes in base64 where they are not valid UTF-8. `isCut` when they are only its beginning. */
export function recordText(bytes: Uint8Array, isCut: boolean): RecordText {
  const cut = isCut ? { cut: true as const } : {}
  const whole = isCut ? bytes.subarray(0, wholeCharacters(bytes)) : bytes
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(whole), ...cut }
  } catch {
    return { text: null, base64: Buffer.from(bytes).toString('base64'), ...cut }
  }
}

/** Bytes up to the last character that is surely whole: a cut may fall inside one, which has at most 4 bytes. */
function wholeCharacters(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(4, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number
    if (byte < 0x80) return bytes.length - back + 1
    if (byte >= 0xc0) {
      const wanted = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
      return back >= wanted ? bytes.length : bytes.length - back
    }
  }
  return bytes.length
}
