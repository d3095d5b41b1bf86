// Byte range: the part of a file that a request asks for. RFC 9110 section 14, one range at a time.
import type { ByteRange } from '../../service/service.ts'

/**
 * Reads a `Range` header for a file of that many bytes.
 *
 * @returns null if the whole file is to be sent: no header, another unit, several ranges (which a server may ignore,
 * and which have been abused to multiply its work), or an invalid range.
 */
export function readRange(header: string | undefined, bytes: number): ByteRange | 'unsatisfiable' | null {
  const match = /^bytes=[ \t]*(\d*)-(\d*)$/i.exec(header?.trim() ?? '')
  if (match === null) return null
  const [, first = '', last = ''] = match
  if (first === '' && last === '') return null
  if (first === '') {
    const suffixBytes = Number(last)
    return suffixBytes === 0 || bytes === 0 ? 'unsatisfiable' : { start: Math.max(0, bytes - suffixBytes), end: bytes }
  }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return null
  if (start >= bytes) return 'unsatisfiable'
  return { start, end: last === '' ? bytes : Math.min(Number(last) + 1, bytes) }
}
