// Join parts: the row groups of several parts as one Parquet file. Knows no values.
import { isDeepStrictEqual } from 'node:util'
import {
  type ColumnChunk,
  fileFooter,
  type LogicalType,
  magic,
  type ParquetColumn,
  type RowGroup,
} from '../parquet/parquet-format.ts'
import { ThriftReader, type ThriftStruct } from '../parquet/thrift-reader.ts'
import { list, number, rowGroupsOf, tailBytes } from './older-part.ts'

export { footerLength } from './older-part.ts'

// A byte order mark may be part of a name.
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** Bytes of a joined file: its own, or a range of a part. */
export type JoinedSpan =
  | { readonly bytes: Uint8Array }
  | { readonly part: number; readonly start: number; readonly end: number }

/** Several parts as one Parquet file: all their pages, and a footer over their row groups. */
export interface JoinedParts {
  /** Size of the file. */
  readonly bytes: number
  readonly footer: Uint8Array
  /** What bytes start … end-1 of the file consist of, in order. */
  spansOf(range: { readonly start: number; readonly end: number }): readonly JoinedSpan[]
}

/**
 * @param parts At least one, in order, all with the same columns; `bytes` is the size of each.
 * @throws {RangeError} if a footer is not one that `fileFooter` writes, or has other columns.
 */
export function joinParts(parts: readonly { readonly bytes: number; readonly footer: Uint8Array }[]): JoinedParts {
  const known = parts.map(({ footer }) => knownFooter(footer))
  const columns = known[0]?.columns ?? []
  const groups: RowGroup[] = []
  const spans: JoinedSpan[] = [{ bytes: magic }]
  let length = magic.length
  for (const [part, { bytes, footer }] of parts.entries()) {
    const one = known[part]
    if (!one || !isDeepStrictEqual(one.columns, columns)) throw new RangeError(`Cannot join part ${part} to the first`)
    const span = { part, start: magic.length, end: bytes - footer.length }
    for (const group of one.rowGroups) groups.push(movedGroup(group, length - span.start))
    spans.push(span)
    length += span.end - span.start
  }
  const footer = fileFooter(columns, groups)
  spans.push({ bytes: footer })
  return { bytes: length + footer.length, footer, spansOf: ({ start, end }) => cutSpans(spans, start, end) }
}

function cutSpans(spans: readonly JoinedSpan[], start: number, end: number): readonly JoinedSpan[] {
  let at = 0
  return spans.flatMap((span): readonly JoinedSpan[] => {
    const length = 'part' in span ? span.end - span.start : span.bytes.length
    const [from, to] = [Math.max(0, start - at), Math.min(length, end - at)]
    at += length
    if (from >= to) return []
    if ('part' in span) return [{ part: span.part, start: span.start + from, end: span.start + to }]
    return [{ bytes: span.bytes.subarray(from, to) }]
  })
}

function movedGroup({ records, chunks }: RowGroup, by: number): RowGroup {
  const moved = (chunk: ColumnChunk) => ({
    ...chunk,
    dictionaryOffset: chunk.dictionaryOffset === null ? null : chunk.dictionaryOffset + by,
    dataOffset: chunk.dataOffset + by,
  })
  return { records, chunks: chunks.map(moved) }
}

function knownFooter(footer: Uint8Array) {
  try {
    const metadata = new ThriftReader(footer.subarray(0, -tailBytes)).struct()
    const [, ...elements] = list(metadata, 2)
    const [columns, rowGroups] = [elements.map(columnOf), rowGroupsOf(metadata)]
    return Buffer.compare(fileFooter(columns, rowGroups), footer) === 0 ? { columns, rowGroups } : null
  } catch (error) {
    // It says something else.
    if (error instanceof RangeError || error instanceof TypeError) return null
    throw error
  }
}

function columnOf(element: ThriftStruct): ParquetColumn {
  const [name, valueBytes] = [element.get(4), element.get(2)]
  return {
    name: name instanceof Uint8Array ? utf8.decode(name) : '',
    physicalType: number(element, 1),
    ...(typeof valueBytes === 'number' && { valueBytes }),
    logicalType: logicalTypeOf(element),
  }
}

/** Derived from the number of the converted type; the comparison of footers detects whatever that leaves out. */
function logicalTypeOf(element: ThriftStruct): LogicalType {
  switch (element.get(6)) {
    case 0:
      return { kind: 'text' }
    case 5:
      return { kind: 'decimal', precision: number(element, 8), scale: number(element, 7) }
    case 6:
      return { kind: 'date' }
    case 8:
      return { kind: 'time' }
    case 10:
      return { kind: 'timestamp', isUtc: isUtc(element) }
    case 18:
      return { kind: 'integer' }
    default:
      return { kind: 'none' }
  }
}

function isUtc(element: ThriftStruct): boolean {
  const logical = element.get(10)
  const timestamp = logical instanceof Map ? logical.get(8) : undefined
  return timestamp instanceof Map && timestamp.get(1) === true
}
