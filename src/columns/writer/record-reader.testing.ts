// Record reader: reads records byte by byte, by the definition alone, to compare with what the module finds. For tests only.
import type { SegmentLayout } from '../converter.ts'

/**
 * The fields of all records, null if one is empty and not quoted; null if the bytes are not records in the layout. Text
 * is read byte for byte.
 */
export function readRecords(text: string, layout: SegmentLayout): readonly (readonly (string | null)[])[] | null {
  const { delimiter, quote, lineTerminator, width } = layout
  const lineEnd = lineTerminator === '\r' ? '\r' : '\n'
  const whole = text === '' || text.endsWith(lineEnd) ? text : text + lineEnd
  const records: (string | null)[][] = []
  let record: (string | null)[] = []
  for (let at = 0; at < whole.length; ) {
    const isQuoted = quote !== null && whole[at] === quote
    const field = isQuoted ? quotedField(whole, at, quote) : bareField(whole, at, [delimiter, lineEnd])
    if (field === null) return null
    let { value } = field
    at = field.end
    if (lineEnd === '\n' && whole.startsWith('\r\n', at)) at++
    const ending = whole[at++]
    if (ending !== delimiter && ending !== lineEnd) return null
    if (!isQuoted && lineEnd === '\n' && ending === lineEnd && value?.endsWith('\r')) value = value.slice(0, -1)
    if (!isQuoted && quote !== null && value?.includes(quote)) return null
    record.push(value === '' && !isQuoted ? null : value)
    if (ending === delimiter) continue
    if (record.length !== width || (width === 1 && record[0] === null)) return null
    records.push(record)
    record = []
  }
  return record.length === 0 ? records : null
}

interface Field {
  readonly value: string | null
  readonly end: number
}

function bareField(text: string, from: number, ends: readonly string[]): Field {
  let end = from
  while (end < text.length && !ends.includes(text[end]!)) end++
  return { value: text.slice(from, end), end }
}

function quotedField(text: string, from: number, quote: string): Field | null {
  let value = ''
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] !== quote) value += text[at]
    else if (text[at + 1] === quote) {
      value += quote
      at++
    } else return { value, end: at + 1 }
  }
  return null
}
