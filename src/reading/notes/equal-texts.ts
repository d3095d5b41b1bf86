// Equal texts: different texts of one number in a column, with their lines. Knows nothing of column types.
import { decodeHead } from '../encoding/detect-encoding.ts'
import type { Reading } from '../reading.ts'
import { linesOf } from '../sniffer/line-numbers.ts'
import { type Layout, recordCount, type Tokens, tokenize } from '../sniffer/tokenize.ts'
import { equalNumbers } from '../types/equal-numbers.ts'

/** @param data Data records that are no comment and not blank, in order. @param linesBefore Those before the text. */
export function equalTexts(
  tokens: Tokens,
  width: number,
  data: readonly number[],
  linesBefore = 0,
): Reading['equalNumbers'] {
  return equalNumbers(tokens, width, data).map((pair) => {
    if (pair === null) return null
    return { texts: pair.texts, lines: linesOf(tokens, pair.records).lines.map((line) => line + linesBefore) }
  })
}

/** @param records Bytes from the first data record on, each line of which is a data record. */
export function equalTextsIn(
  records: Uint8Array,
  { encoding, dialect, width, before }: Reading,
): Reading['equalNumbers'] {
  const tokens = tokenize(decodeHead(records, encoding), layoutOf(dialect), true)
  const data = Array.from({ length: recordCount(tokens) }, (_, record) => record)
  return equalTexts(tokens, width, data, before.lines)
}

function layoutOf(dialect: Reading['dialect']): Layout {
  const { delimiter, quoteChar, doubleQuote, escapeChar, skipInitialSpace, lineTerminator, declared } = dialect
  return {
    delimiter: delimiter.charCodeAt(0),
    quote: quoteChar === null ? 'none' : quoteChar.charCodeAt(0),
    escape: escapeChar !== null ? escapeChar.charCodeAt(0) : doubleQuote ? 'doubled' : 'nothing',
    ...(declared?.includes('escapeChar') && { isEscapeDeclared: true, doublesToo: doubleQuote }),
    skipInitialSpace,
    lineEnd: lineTerminator === '\r' ? 'cr' : 'lf',
  }
}
