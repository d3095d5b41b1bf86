// Readable headers: the values of header records whose bytes are not all valid, so that no name holds a replacement character.
import { type Note, note } from '../../core/notes.ts'
import type { Encoding } from '../../core/receipt.ts'
import { decodeHeader } from '../encoding/decode-header.ts'
import { linesOf } from '../notes/line-numbers.ts'
import { recordCount, recordValues, type Tokens, tokenize } from '../sniffer/tokenize.ts'

type Values = readonly string[]

export interface HeaderBytes {
  readonly tokens: Tokens
  /** Of the file up to the first data record. */
  readonly bytes: Uint8Array
  readonly encoding: Encoding
  /** What was done with the text of the head after it was decoded. */
  readonly normalized: (text: string) => string
}

/** @param headers Values of the header records, in which U+FFFD stands for bytes that are not valid. */
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
    // Names may have been put beside row names, or taken from a record with another delimiter.
    const start = record
    while (record < recordCount(tokens) && !isEndOf(values, recordValues(tokens, record))) record += 1
    if (record === recordCount(tokens)) record = start
    const found = recordValues(again, record)
    const beside = values.slice(0, values.length - found.length)
    const isFound = isEndOf(values, recordValues(tokens, record)) && found.length <= values.length
    const better = isFound ? [...beside, ...found] : values.map((value) => value.replaceAll('\ufffd', '?'))
    if (!isAlike(better, values)) changed.push(record)
    record += 1
    return better
  })
  if (changed.length === 0) return { headers, notes: [] }
  const lines = linesOf(tokens, changed)
  const how = invalidReadAs === null ? 'they became question marks' : `they are read as ${invalidReadAs}`
  const message = `The header has bytes that are not valid in ${encoding.name} (${lines.text}): ${how}; please check the names.`
  return { headers: readable, notes: [note('HEADER_BYTES_INVALID', message, lines)] }
}

/** True when values end with all of a record's, of which there are nearly as many. */
function isEndOf(values: Values, record: Values): boolean {
  const missing = values.length - record.length
  return (missing === 0 || missing === 1) && isAlike(values.slice(missing), record)
}

function isAlike(one: Values, other: Values): boolean {
  return one.length === other.length && one.every((value, i) => value === other[i])
}
