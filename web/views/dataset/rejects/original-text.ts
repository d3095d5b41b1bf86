// Original text: a rejected record as text, whatever its bytes are. Knows no element.
import type { RejectPreview } from '../../../../src/core/receipt.ts'

/** Bytes that are not text become U+FFFD, so that they can be seen and replaced; null if this is only a beginning. */
export function originalText({ text, base64, cut }: RejectPreview, encoding: string): string | null {
  if (cut === true) return null
  if (text !== null) return text
  const bytes = Uint8Array.from(atob(base64 ?? ''), (character) => character.charCodeAt(0))
  return decoderOf(encoding).decode(bytes)
}

/** The service knows some encodings that browsers do not. */
function decoderOf(encoding: string): TextDecoder {
  try {
    return new TextDecoder(encoding, { ignoreBOM: true })
  } catch {
    return new TextDecoder('windows-1252')
  }
}
