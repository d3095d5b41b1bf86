// Second reader: reads CSV by the letter of a dialect, one character after another. Shares nothing with the product.

/** How a file is written. With `escapeChar`, it precedes a quote in quotes; otherwise quotes are doubled. */
export interface CsvForm {
  readonly delimiter: string
  readonly quote: string
  readonly escapeChar: string | null
}

export const rfc4180: CsvForm = { delimiter: ',', quote: '"', escapeChar: null }

/** Records of fields; null for a field that is empty and not quoted. A record ends with LF, CR LF or, alone, CR. */
export function readCsv(text: string, { delimiter, quote, escapeChar }: CsvForm): (string | null)[][] {
  const records: (string | null)[][] = []
  let record: (string | null)[] = []
  let at = 0
  while (at < text.length) {
    if (text[at] === quote) {
      let value = ''
      let from = ++at
      for (;;) {
        const char = text[at]
        if (char === undefined) throw new Error(`quote without end in record ${records.length + 1}`)
        if (escapeChar !== null && char === escapeChar && text[at + 1] === quote) {
          value += text.slice(from, at)
          from = at + 1
          at += 2
        } else if (char !== quote) at++
        else if (escapeChar === null && text[at + 1] === quote) {
          value += text.slice(from, at + 1)
          at += 2
          from = at
        } else break
      }
      record.push(value + text.slice(from, at++))
    } else {
      const from = at
      while (at < text.length && text[at] !== delimiter && text[at] !== '\n' && text[at] !== '\r') at++
      record.push(at === from ? null : text.slice(from, at))
    }
    if (text[at] === delimiter) {
      at++
      if (at < text.length) continue
      record.push(null)
    }
    if (text[at] === '\r') at++
    if (text[at] === '\n') at++
    records.push(record)
    record = []
  }
  return records
}
