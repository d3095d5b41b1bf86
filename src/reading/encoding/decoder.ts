// Decoder: decodes bytes to text, piece by piece, in every supported encoding. Does not know which encoding a file has.
import { concatBytes, utf16Text } from '../bytes/platform-bytes.ts'
import { codePage, codePageName } from './code-pages.ts'

/**
 * Takes the next bytes and returns the text that they complete; with `isLast` also the rest.
 * Drops a byte order mark unless it is to be kept. Throws a TypeError on an invalid byte if strict, else yields U+FFFD for it.
 */
export type Decoder = (bytes: Uint8Array, isLast: boolean) => string

/**
 * Makes a decoder for a WHATWG encoding, or for `utf-32le`, `utf-32be` or one of code-pages.ts, which the platform does not know.
 *
 * @param atStart Whether a leading byte order mark is one, or a character as in the middle of a file.
 * @throws {RangeError} if there is no such encoding.
 */
export function createDecoder(
  name: string,
  onWrongByte: 'strict' | 'replace',
  atStart: 'mark' | 'character' = 'mark',
): Decoder {
  const page = codePage(name)
  if (page !== undefined) return createPageDecoder(page)
  if (name === 'utf-32le' || name === 'utf-32be') return createUtf32Decoder(name === 'utf-32le', onWrongByte, atStart)
  const decoder = new TextDecoder(name, { fatal: onWrongByte === 'strict', ignoreBOM: atStart === 'character' })
  return (bytes, isLast) => decoder.decode(bytes, { stream: !isLast })
}

/** Numbers of Windows code pages for encodings with other WHATWG labels. */
const numbered: Readonly<Record<string, string>> = {
  cp932: 'shift_jis',
  cp936: 'gbk',
  cp949: 'euc-kr',
  cp950: 'big5',
  cp65001: 'utf-8',
}

/**
 * The name of an encoding for a label, such as `windows-1252` for `latin1`; null for an unknown label. Labels of programs
 * may have other hyphens: `utf16`, `latin-1`, `UTF_8_SIG`.
 */
export function encodingName(label: string): string | null {
  const written = label.trim().toLowerCase()
  const plain = written.replaceAll('_', '-').replace(/^(utf-?8)-?(?:sig|bom)$/, '$1')
  const compact = plain.replaceAll('-', '')
  const spaced = compact.replace(/^(utf|iso|windows|cp|ibm)-?(?=\d)/, '$1-').replace(/^(iso-8859)(?=\d)/, '$1-')
  for (const one of [written, plain, compact, spaced, numbered[compact] ?? '']) {
    const name = knownName(one)
    if (name !== null) return name
  }
  return null
}

function knownName(label: string): string | null {
  // Little-endian where neither the label nor a byte order mark says it, as the web has it for UTF-16.
  const name = label === 'utf-32' ? 'utf-32le' : label
  if (name === 'utf-32le' || name === 'utf-32be') return name
  const page = codePageName(name)
  if (page !== null) return page
  try {
    return new TextDecoder(name).encoding
  } catch {
    return null
  }
}

function createPageDecoder(page: string): Decoder {
  const codes = Uint16Array.from(page, (character) => character.charCodeAt(0))
  return (bytes) => {
    const units = new Uint16Array(bytes.length)
    for (let at = 0; at < bytes.length; at += 1) units[at] = codes[bytes[at] ?? 0] ?? 0
    return utf16Text(new Uint8Array(units.buffer))
  }
}

function createUtf32Decoder(
  isLittle: boolean,
  onWrongByte: 'strict' | 'replace',
  atStart: 'mark' | 'character',
): Decoder {
  let left = new Uint8Array(0)
  let isFirst = atStart === 'mark'
  return (bytes, isLast) => {
    const all = left.length === 0 ? bytes : concatBytes([left, bytes])
    const view = new DataView(all.buffer, all.byteOffset, all.byteLength)
    const end = all.length & ~3
    const characters: string[] = []
    for (let at = 0; at < end; at += 4) {
      const point = view.getUint32(at, isLittle)
      const isMark = isFirst && point === 0xfeff
      isFirst = false
      if (!isMark) characters.push(character(point, onWrongByte))
    }
    left = Uint8Array.from(all.subarray(end))
    if (isLast && left.length > 0) characters.push(character(-1, onWrongByte))
    return characters.join('')
  }
}

function character(point: number, onWrongByte: 'strict' | 'replace'): string {
  const isWrong = point < 0 || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)
  if (isWrong && onWrongByte === 'strict') throw new TypeError('The encoded data was not valid for encoding utf-32')
  return isWrong ? '\ufffd' : String.fromCodePoint(point)
}
