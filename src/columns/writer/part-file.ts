// Part file: the pages of a Parquet file in the order in which they are written, with their offsets. Knows no texts.

import type { ColumnsMemory } from '../memory/columns-memory.ts'
import type { StoredType } from '../parquet/column-kind.ts'
import {
  type ColumnChunk,
  dataPageHeader,
  dictionaryPageHeader,
  fileFooter,
  magic,
  type ParquetColumn,
  type RowGroup,
} from '../parquet/parquet-format.ts'

/** A column of a part. */
export type PartColumn = StoredType & { readonly name: string }

/** Where the pages of a chunk begin. */
export function firstOffset({ dictionaryOffset, dataOffset }: ColumnChunk): number {
  return dictionaryOffset ?? dataOffset
}

export class PartFile {
  readonly #memory: ColumnsMemory
  readonly #sink: (bytes: Uint8Array) => void
  #bytes = 0
  #isHeld = false
  /** What has been written since `hold`, and its length. */
  #held = new Uint8Array(0)
  #heldBytes = 0

  constructor(memory: ColumnsMemory, sink: (bytes: Uint8Array) => void) {
    this.#memory = memory
    this.#sink = sink
    this.#write(magic)
  }

  /** Writes the column that the module has encoded. */
  writeChunk(records: number): ColumnChunk {
    const { exports } = this.#memory
    const [nulls, encoding, entries] = [exports.nullCount.value, exports.encoding.value, exports.pageEntryCount.value]
    const [bodyAt, bodyBytes] = [exports.bodyAt.value, exports.bodyBytes.value]
    const [plainBytes, dictionaryBytes] = [exports.plainBytes.value, exports.pageDictionaryBytes.value]
    const isCompressed = exports.isCompressed.value === 1
    const start = this.#bytes
    if (entries > 0) {
      this.#write(dictionaryPageHeader(dictionaryBytes, entries))
      this.#write(this.#memory.dictionary(dictionaryBytes))
    }
    const dataOffset = this.#bytes
    const levels = this.#levels(records, nulls)
    this.#write(
      dataPageHeader({ records, nulls, encoding, isCompressed, levelBytes: levels.length, bodyBytes, plainBytes }),
    )
    this.#write(levels)
    this.#write(this.#memory.bytes.subarray(bodyAt, bodyAt + bodyBytes))
    const bytes = this.#bytes - start
    const bounds = {
      least: this.#memory.least(exports.leastBytes.value),
      greatest: this.#memory.greatest(exports.greatestBytes.value),
      isLeastExact: exports.isLeastExact.value === 1,
      isGreatestExact: exports.isGreatestExact.value === 1,
    }
    return {
      encoding,
      isCompressed,
      dictionaryOffset: entries > 0 ? start : null,
      dataOffset,
      bytes,
      plainBytes: bytes + plainBytes - bodyBytes,
      nulls,
      bounds: exports.hasStatistics.value === 1 ? bounds : null,
    }
  }

  /** Writes the pages of a chunk from another part; `pages` contains all of it. */
  copyChunk(chunk: ColumnChunk, pages: Uint8Array): ColumnChunk {
    const moved = this.#bytes - firstOffset(chunk)
    this.#write(pages)
    const { dictionaryOffset, dataOffset } = chunk
    return {
      ...chunk,
      dictionaryOffset: dictionaryOffset === null ? null : dictionaryOffset + moved,
      dataOffset: dataOffset + moved,
    }
  }

  /**
   * Names the columns of the file, of which each row group has a chunk. Returns the number of bytes of the whole file.
   */
  end(columns: readonly PartColumn[], rowGroups: readonly RowGroup[]): number {
    this.#write(fileFooter(columns.map(parquetColumn), rowGroups))
    return this.#bytes
  }

  /** A bit for each record, in one run: of equal bits, or of groups of eight as they are. */
  #levels(records: number, nulls: number): Uint8Array {
    if (nulls === 0 || nulls === records) return Uint8Array.of(...varint(records * 2), nulls === 0 ? 1 : 0)
    const groups = Math.ceil(records / 8)
    const header = varint(groups * 2 + 1)
    const levels = new Uint8Array(header.length + groups)
    levels.set(header)
    const from = this.#memory.exports.levels.value
    levels.set(this.#memory.bytes.subarray(from, from + groups), header.length)
    return levels
  }

  /** From now on, what is written may be taken back. */
  hold(): void {
    this.#isHeld = true
    if (this.#held.length === 0) this.#held = new Uint8Array(heldBytesUsual)
  }

  /** Passes on what is held, or takes it back. */
  release(isKept: boolean): void {
    if (isKept) this.#sink(this.#held.subarray(0, this.#heldBytes))
    else this.#bytes -= this.#heldBytes
    this.#heldBytes = 0
    this.#isHeld = false
  }

  #write(bytes: Uint8Array): void {
    if (this.#isHeld) this.#keep(bytes)
    else this.#sink(bytes)
    this.#bytes += bytes.length
  }

  #keep(bytes: Uint8Array): void {
    const wanted = this.#heldBytes + bytes.length
    if (wanted > this.#held.length) {
      const roomy = new Uint8Array(2 * wanted)
      roomy.set(this.#held)
      this.#held = roomy
    }
    this.#held.set(bytes, this.#heldBytes)
    this.#heldBytes = wanted
  }
}

/** Most row groups take less. */
const heldBytesUsual = 1_048_576

function parquetColumn({ name, physicalType, valueBytes, logicalType }: PartColumn): ParquetColumn {
  const isFixed = logicalType.kind === 'decimal' && valueBytes === 16
  return { name, physicalType, logicalType, ...(isFixed && { valueBytes }) }
}

function varint(value: number): readonly number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)]
}
