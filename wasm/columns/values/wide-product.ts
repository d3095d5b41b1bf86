// Wide product: multiplies 64 by 64 bits, in two halves. Knows no formats.

/** The upper half of the last product of `multiply`, which returns the lower half. */
export let upper: u64 = 0

export function multiply(a: u64, b: u64): u64 {
  const aLow = a & 0xffffffff
  const aHigh = a >> 32
  const bLow = b & 0xffffffff
  const bHigh = b >> 32
  const low = aLow * bLow
  const middle = aHigh * bLow + (low >> 32)
  const other = aLow * bHigh + (middle & 0xffffffff)
  upper = aHigh * bHigh + (middle >> 32) + (other >> 32)
  return (other << 32) | (low & 0xffffffff)
}
