// Two integers: operations on two 64-bit integers at once. Knows no columns.

/** The lesser integer of each lane. */
@inline
export function lesserOf(a: v128, b: v128): v128 {
  return v128.bitselect(b, a, i64x2.gt_s(a, b))
}

/** The greater integer of each lane. */
@inline
export function greaterOf(a: v128, b: v128): v128 {
  return v128.bitselect(a, b, i64x2.gt_s(a, b))
}
