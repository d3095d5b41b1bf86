// Single byte: encodings with one byte per character, as tables and as UTF-8.
import { concatBytes, utf8Bytes } from '../bytes/platform-bytes.ts'
import { WasmInstance } from '../wasm/wasm-instance.ts'
import { createDecoder } from './decoder.ts'

/** How bytes of a file correspond to characters. */
export type Kind = 'single-byte' | 'utf-16' | 'utf-32' | 'multi-byte'

const kinds: Readonly<Record<string, Kind>> = {
  'utf-8': 'multi-byte',
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

export function kindOf(encoding: string): Kind {
  return kinds[encoding] ?? 'single-byte'
}

/**
 * For each byte value its UTF-8: the bytes, the first one lowest, and in the highest eight bits their number. A byte
 * that stands for no character has 0xFF, which does not occur in UTF-8.
 */
export type Utf8OfBytes = Uint32Array

/** Most bytes of a character: none is beyond U+FFFF. */
const utf8BytesMax = 3
/** Bytes converted at once, in memory that is reused. */
const stepBytes = 65_536
/** In the memory of an instance that is not scanning: the table, then the bytes, then their UTF-8. */
const tableAt = 65_536
const bytesAt = 73_728
const utf8At = bytesAt + stepBytes + 64

const tables = new Map<string, Utf8OfBytes>()

/** Null if a character may have several bytes. */
export function utf8OfBytes(encoding: string): Utf8OfBytes | null {
  if (kindOf(encoding) !== 'single-byte') return null
  const known = tables.get(encoding)
  if (known !== undefined) return known
  const decode = createDecoder(encoding, 'replace')
  const table = Uint32Array.from({ length: 256 }, (_, byte) => {
    const character = decode(Uint8Array.of(byte), true)
    const bytes = character === '\ufffd' ? [0xff] : [...utf8Bytes(character)]
    return bytes.reduceRight((packed, one) => (packed << 8) | one, 0) | (bytes.length << 24)
  })
  tables.set(encoding, table)
  return table
}

/** The UTF-8 of bytes, in its own memory. */
export function toUtf8(bytes: Uint8Array, table: Utf8OfBytes): Uint8Array {
  const isAscii = table.subarray(0, 0x80).every((utf8, byte) => utf8 === (byte | (1 << 24)))
  const memory = WasmInstance.take()
  memory.growTo(utf8At + utf8BytesMax * stepBytes + 64)
  memory.words.set(table, tableAt / 4)
  const pieces: Uint8Array[] = []
  for (let from = 0; from < bytes.length; from += stepBytes) {
    const step = bytes.subarray(from, from + stepBytes)
    memory.bytes.set(step, bytesAt)
    const end = memory.exports.toUtf8(tableAt, bytesAt, bytesAt + step.length, utf8At, isAscii ? 1 : 0)
    pieces.push(memory.bytes.slice(utf8At, end))
  }
  memory.give()
  const [only = new Uint8Array(0)] = pieces
  return pieces.length > 1 ? concatBytes(pieces) : only
}
