// Parquet format: the numbers and structures of github.com/apache/parquet-format that we use. Knows no values.
import { ThriftWriter } from './thrift-writer.ts'

export const magic = Uint8Array.of(0x50, 0x41, 0x52, 0x31)

export const physicalTypes = {
  boolean: 0,
  int32: 1,
  int64: 2,
  double: 5,
  byteArray: 6,
  fixedLengthByteArray: 7,
} as const
export const encodings = { plain: 0, rle: 3, deltaBinaryPacked: 5, rleDictionary: 8 } as const
const codecs = { uncompressed: 0, snappy: 1 } as const
const pageTypes = { dictionary: 2, dataV2: 3 } as const
const convertedTypes = { utf8: 0, decimal: 5, date: 6, timeMicros: 8, timestampMicros: 10, int64: 18 } as const

/** The logical type of a column, in addition to how its values are stored. */
export type LogicalType =
  | { readonly kind: 'text' | 'integer' | 'date' | 'time' | 'none' }
  | { readonly kind: 'decimal'; readonly precision: number; readonly scale: number }
  | { readonly kind: 'timestamp'; readonly isUtc: boolean }

export interface ParquetColumn {
  readonly name: string
  readonly physicalType: number
  /** Bytes of each value of a fixedLengthByteArray. */
  readonly valueBytes?: number
  readonly logicalType: LogicalType
}

/** A column of a row group, as stored in the file. */
export interface ColumnChunk {
  readonly encoding: number
  readonly isCompressed: boolean
  /** Null if there is none. */
  readonly dictionaryOffset: number | null
  readonly dataOffset: number
  /** Size of all pages with their headers. */
  readonly bytes: number
  readonly plainBytes: number
  readonly nulls: number
  /** As Parquet stores them. Null if there are no values, or no short bounds. */
  readonly bounds: {
    readonly least: Uint8Array
    readonly greatest: Uint8Array
    readonly isLeastExact: boolean
    readonly isGreatestExact: boolean
  } | null
}

export interface RowGroup {
  readonly records: number
  readonly chunks: readonly ColumnChunk[]
}

export interface DataPage {
  readonly records: number
  readonly nulls: number
  readonly encoding: number
  readonly isCompressed: boolean
  readonly levelBytes: number
  /** Without levels and header. */
  readonly bodyBytes: number
  readonly plainBytes: number
}

export function dataPageHeader(page: DataPage): Uint8Array {
  return new ThriftWriter()
    .i32(1, pageTypes.dataV2)
    .i32(2, page.levelBytes + page.plainBytes)
    .i32(3, page.levelBytes + page.bodyBytes)
    .struct(8, (header) =>
      header
        .i32(1, page.records)
        .i32(2, page.nulls)
        .i32(3, page.records)
        .i32(4, page.encoding)
        .i32(5, page.levelBytes)
        .i32(6, 0)
        .bool(7, page.isCompressed),
    )
    .end()
}

export function dictionaryPageHeader(bytes: number, entries: number): Uint8Array {
  return new ThriftWriter()
    .i32(1, pageTypes.dictionary)
    .i32(2, bytes)
    .i32(3, bytes)
    .struct(7, (header) => header.i32(1, entries).i32(2, encodings.plain))
    .end()
}

/** Everything after the last page, including the magic bytes. */
export function fileFooter(columns: readonly ParquetColumn[], rowGroups: readonly RowGroup[]): Uint8Array {
  const records = rowGroups.reduce((sum, group) => sum + group.records, 0)
  const metadata = new ThriftWriter().i32(1, 2)
  metadata.structs(2, [null, ...columns], (writer, column) => {
    if (column === null) writer.i32(3, 0).text(4, 'schema').i32(5, columns.length)
    else writeSchemaColumn(writer, column)
  })
  metadata.i64(3, records)
  metadata.structs(4, rowGroups, (writer, group) => writeRowGroup(writer, group, columns))
  metadata.text(6, 'csv-upload-service')
  // States that the bounds of all columns are in the order of their type.
  metadata.structs(7, columns, (writer) => writer.struct(1, () => {}))
  const bytes = metadata.end()
  const footer = new Uint8Array(bytes.length + 8)
  footer.set(bytes)
  new DataView(footer.buffer).setUint32(bytes.length, bytes.length, true)
  footer.set(magic, bytes.length + 4)
  return footer
}

function writeSchemaColumn(writer: ThriftWriter, { name, physicalType, valueBytes, logicalType }: ParquetColumn): void {
  writer.i32(1, physicalType)
  if (valueBytes !== undefined) writer.i32(2, valueBytes)
  // Optional: a field may lack a value.
  writer.i32(3, 1).text(4, name)
  switch (logicalType.kind) {
    case 'text':
      writer.i32(6, convertedTypes.utf8)
      break
    case 'integer':
      writer.i32(6, convertedTypes.int64)
      break
    case 'date':
      writer.i32(6, convertedTypes.date)
      break
    case 'time':
      writer.i32(6, convertedTypes.timeMicros).struct(10, (type) => type.struct(7, (time) => writeMicros(time, false)))
      break
    case 'timestamp': {
      const { isUtc } = logicalType
      writer.i32(6, convertedTypes.timestampMicros).struct(10, (type) => type.struct(8, (of) => writeMicros(of, isUtc)))
      break
    }
    case 'decimal': {
      const { scale, precision } = logicalType
      writer.i32(6, convertedTypes.decimal).i32(7, scale).i32(8, precision)
      writer.struct(10, (type) => type.struct(5, (decimal) => decimal.i32(1, scale).i32(2, precision)))
    }
  }
}

function writeMicros(type: ThriftWriter, isUtc: boolean): void {
  type.bool(1, isUtc).struct(2, (unit) => unit.struct(2, () => {}))
}

function writeRowGroup(writer: ThriftWriter, group: RowGroup, columns: readonly ParquetColumn[]): void {
  const sum = (of: (chunk: ColumnChunk) => number) => group.chunks.reduce((total, chunk) => total + of(chunk), 0)
  writer.structs(1, group.chunks, (chunkWriter, chunk, i) => {
    // A row group has a chunk for each column.
    const column = columns[i] as ParquetColumn
    chunkWriter.i64(2, 0).struct(3, (metadata) => writeChunk(metadata, chunk, column, group.records))
  })
  const [plainBytes, bytes] = [sum((chunk) => chunk.plainBytes), sum((chunk) => chunk.bytes)]
  writer.i64(2, plainBytes).i64(3, group.records).i64(6, bytes)
}

function writeChunk(writer: ThriftWriter, chunk: ColumnChunk, column: ParquetColumn, records: number): void {
  const used = chunk.dictionaryOffset === null ? [chunk.encoding] : [chunk.encoding, encodings.plain]
  writer
    .i32(1, column.physicalType)
    .i32s(2, [...used, encodings.rle])
    .texts(3, [column.name])
    .i32(4, chunk.isCompressed ? codecs.snappy : codecs.uncompressed)
    .i64(5, records)
    .i64(6, chunk.plainBytes)
    .i64(7, chunk.bytes)
    .i64(9, chunk.dataOffset)
  if (chunk.dictionaryOffset !== null) writer.i64(11, chunk.dictionaryOffset)
  writer.struct(12, (statistics) => {
    statistics.i64(3, chunk.nulls)
    if (chunk.bounds === null) return
    const { least, greatest, isLeastExact, isGreatestExact } = chunk.bounds
    statistics.binary(5, greatest).binary(6, least).bool(7, isGreatestExact).bool(8, isLeastExact)
  })
}
