// Encode column: turns the values of one column of a row group into the body of a Parquet page. Knows no headers and no footer.
import { BOOLEANS, LONG_DECIMALS, NUMBERS } from './column-kinds'
import { dictionaryBytes, entryCount } from './known-texts'
import { DICTIONARY, encoded, packed, texts, values } from './memory'
import { copiedEnd, valueCount } from './read-column'
import { writeDeltas, writeRuns } from './parquet/bit-packing'
import { compress } from './parquet/snappy'
import { compressEnds } from './parquet/snappy-ends'
import {
  booleanStatistics, doubleStatistics, integerStatistics, longStatistics, noStatistics, reverse, textStatistics,
} from './parquet/statistics'

// The encodings, numbered as in Parquet.
export const PLAIN: u32 = 0
export const DELTA_BINARY_PACKED: u32 = 5
export const RLE_DICTIONARY: u32 = 8

/** Where the body is, and whether it is compressed. */
export let bodyAt: usize = 0
export let bodyBytes: u32 = 0
export let plainBytes: u32 = 0
export let isCompressed: bool = false
export let encoding: u32 = PLAIN
/** Bytes of the dictionary and its entries; 0 if there is none. */
export let pageDictionaryBytes: u32 = 0
export let pageEntryCount: u32 = 0

/**
 * How a column is written. It keeps the choices for its first row group in a part, except a dictionary that it
 * outgrows.
 */
const UNDECIDED: u32 = 0
export const NUMBERED: u32 = 1
const UNCOMPRESSED: u32 = 2
const COMPRESSED: u32 = 3
const COMPRESSED_ENDS: u32 = 4
let mayUseEnds: bool = true
export let columnForm: u32 = UNDECIDED

/**
 * The number of bytes on which the gain of compression is tested. Examining every byte takes 1.5 to 2.5 ns per byte, at
 * the ends of texts 0.4, writing and hashing a byte 1.1: so the first must save a quarter, the second an eighth.
 */
const sampleBytes: usize = 32768

/** Without values, the page is empty. */
function begin(): void {
  noStatistics()
  pageDictionaryBytes = 0
  pageEntryCount = 0
  encoding = PLAIN
  setBody(encoded, encoded)
}

/**
 * `before` is the form of the previous row group in the part, 0 for the first; `columnForm` returns that of this one.
 */
export function encodeValues(kind: u32, physicalBytes: u32, before: u32): void {
  const count = valueCount
  begin()
  columnForm = before
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

/** Whether texts may be compressed by their ends alone, which takes less time but a little more space. */
export function setTextEnds(areUsed: bool): void {
  mayUseEnds = areUsed
}

/** Encodes numbered texts; the numbers are at `packed`. */
export function encodeNumbers(): void {
  begin()
  columnForm = NUMBERED
  textStatistics(DICTIONARY, DICTIONARY + dictionaryBytes)
  encoding = RLE_DICTIONARY
  pageDictionaryBytes = dictionaryBytes
  pageEntryCount = entryCount
  const bits = max(1, 32 - clz(entryCount - 1))
  store<u8>(encoded, bits)
  setBody(encoded, writeRuns(packed, valueCount, bits, encoded + 1))
}

/**
 * Like `encodeValues`. In DELTA_LENGTH_BYTE_ARRAY, Spark 3.5.0 to 3.5.6 returns other texts from the 4,097th record of
 * a row group on (SPARK-52240), so texts are PLAIN.
 */
export function encodeTexts(before: u32): void {
  begin()
  columnForm = before
  if (valueCount == 0) return
  textStatistics(texts, copiedEnd)
  setBody(texts, copiedEnd)
  if (plainBytes < 64) return
  if (before <= NUMBERED) columnForm = formOfTexts()
  if (columnForm == COMPRESSED) setCompressed(compress(bodyAt, plainBytes, packed))
  else if (columnForm == COMPRESSED_ENDS) setCompressed(compressEnds(bodyAt, plainBytes, packed))
}

/** Decided by how much a sample shrinks: by the ends alone it may shrink less, since that takes a third of the time. */
function formOfTexts(): u32 {
  let bytes: usize = 0
  while (bytes < sampleBytes && bytes < plainBytes) bytes += 4 + load<u32>(texts + bytes)
  const whole = compress(texts, bytes, packed) - packed
  if (mayUseEnds) {
    const ends = compressEnds(texts, bytes, packed) - packed
    if (ends <= bytes - (bytes >> 3) && ends <= whole + (whole >> 1)) return COMPRESSED_ENDS
  }
  return whole <= bytes - (bytes >> 2) ? COMPRESSED : UNCOMPRESSED
}

function setBody(from: usize, end: usize): void {
  bodyAt = from
  plainBytes = (end - from) as u32
  bodyBytes = plainBytes
  isCompressed = false
}

/** Compresses the body if a sample from `sampleAt` on has shown a gain. */
function compressBody(sampleAt: usize): void {
  if (plainBytes < 64) return
  if (columnForm == UNDECIDED) {
    const sample = min(bodyAt + plainBytes - sampleAt, sampleBytes)
    const pays = compress(sampleAt, sample, packed) - packed <= sample - (sample >> 2)
    columnForm = pays ? COMPRESSED : UNCOMPRESSED
  }
  if (columnForm == COMPRESSED) setCompressed(compress(bodyAt, plainBytes, packed))
}

/** Uses the compressed body unless it has become longer. */
function setCompressed(packedEnd: usize): void {
  if (packedEnd - packed >= plainBytes) return
  bodyAt = packed
  bodyBytes = (packedEnd - packed) as u32
  isCompressed = true
}
