// Wide digits: reads numbers of up to 16 digits at once, backward from their ends, at any length. Knows no columns.
import { DIGIT_LANES, LAST_LANES } from '../memory'

/** Call once, before anything else. */
export function fillLanes(): void {
  for (let lane: usize = 0; lane < 32; lane++) store<u8>(LAST_LANES + lane, lane < 16 ? 0 : 0xff)
  for (let row: i32 = 0; row < 64; row++) {
    // Digits before the point and before groups move up, over what is between. Lanes from outside become 0.
    const tail = row & 15
    for (let lane: i32 = 15; lane >= 0; lane--) {
      const before = 16 - max(tail, 1) - lane
      const from = before < 0 ? lane : lane - ((tail > 0) as i32) - (row >> 4) * (before / 3)
      store<u8>(DIGIT_LANES + (((row << 4) + lane) as usize), from as u8)
    }
  }
}

/** Removes a point and what follows it, `tail` bytes in all, from between digits; and group characters of so many bytes. */
@inline
export function onlyDigits(digits: v128, tail: usize, groupBytes: usize): v128 {
  return i8x16.swizzle(digits, v128.load(DIGIT_LANES + (groupBytes << 8) + (tail << 4)))
}

/** The values of the 16 bytes before `end` as digits, the last in the last lane. */
@inline
export function digitsBefore(end: usize): v128 {
  return i8x16.sub(v128.load(end - 16), i8x16.splat(48))
}

/** The last `count` lanes, 0 in all others; at most 16. */
@inline
export function lastLanes(digits: v128, count: usize): v128 {
  return v128.and(digits, v128.load(LAST_LANES + count))
}

@inline
export function areDigits(digits: v128): bool {
  return !v128.any_true(i8x16.sub_sat_u(digits, i8x16.splat(9)))
}

/** Combines two digits each: multiplied by 2561, they have their number in the upper byte. */
@inline
export function pairsOf(digits: v128): v128 {
  return i16x8.shr_u(i16x8.mul(digits, i16x8.splat(2561)), 8)
}

/** The number in 16 digits. */
@inline
export function numberOf(digits: v128): u64 {
  const fours = i32x4.dot_i16x8_s(pairsOf(digits), i16x8(100, 1, 100, 1, 100, 1, 100, 1))
  const narrow = i16x8.narrow_i32x4_s(fours, fours)
  const eights = i64x2.extract_lane(i32x4.dot_i16x8_s(narrow, i16x8(10000, 1, 10000, 1, 10000, 1, 10000, 1)), 0) as u64
  return (eights & 0xffffffff) * 100000000 + (eights >> 32)
}
