// Segment form: the format in which accepted records are passed to the column writer. Knows no files.
import type { SegmentLayout } from '../../columns/converter.ts'
import { type CsvRewriter, createCsvRewriter } from '../../csv/csv-rewriter.ts'
import { utf8OfBytes } from '../../reading/encoding/single-byte.ts'
import type { Reading } from '../../reading/reading.ts'

/**
 * The format of segments: that of the file, unless the delimiter is not ASCII or quotes are escaped with another
 * character: the column writer knows neither, so such records are passed to it with commas and doubled quotes.
 */
export function segmentForm({ dialect, width }: Pick<Reading, 'dialect' | 'width'>): {
  layout: SegmentLayout
  rewrite: CsvRewriter | null
} {
  const { delimiter, quoteChar, escapeChar } = dialect
  const lineTerminator = segmentLineEnd(dialect)
  if (escapeChar !== null || delimiter > '\x7f') {
    const end = lineTerminator === '\r' ? '\r\n' : lineTerminator
    const layout = { width, delimiter: ',', quote: '"', lineTerminator: end }
    return { layout, rewrite: createCsvRewriter(dialect) }
  }
  const layout = { width, delimiter: delimiter.charAt(0), quote: quoteChar, lineTerminator }
  return { layout, rewrite: null }
}

/** The same, with the UTF-8 for the file's own bytes if segments are ranges of the file. */
export function placedForm(reading: Reading) {
  return { ...segmentForm(reading), utf8OfBytes: utf8OfBytes(reading.encoding.name) }
}

/** Unusual line ends have become CR LF. */
function segmentLineEnd({ lineTerminator }: Reading['dialect']): SegmentLayout['lineTerminator'] {
  return lineTerminator === '\n' || lineTerminator === '\r' ? lineTerminator : '\r\n'
}

/** Splits strict text after the first record for which `isLast` returns true; null if there is none. */
export function splitAfter(
  pieces: readonly Uint8Array[],
  { quote, lineTerminator }: SegmentLayout,
  isLast: (records: number, bytes: number) => boolean,
) {
  const [quoteByte, endByte] = [quote?.charCodeAt(0), lineTerminator === '\r' ? 13 : 10]
  let [records, bytes, characters, isQuoted] = [0, 0, 0, false]
  for (const [i, piece] of pieces.entries()) {
    // No closure may use `at`: V8 would allocate memory for each byte.
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at]!
      bytes++
      if ((byte & 0xc0) !== 0x80) characters++
      if (byte === quoteByte) isQuoted = !isQuoted
      if (byte !== endByte || isQuoted || !isLast(++records, bytes)) continue
      const before = [...pieces.slice(0, i), piece.subarray(0, at + 1)]
      return { before, after: [piece.subarray(at + 1), ...pieces.slice(i + 1)], records, bytes, characters }
    }
  }
  return null
}
