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
