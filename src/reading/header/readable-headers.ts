// Readable headers: decodes header records with invalid bytes, so that no name contains a replacement character.
import { type Note, note } from '../../core/notes.ts'
import type { Encoding } from '../../core/receipt.ts'
import { decodeHeader } from '../encoding/decode-header.ts'
import { linesOf } from '../sniffer/line-numbers.ts'
import { recordCount, recordValues, type Tokens, tokenize } from '../sniffer/tokenize.ts'
import { isSame } from './header-lines.ts'

type Values = readonly string[]

export interface HeaderBytes {
  readonly tokens: Tokens
  /** Bytes of the file up to the first data record. */
  readonly bytes: Uint8Array
  readonly encoding: Encoding
  /** Changes made to the text of the head after decoding. */
  readonly normalized: (text: string) => string
}

/** @param headers Values of the header records, with U+FFFD for invalid bytes. */
export function readableHeaders(
  headers: readonly Values[],
  header: HeaderBytes,
): { headers: readonly Values[]; notes: Note[] } {
  if (!headers.some((values) => values.some((value) => value.includes('\ufffd')))) return { headers, notes: [] }
  const { tokens, bytes, encoding, normalized } = header
  const { text, invalidReadAs } = decodeHeader(bytes, encoding.name)
  const again = tokenize(normalized(text.replace(/^\ufeff/, '')), tokens.layout, false)
  const changed: number[] = []
  let record = 0
  const readable = headers.map((values) => {
    // A name may have been added for row names, or the names may come from a record with another delimiter.
    const start = record
    while (record < recordCount(tokens) && !isEndOf(values, recordValues(tokens, record))) record += 1
    if (record === recordCount(tokens)) record = start
    const found = recordValues(again, record)
    const beside = values.slice(0, values.length - found.length)
    const isFound = isEndOf(values, recordValues(tokens, record)) && found.length <= values.length
    const better = isFound ? [...beside, ...found] : values.map((value) => value.replaceAll('\ufffd', '?'))
    if (!isSame(better, values)) changed.push(record)
    record += 1
    return better
  })
  if (changed.length === 0) return { headers, notes: [] }
  const lines = linesOf(tokens, changed)
  const how = invalidReadAs === null ? 'they became question marks' : `they are read as ${invalidReadAs}`
  const message = `The header has bytes that are not valid in ${encoding.name} (${lines.text}): ${how}; please check the names.`
  return { headers: readable, notes: [note('HEADER_BYTES_INVALID', message, lines)] }
}

/** True if `values` are the last values of a record, and nearly all of them. */
function isEndOf(values: Values, record: Values): boolean {
  const missing = values.length - record.length
  return (missing === 0 || missing === 1) && isSame(values.slice(missing), record)
}
