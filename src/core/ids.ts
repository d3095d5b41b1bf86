// Ids: names that are unique without a central authority. Imports nothing.

/**
 * Makes a UUID version 7 (RFC 9562, 5.7): 48 bits of time, then 74 random bits, so that names sort by time to the
 * millisecond and two generators do not collide.
 *
 * @param epochMs 0 to 2^48 - 1.
 * @param random At least 10 bytes; from the system's generator by default.
 */
export function uuidV7(epochMs: number, random: Uint8Array = crypto.getRandomValues(new Uint8Array(10))): string {
  const time = epochMs.toString(16).padStart(12, '0')
  const hex = Array.from(random.subarray(0, 10), (byte) => byte.toString(16).padStart(2, '0')).join('')
  // The variant takes the two top bits of its digit, leaving two random ones: 8, 9, a or b.
  const variant = (0x8 | ((random[2]! >> 4) & 0x3)).toString(16)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex.slice(0, 3)}-${variant}${hex.slice(5, 8)}-${hex.slice(8, 20)}`
}
