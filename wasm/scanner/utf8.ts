// UTF-8: whether bytes are well-formed, in blocks (fast, without the position) and one by one (with the position).
// The blocks follow Keiser and Lemire, "Validating UTF-8 In Less Than One Instruction Per Byte" (2020), algorithm "lookup".

const TOO_SHORT: i8 = 1 // 11______ 0_______ or 11______ 11______
const TOO_LONG: i8 = 2 // 0_______ 10______
const OVERLONG_3: i8 = 4 // 11100000 100_____
const TOO_LARGE: i8 = 8 // 11110100 101_____ and above
const SURROGATE: i8 = 16 // 11101101 101_____
const OVERLONG_2: i8 = 32 // 1100000_ 10______
const TOO_LARGE_1000: i8 = 64 // 11110101 1000____ and above
const OVERLONG_4: i8 = 64 // 11110000 1000____
const TWO_CONTINUATIONS: i8 = -128 // 10______ 10______
const CARRY: i8 = TOO_SHORT | TOO_LONG | TWO_CONTINUATIONS

/** The last 16 bytes seen: all zero before a record. */
let previous: v128 = i8x16.splat(0)

@inline
export function beginUtf8(): void {
  previous = i8x16.splat(0)
}

/** Passes 64 bytes that are all ASCII; true if the bytes before them ended inside a character. */
@inline
export function asciiBreaksUtf8(last: v128): bool {
  // The last three bytes begin a character that needs 2, 3, 4 bytes at least from 0xC0, 0xE0, 0xF0.
  const cut = i8x16.sub_sat_u(previous, i8x16(-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -17, -33, -65))
  previous = last
  return v128.any_true(cut)
}

/** Checks the next 64 bytes; true if they are invalid after those before. A character cut at the end is no error. */
export function breaksUtf8(a: v128, b: v128, c: v128, d: v128): bool {
  const errors = v128.or(
    v128.or(errorsIn(previous, a), errorsIn(a, b)),
    v128.or(errorsIn(b, c), errorsIn(c, d)),
  )
  previous = d
  return v128.any_true(errors)
}

@inline
function errorsIn(before: v128, bytes: v128): v128 {
  const back1 = v128.shuffle<u8>(before, bytes, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30)
  const back2 = v128.shuffle<u8>(before, bytes, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29)
  const back3 = v128.shuffle<u8>(before, bytes, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28)
  const nibble = i8x16.splat(15)
  const byFirstHigh = i8x16.swizzle(
    i8x16(
      TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG,
      TWO_CONTINUATIONS, TWO_CONTINUATIONS, TWO_CONTINUATIONS, TWO_CONTINUATIONS,
      TOO_SHORT | OVERLONG_2,
      TOO_SHORT,
      TOO_SHORT | OVERLONG_3 | SURROGATE,
      TOO_SHORT | TOO_LARGE | TOO_LARGE_1000 | OVERLONG_4,
    ),
    i8x16.shr_u(back1, 4),
  )
  const byFirstLow = i8x16.swizzle(
    i8x16(
      CARRY | OVERLONG_3 | OVERLONG_2 | OVERLONG_4,
      CARRY | OVERLONG_2,
      CARRY, CARRY,
      CARRY | TOO_LARGE,
      CARRY | TOO_LARGE | TOO_LARGE_1000, CARRY | TOO_LARGE | TOO_LARGE_1000, CARRY | TOO_LARGE | TOO_LARGE_1000,
      CARRY | TOO_LARGE | TOO_LARGE_1000, CARRY | TOO_LARGE | TOO_LARGE_1000, CARRY | TOO_LARGE | TOO_LARGE_1000,
      CARRY | TOO_LARGE | TOO_LARGE_1000, CARRY | TOO_LARGE | TOO_LARGE_1000,
      CARRY | TOO_LARGE | TOO_LARGE_1000 | SURROGATE,
      CARRY | TOO_LARGE | TOO_LARGE_1000, CARRY | TOO_LARGE | TOO_LARGE_1000,
    ),
    v128.and(back1, nibble),
  )
  const bySecondHigh = i8x16.swizzle(
    i8x16(
      TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT,
      TOO_LONG | OVERLONG_2 | TWO_CONTINUATIONS | OVERLONG_3 | TOO_LARGE_1000 | OVERLONG_4,
      TOO_LONG | OVERLONG_2 | TWO_CONTINUATIONS | OVERLONG_3 | TOO_LARGE,
      TOO_LONG | OVERLONG_2 | TWO_CONTINUATIONS | SURROGATE | TOO_LARGE,
      TOO_LONG | OVERLONG_2 | TWO_CONTINUATIONS | SURROGATE | TOO_LARGE,
      TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT,
    ),
    i8x16.shr_u(bytes, 4),
  )
  const special = v128.and(v128.and(byFirstHigh, byFirstLow), bySecondHigh)
  // The second continuation after 0xE0 and above and the third after 0xF0 and above must be there, and nowhere else.
  const third = i8x16.sub_sat_u(back2, i8x16.splat(0x60)) // 0x80 and above only for 0xE0 …
  const fourth = i8x16.sub_sat_u(back3, i8x16.splat(0x70)) // 0x80 and above only for 0xF0 …
  const wanted = v128.and(v128.or(third, fourth), i8x16.splat(-128))
  return v128.xor(wanted, special)
}

/** First byte that is NUL or does not begin a well-formed character (RFC 3629, section 4), or `end`. */
export function firstBadByte(start: usize, end: usize): usize {
  const zeros = i8x16.splat(0)
  let at = start
  while (at < end) {
    const bytes = v128.load(at)
    const suspects = i8x16.bitmask(v128.or(bytes, i8x16.eq(bytes, zeros)))
    if (suspects == 0) {
      at += 16
      continue
    }
    at += ctz(suspects) as usize
    if (at >= end) break
    const byte = load<u8>(at) as u32
    if (byte == 0) return at
    const length = characterBytes(at, end, byte)
    if (length == 0) return at
    at += length
  }
  return end
}

/** Bytes of the well-formed character that begins with `byte`, 0x80 or above; 0 if there is none. */
function characterBytes(at: usize, end: usize, byte: u32): usize {
  if (byte < 0xc2 || byte > 0xf4) return 0
  const length: usize = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4
  if (end - at < length) return 0
  const second = load<u8>(at + 1) as u32
  const least: u32 = byte == 0xe0 ? 0xa0 : byte == 0xf0 ? 0x90 : 0x80
  const most: u32 = byte == 0xed ? 0x9f : byte == 0xf4 ? 0x8f : 0xbf
  if (second < least || second > most) return 0
  for (let i: usize = 2; i < length; i++) {
    if ((load<u8>(at + i) & 0xc0) != 0x80) return 0
  }
  return length
}
