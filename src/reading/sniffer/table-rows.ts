// Table rows: which records of a text are remarks and which belong to the table. Knows nothing of headers.
import { isCommentLike } from './score-layout.ts'
import { fits, isBlank, recordCount, type Tokens } from './tokenize.ts'

const hash = 0x23

/** `#` if records that begin with it do not fit the table and so are remarks. A header that begins with it does fit. */
export function commentOf(tokens: Tokens, width: number): '#' | null {
  const { delimiter, quote, escape: mark } = tokens.layout
  if ([delimiter, quote, mark].includes(hash)) return null
  let remarks = 0
  let values = 0
  for (let record = 0; record < recordCount(tokens); record += 1) {
    if (!isCommentLike(tokens, record)) continue
    const isRemark =
      width === 1 ? tokens.text[(tokens.recordStarts[record] ?? 0) + 1] === ' ' : !fits(tokens, record, width)
    if (isRemark) remarks += 1
    else values += 1
  }
  return remarks > 0 && values <= 1 ? '#' : null
}

/**
 * Records that are neither blank nor a comment. A comment that fits the table right above its first record is its header.
 *
 * @param keepsWide Whether other comments that fit it are records, too.
 */
export function rowsOf(tokens: Tokens, width: number, commentChar: string | null, keepsWide: boolean): number[] {
  const rows: number[] = []
  let named = -1
  for (let record = 0; record < recordCount(tokens); record += 1) {
    if (isBlank(tokens, record)) continue
    const isWide = keepsWide && width > 1 && fits(tokens, record, width)
    const isComment = tokens.text[tokens.recordStarts[record] ?? 0] === commentChar && !isWide
    if (!isComment) {
      if (rows.length === 0 && named >= 0) rows.push(named)
      rows.push(record)
    } else if (rows.length === 0 && width > 1) named = fits(tokens, record, width) ? record : -1
  }
  return rows
}
