// Two integers: what is done to two of 64 bits at once. Knows no columns.

/** Of each lane the lesser one. */
@inline
export function lesserOf(a: v128, b: v128): v128 {
  return v128.bitselect(b, a, i64x2.gt_s(a, b))
}

/** Of each lane the greater one. */
@inline
export function greaterOf(a: v128, b: v128): v128 {
  return v128.bitselect(a, b, i64x2.gt_s(a, b))
}
