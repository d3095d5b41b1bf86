// Kept double: whether a double represents a decimal text exactly, for the rare texts that the module leaves to its host.

/** Digits that every double keeps, far from the ends of the range (IEEE 754, DBL_DIG). */
const digitsKept = 15

/**
 * The double for a text of the form `-?(0|[1-9][0-9]*)?(.[0-9]+)?([eE][-+]?[0-9]+)?`, NaN if it does not keep all
 * digits: with more than 15 significant ones, the text must be exactly how the double is printed.
 */
export function keptDouble(text: string): number {
  const number = Number(text)
  if (!Number.isFinite(number)) return Number.NaN
  const mantissa = /^[-\d.]*/.exec(text)?.[0] ?? ''
  const digits = mantissa.replaceAll(/[-.]/g, '').replace(/^0+/, '')
  if (digits === '') return number
  const size = Math.abs(number)
  if (digits.length <= digitsKept && size >= 1e-290 && size <= 1e290) return number
  return printed(number) === text ? number : Number.NaN
}

/** The shortest digits that identify the double, with an exponent from e+16 and e-05 on, as in DuckDB. */
function printed(number: number): string {
  const [digits, exponent] = number.toExponential().split('e') as [string, string]
  const power = Number(exponent)
  if (power < -4 || power >= 16) return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`
  const plain = String(number)
  return plain.includes('.') ? plain : `${plain}.0`
}
