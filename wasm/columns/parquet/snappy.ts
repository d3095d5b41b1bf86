// Snappy: compresses bytes, see github.com/google/snappy/blob/main/format_description.txt. Knows no pages.
import { SNAPPY, SNAPPY_BYTES } from '../memory'
import { writeVarint } from './bit-packing'

/** Matches are searched for within blocks of this many bytes. */
const blockBytes: usize = 65536
/** In the last bytes of a block, no match is searched for. */
const tailBytes: usize = 15

/** Writes at most 32 + n + n/6 bytes; returns their end. Loads may reach 16 bytes past the end of the input. */
export function compress(from: usize, bytes: usize, out: usize): usize {
  out = writeVarint(out, bytes)
  const end = from + bytes
  while (from < end) {
    const count = min(end - from, blockBytes)
    out = compressBlock(from, count, out)
    from += count
  }
  return out
}

@inline
function slotOf(at: usize): usize {
  return SNAPPY + ((((load<u32>(at) * 0x1e35a7bd) >>> 18) as usize) << 1)
}

function compressBlock(base: usize, bytes: usize, out: usize): usize {
  memory.fill(SNAPPY, 0, SNAPPY_BYTES)
  const end = base + bytes
  if (bytes < tailBytes) return writeLiteral(base, bytes, out)
  const limit = end - tailBytes
  let unwritten = base
  let at = base + 1
  // While nothing matches, steps grow: by one byte for every 32 lookups.
  for (let skip: u32 = 32; at <= limit; ) {
    const slot = slotOf(at)
    const candidate = base + (load<u16>(slot) as usize)
    store<u16>(slot, (at - base) as u16)
    if (load<u32>(at) != load<u32>(candidate)) {
      at += skip >>> 5
      skip += skip >>> 5
      continue
    }
    out = writeLiteral(unwritten, at - unwritten, out)
    out = writeMatches(base, at, candidate, end, limit, out)
    at = matchesEnd
    unwritten = at
    at++
    skip = 32
  }
  return writeLiteral(unwritten, end - unwritten, out)
}

let matchesEnd: usize = 0

/** Writes matches that follow one another directly. */
@inline
function writeMatches(base: usize, at: usize, candidate: usize, end: usize, limit: usize, out: usize): usize {
  for (;;) {
    const length = matchBytes(at, candidate, end)
    out = writeCopy(at - candidate, length, out)
    at += length
    if (at >= limit) break
    store<u16>(slotOf(at - 1), (at - 1 - base) as u16)
    const slot = slotOf(at)
    candidate = base + (load<u16>(slot) as usize)
    store<u16>(slot, (at - base) as u16)
    if (load<u32>(at) != load<u32>(candidate)) break
  }
  matchesEnd = at
  return out
}

/** How many bytes are equal. The first four are known to be. */
@inline
function matchBytes(at: usize, candidate: usize, end: usize): usize {
  let length: usize = 4
  while (at + length + 8 <= end) {
    const different = load<u64>(at + length) ^ load<u64>(candidate + length)
    if (different != 0) return length + ((ctz(different) >> 3) as usize)
    length += 8
  }
  while (at + length < end && load<u8>(at + length) == load<u8>(candidate + length)) length++
  return length
}

/** Writes any number of bytes as literals. */
@inline
export function writeLiterals(from: usize, bytes: usize, out: usize): usize {
  if (bytes <= blockBytes) return writeLiteral(from, bytes, out)
  return writeLongLiterals(from, bytes, out)
}

function writeLongLiterals(from: usize, bytes: usize, out: usize): usize {
  for (let left = bytes; left > 0; ) {
    const count = min(left, blockBytes)
    out = writeLiteral(from, count, out)
    from += count
    left -= count
  }
  return out
}

@inline
function writeLiteral(from: usize, bytes: usize, out: usize): usize {
  if (bytes == 0) return out
  const count = bytes - 1
  if (count < 60) {
    store<u8>(out++, (count << 2) as u8)
    if (bytes <= 16) {
      v128.store(out, v128.load(from))
      return out + bytes
    }
  } else if (count < 256) {
    store<u8>(out, 240)
    store<u8>(out, count as u8, 1)
    out += 2
  } else {
    store<u8>(out, 244)
    store<u16>(out, count as u16, 1)
    out += 3
  }
  memory.copy(out, from, bytes)
  return out + bytes
}

@inline
export function writeCopy(offset: usize, bytes: usize, out: usize): usize {
  while (bytes >= 68) {
    out = writeLongCopy(offset, 64, out)
    bytes -= 64
  }
  if (bytes > 64) {
    out = writeLongCopy(offset, 60, out)
    bytes -= 60
  }
  if (bytes >= 12 || offset >= 2048) return writeLongCopy(offset, bytes, out)
  store<u8>(out, (1 | ((bytes - 4) << 2) | ((offset >> 8) << 5)) as u8)
  store<u8>(out, offset as u8, 1)
  return out + 2
}

@inline
function writeLongCopy(offset: usize, bytes: usize, out: usize): usize {
  store<u8>(out, (2 | ((bytes - 1) << 2)) as u8)
  store<u16>(out, offset as u16, 1)
  return out + 3
}
