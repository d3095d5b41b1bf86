// Decode header: the text of header lines with bytes that are invalid in the file's encoding. Knows no names and no layouts.
import { isUtf8 } from '../bytes/platform-bytes.ts'
import { createDecoder } from './decoder.ts'
import { detectLegacy } from './detect-legacy.ts'
import { kindOf } from './single-byte.ts'

export interface DecodedHeader {
  readonly text: string
  /** The encoding as which the invalid bytes were read; null if they became question marks. */
  readonly invalidReadAs: string | null
}

const utf8Decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const utf8 = (bytes: Uint8Array) => utf8Decoder.decode(bytes)

const usualLegacy = 'windows-1252'

/**
 * A name has to be text, so invalid bytes are read in another likely encoding, and never become U+FFFD. Records with such
 * bytes are rejects; a header cannot be one.
 */
export function decodeHeader(bytes: Uint8Array, encoding: string): DecodedHeader {
  if (encoding === 'utf-8') return decodeMixedUtf8(bytes)
  const decode = createDecoder(encoding, 'replace')
  if (kindOf(encoding) !== 'single-byte')
    return { text: decode(bytes, true).replaceAll('\ufffd', '?'), invalidReadAs: null }
  const text = Array.from(bytes, (byte) => {
    const character = decode(Uint8Array.of(byte), true)
    return character === '\ufffd' ? String.fromCharCode(byte) : character
  })
  return { text: text.join(''), invalidReadAs: 'iso-8859-1' }
}

/** A header without any valid UTF-8 beyond ASCII is entirely in another encoding; otherwise only single bytes are. */
function decodeMixedUtf8(bytes: Uint8Array): DecodedHeader {
  const characters: string[] = []
  const legacy = createDecoder(usualLegacy, 'replace')
  let hasUtf8 = false
  for (let at = 0; at < bytes.length; ) {
    const length = characterLength(bytes, at)
    const character = bytes.subarray(at, at + Math.max(length, 1))
    characters.push(length === 0 ? legacy(character, true) : utf8(character))
    hasUtf8 ||= length > 1
    at += Math.max(length, 1)
  }
  const whole = hasUtf8 ? null : detectLegacy(bytes)
  if (whole === null || whole === usualLegacy) return { text: characters.join(''), invalidReadAs: usualLegacy }
  return { text: createDecoder(whole, 'replace')(bytes, true), invalidReadAs: whole }
}

/** Length of the UTF-8 character that begins at `at`; 0 if none does. */
function characterLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] ?? 0
  const length = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 0
  return length > 0 && at + length <= bytes.length && isUtf8(bytes.subarray(at, at + length)) ? length : 0
}
