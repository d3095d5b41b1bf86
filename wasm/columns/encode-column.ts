// Encode column: makes the values of one column of a row group the body of a Parquet page. Knows no headers and no footer.
import { dictionaryBytes, dictionaryStatistics, entryCount, numberTexts } from './parquet/dictionary'
import { BOOLEANS, LONG_DECIMALS, NUMBERS } from './column-kinds'
import { encoded, packed, values } from './memory'
import { copiedEnd, firstText, valueCount } from './read-column'
import { writeDeltas, writeRuns } from './parquet/bit-packing'
import { compress } from './parquet/snappy'
import {
  booleanStatistics, doubleStatistics, integerStatistics, longStatistics, noStatistics, reverse, textStatistics,
} from './parquet/statistics'

// The encodings, numbered as in Parquet.
export const PLAIN: u32 = 0
export const DELTA_BINARY_PACKED: u32 = 5
export const DELTA_LENGTH_BYTE_ARRAY: u32 = 6
export const RLE_DICTIONARY: u32 = 8

/** Where the body lies, and whether it is compressed. */
export let bodyAt: usize = 0
export let bodyBytes: u32 = 0
export let plainBytes: u32 = 0
export let isCompressed: bool = false
export let encoding: u32 = PLAIN
/** Bytes of the dictionary and its entries; 0 where there is none. */
export let pageDictionaryBytes: u32 = 0
export let pageEntryCount: u32 = 0

/** Compressed is what of a sample of so many bytes loses at least an eighth: less is not worth the time of reading. */
const sampleBytes: usize = 32768

/** Without values, the page is empty. */
function begin(): void {
  noStatistics()
  pageDictionaryBytes = 0
  pageEntryCount = 0
  encoding = PLAIN
  setBody(encoded, encoded)
}

export function encodeValues(kind: u32, physicalBytes: u32): void {
  const count = valueCount
  begin()
  if (count == 0) return
  if (kind == NUMBERS) {
    doubleStatistics(values, count)
    setBody(values, values + ((count as usize) << 3))
    compressBody(values)
  } else if (kind == LONG_DECIMALS) {
    longStatistics(values, count)
    for (let at: usize = 0; at < (count as usize) << 4; at += 16) reverse(values + at, encoded + at)
    setBody(encoded, encoded + ((count as usize) << 4))
    compressBody(encoded)
  } else if (kind == BOOLEANS) {
    booleanStatistics(values, count)
    setBody(encoded, packBits(values, count, encoded))
  } else {
    integerStatistics(values, count, physicalBytes)
    encoding = DELTA_BINARY_PACKED
    setBody(encoded, writeDeltas(values, count, encoded))
  }
}

function packBits(from: usize, count: u32, out: usize): usize {
  let byte: u32 = 0
  for (let i: u32 = 0; i < count; i++) {
    byte |= (load<u8>(from + i) as u32) << (i & 7)
    if ((i & 7) != 7) continue
    store<u8>(out++, byte)
    byte = 0
  }
  if ((count & 7) != 0) store<u8>(out++, byte)
  return out
}

export function encodeTexts(records: u32, mayHaveDictionary: bool): void {
  const count = valueCount
  const from = firstText(records)
  begin()
  if (count == 0) return
  const isNumbered = mayHaveDictionary && numberTexts(from, values, count, packed)
  if (isNumbered && (dictionaryBytes as usize) < copiedEnd - from) {
    dictionaryStatistics()
    encoding = RLE_DICTIONARY
    pageDictionaryBytes = dictionaryBytes
    pageEntryCount = entryCount
    const bits = max(1, 32 - clz(entryCount - 1))
    store<u8>(encoded, bits)
    setBody(encoded, writeRuns(packed, count, bits, encoded + 1))
    return
  }
  textStatistics(from, values, count)
  encoding = DELTA_LENGTH_BYTE_ARRAY
  // The lengths come right before the texts, so that both are the body without a copy of the texts.
  const lengthsEnd = writeDeltas(values, count, encoded)
  const lengthsBytes = lengthsEnd - encoded
  memory.copy(from - lengthsBytes, encoded, lengthsBytes)
  setBody(from - lengthsBytes, copiedEnd)
  // Lengths are packed already, so it depends on how well the texts compress.
  compressBody(from)
}

function setBody(from: usize, end: usize): void {
  bodyAt = from
  plainBytes = (end - from) as u32
  bodyBytes = plainBytes
  isCompressed = false
}

/** Compresses the body where a sample from `sampleAt` on says that it pays. */
function compressBody(sampleAt: usize): void {
  if (plainBytes < 64) return
  const end = bodyAt + plainBytes
  const sample = min(end - sampleAt, sampleBytes)
  let packedEnd = compress(sampleAt, sample, packed)
  if (packedEnd - packed > sample - (sample >> 3)) return
  if (sample < plainBytes) packedEnd = compress(bodyAt, plainBytes, packed)
  if (packedEnd - packed >= plainBytes) return
  bodyAt = packed
  bodyBytes = (packedEnd - packed) as u32
  isCompressed = true
}
