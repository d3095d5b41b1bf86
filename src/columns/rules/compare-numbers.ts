// Compare numbers: compares decimal texts exactly, whatever their size. Knows no columns.

/** A number: 0.digits × 10^point; no digits for zero, and none at its ends are zeros. */
export interface ExactNumber {
  readonly isNegative: boolean
  readonly digits: string
  readonly point: number
}

/** @param text A number with its digits in groups and its decimal character; an empty group character stands for none. */
export function exactNumber(text: string, groupChar = '', decimalChar = '.'): ExactNumber {
  const plain = (groupChar === '' ? text : text.replaceAll(groupChar, '')).replace(decimalChar, '.')
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^([-+]?)(\d*)\.?(\d*)(?:[eE]([-+]?\d+))?$/.exec(plain) ?? []
  // Too small for a double: such a number is stored as zero.
  const all = Number(plain) === 0 ? '' : `${whole}${fraction}`
  const digits = all.replace(/^0+/, '')
  const point = whole.length - (all.length - digits.length) + Number(exponent)
  return { isNegative: sign === '-' && digits !== '', digits: withoutLastZeros(digits), point }
}

/** A regular expression would look at a run of zeros from each of them. */
function withoutLastZeros(digits: string): string {
  let end = digits.length
  while (digits[end - 1] === '0') end--
  return digits.slice(0, end)
}

/** The same text for equal numbers. */
export function exactKey({ isNegative, digits, point }: ExactNumber): string {
  return digits === '' ? '0' : `${isNegative ? '-' : ''}${digits}e${point}`
}

/** Negative if the first number is less, positive if it is greater, 0 if they are equal. */
export function compareExactly(one: ExactNumber, other: ExactNumber): number {
  if (one.isNegative !== other.isNegative) return one.isNegative ? -1 : 1
  return one.isNegative ? -compareSizes(one, other) : compareSizes(one, other)
}

function compareSizes(one: ExactNumber, other: ExactNumber): number {
  if (one.digits === '' || other.digits === '') return Number(one.digits !== '') - Number(other.digits !== '')
  if (one.point !== other.point) return one.point - other.point
  return one.digits === other.digits ? 0 : one.digits < other.digits ? -1 : 1
}
