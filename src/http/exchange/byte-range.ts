// Byte range: what part of a file a request wants. RFC 9110 section 14, one range at a time.
import type { ByteRange } from '../../service/service.ts'

/**
 * Reads a `Range` header for a file of that many bytes.
 *
 * @returns null when the whole file is to be sent: no header, another unit, several ranges (which a server may answer
 * whole, and which have been used to multiply work), or not understood.
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
