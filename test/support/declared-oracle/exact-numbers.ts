// Exact numbers: compares declared numbers with their rules in exact arithmetic. Knows no SQL.
import { type DeclaredCheck, ruleCode } from '../../../src/core/declared-values.ts'

interface NumberChars {
  readonly groupChar: string | null
  readonly decimalChar: string
}

/** The number of the first rule that a number breaks; null if it keeps them all. */
export function firstBroken(text: string, chars: NumberChars, checks: readonly DeclaredCheck[]): number | null {
  const value = exact(plainNumber(text, chars))
  const broken = checks.findIndex((check) => !isKept(check, value))
  return broken < 0 ? null : ruleCode.firstCheck + broken
}

/** With a decimal point, and without groups, a plus sign or a bare point. */
export function plainNumber(text: string, { groupChar, decimalChar }: NumberChars): string {
  const ungrouped = groupChar === null ? text : text.replaceAll(groupChar, '')
  return ungrouped
    .replace(decimalChar, '.')
    .replace(/^\+/, '')
    .replace(/\.(?=$|e)/i, '')
}

/** digits × 10^power */
interface Exact {
  readonly digits: bigint
  readonly power: number
}

function exact(text: string): Exact {
  const [, sign = '', whole = '', fraction = '', power = '0'] =
    /^([-+]?)(\d*)\.?(\d*)(?:[eE]([-+]?\d+))?$/.exec(text) ?? []
  // Also those too small for a double, which are stored as zero, and `0e999999999`.
  if (Number(text) === 0) return { digits: 0n, power: 0 }
  const digits = BigInt(`${whole}${fraction}`)
  return { digits: sign === '-' ? -digits : digits, power: Number(power) - fraction.length }
}

/** Negative if the first is less. No exponent is beyond what a double holds, so these integers stay small. */
function compare(one: Exact, other: Exact): number {
  const power = Math.min(one.power, other.power)
  const scaled = ({ digits, power: own }: Exact) => digits * 10n ** BigInt(own - power)
  const difference = scaled(one) - scaled(other)
  return difference < 0n ? -1 : Number(difference > 0n)
}

function isKept(check: DeclaredCheck, value: Exact): boolean {
  switch (check.rule) {
    case 'enum':
    case 'categories':
      return check.values.some((one) => compare(value, exact(one)) === 0)
    case 'minimum':
      return compare(value, exact(check.value)) >= 0
    case 'maximum':
      return compare(value, exact(check.value)) <= 0
    case 'exclusiveMinimum':
      return compare(value, exact(check.value)) > 0
    case 'exclusiveMaximum':
      return compare(value, exact(check.value)) < 0
    default:
      throw new Error(`A number has no rule ${check.rule}`)
  }
}
