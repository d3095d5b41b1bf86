// Older part: where the columns of an earlier part are, so that another part can copy them.

import { type ColumnChunk, encodings, type RowGroup } from '../parquet/parquet-format.ts'
import { ThriftReader, type ThriftStruct, type ThriftValue } from '../parquet/thrift-reader.ts'
import type { OlderPart } from './column-writer.ts'

/** Follows the metadata: its length, and the magic bytes. */
export const tailBytes = 8

/** Length of the footer at the end of a part, including the magic bytes. */
export function footerLength(end: Uint8Array): number {
  return new DataView(end.buffer, end.byteOffset + end.length - tailBytes, 4).getUint32(0, true) + tailBytes
}

/**
 * Reads the footer that `fileFooter` has written.
 *
 * @throws {RangeError} if there is none.
 */
export function readRowGroups(part: OlderPart): readonly RowGroup[] {
  const length = footerLength(part.read(part.bytes - tailBytes, tailBytes))
  return rowGroupsOf(new ThriftReader(part.read(part.bytes - length, length - tailBytes)).struct())
}

/** The same for a footer that has been read. @throws {RangeError} */
export function rowGroupsOf(footer: ThriftStruct): readonly RowGroup[] {
  return list(footer, 4).map((group) => ({ records: number(group, 3), chunks: list(group, 1).map(chunkOf) }))
}

function chunkOf(chunk: ThriftStruct): ColumnChunk {
  const metadata = struct(chunk, 3)
  const statistics = struct(metadata, 12)
  const [greatest, least] = [statistics.get(5), statistics.get(6)]
  const hasBounds = greatest instanceof Uint8Array && least instanceof Uint8Array
  const dictionaryOffset = metadata.get(11)
  return {
    encoding: encodingOf(metadata),
    isCompressed: number(metadata, 4) !== 0,
    dictionaryOffset: typeof dictionaryOffset === 'number' ? dictionaryOffset : null,
    dataOffset: number(metadata, 9),
    bytes: number(metadata, 7),
    plainBytes: number(metadata, 6),
    nulls: number(statistics, 3),
    bounds: hasBounds
      ? {
          least,
          greatest,
          isLeastExact: statistics.get(8) === true,
          isGreatestExact: statistics.get(7) === true,
        }
      : null,
  }
}

/** The encoding of the values, which is the first in the list. */
function encodingOf(metadata: ThriftStruct): number {
  const used = metadata.get(2)
  const [first] = Array.isArray(used) ? (used as readonly ThriftValue[]) : []
  return typeof first === 'number' ? first : encodings.plain
}

export function number(from: ThriftStruct, id: number): number {
  const value = from.get(id)
  if (typeof value !== 'number') throw new RangeError(`Cannot read metadata: no number in field ${id}`)
  return value
}

function struct(from: ThriftStruct, id: number): ThriftStruct {
  const value = from.get(id)
  if (!(value instanceof Map)) throw new RangeError(`Cannot read metadata: no structure in field ${id}`)
  return value
}

export function list(from: ThriftStruct, id: number): readonly ThriftStruct[] {
  const value = from.get(id)
  if (!Array.isArray(value)) throw new RangeError(`Cannot read metadata: no list in field ${id}`)
  return (value as readonly ThriftValue[]).filter((item) => item instanceof Map)
}
