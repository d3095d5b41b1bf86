// Decoder: bytes of any encoding read here to text, piece by piece. Knows nothing of which encoding a file has.

/**
 * Takes the next bytes and gives the text they end; with `isLast` also what is left.
 * A byte order mark is left out. Throws a TypeError on a wrong byte when strict, else gives U+FFFD for it.
 */
export type Decoder = (bytes: Uint8Array, isLast: boolean) => string

/** Code page 850 from 0x80 on: DOS and the consoles of old Windows. Its letters are those of 437 too. */
const page850 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0'

/**
 * Makes a decoder for a WHATWG encoding, or `utf-32le`, `utf-32be` or `ibm850`, which the platform does not know.
 *
 * @throws {RangeError} when there is no such encoding.
 */
export function createDecoder(name: string, onWrongByte: 'strict' | 'replace'): Decoder {
  if (name === 'ibm850') return (bytes) => Array.from(bytes, ibm850).join('')
  if (name === 'utf-32le' || name === 'utf-32be') return createUtf32Decoder(name === 'utf-32le', onWrongByte)
  const decoder = new TextDecoder(name, { fatal: onWrongByte === 'strict' })
  return (bytes, isLast) => decoder.decode(bytes, { stream: !isLast })
}

/** The name under which createDecoder knows a label, such as `windows-1252` for `latin1`; null when it does not. */
export function encodingName(label: string): string | null {
  const name = label.trim().toLowerCase()
  if (name === 'utf-32le' || name === 'utf-32be' || name === 'ibm850') return name
  if (name === 'cp850') return 'ibm850'
  try {
    return new TextDecoder(name).encoding
  } catch {
    return null
  }
}

function ibm850(byte: number): string {
  return byte < 0x80 ? String.fromCharCode(byte) : (page850[byte - 0x80] ?? '\ufffd')
}

function createUtf32Decoder(isLittle: boolean, onWrongByte: 'strict' | 'replace'): Decoder {
  let left = new Uint8Array(0)
  let isFirst = true
  return (bytes, isLast) => {
    const all = left.length === 0 ? bytes : Buffer.concat([left, bytes])
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
