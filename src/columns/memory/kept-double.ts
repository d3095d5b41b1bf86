// Kept double: whether a double represents a decimal text exactly, for the rare texts that the module leaves to its host.

/** Digits that every double keeps, far from the ends of the range (IEEE 754, DBL_DIG). */
const digitsKept = 15
/** More are not printed to keep a double. */
const digitsMax = 19

/**
 * The double for a text of the form `-?(0|[1-9][0-9]*)?(.[0-9]*)?([eE][-+]?[0-9]+)?`, NaN if it does not keep all
 * digits: with more than 15 significant ones, it must be printed with as many digits, or its fewest, as in the text.
 */
export function keptDouble(text: string): number {
  const number = Number(text)
  if (!Number.isFinite(number)) return Number.NaN
  const mantissa = /^[-\d]*(?:\.\d+)?/.exec(text)?.[0] ?? ''
  const digits = (mantissa.includes('.') ? mantissa : mantissa.replace(/0+$/, ''))
    .replaceAll(/[-.]/g, '')
    .replace(/^0+/, '')
  if (digits === '') return number
  const size = Math.abs(number)
  if (digits.length <= digitsKept && size >= 1e-290 && size <= 1e290) return number
  const isLong = digits.length > digitsKept && digits.length <= digitsMax
  return (isLong && isRounded(digits, size)) || digitsOf(size.toExponential()) === digits ? number : Number.NaN
}

function digitsOf(text: string): string {
  return text.slice(0, text.indexOf('e')).replace('.', '')
}

/** Half way between two texts, C and Python print the even one, JavaScript the greater. */
function isRounded(digits: string, number: number): boolean {
  // Enough to tell half way from just above it.
  const exact = digitsOf(number.toExponential(2 * digitsMax))
  const below = BigInt(exact.slice(0, digits.length))
  const rest = exact.slice(digits.length)
  const half = '5'.padEnd(rest.length, '0')
  return (rest <= half && BigInt(digits) === below) || (rest >= half && BigInt(digits) === below + 1n)
}
