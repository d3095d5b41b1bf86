// Units: sizes and durations as people write them. One place decides what MB means. Imports nothing.

const bytesPerUnit = { B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3, TB: 1024 ** 4 } as const
const msPerUnit = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const

/** `MB` and its kin, as Spring's DataSize reads them: powers of 1024. */
export type ByteUnit = keyof typeof bytesPerUnit

/** Bytes in one `unit`: 1 MB is 1,048,576 bytes, so the specification's 1000MB is 1,048,576,000. */
export function bytesIn(unit: ByteUnit): number {
  return bytesPerUnit[unit]
}

/**
 * Parses a size such as `1000MB`, `16 kb`, `1.5GB`, `1GiB`, `1G` or `4096`; a bare number is bytes. Null for anything else:
 * a sign, an unknown unit, part of a byte, or more bytes than a double holds exactly.
 */
export function parseBytes(text: string): number | null {
  const match = /^(\d+(?:\.\d+)?) ?(?:([KMGT])i?)?B?$/i.exec(text.trim())
  if (match === null) return null
  const unit = `${(match[2] ?? '').toUpperCase()}B` as ByteUnit // the pattern lets no other unit through
  return exactProduct(Number(match[1]), bytesPerUnit[unit])
}

/** Writes a size with the largest unit that divides it, so that parseBytes() returns it unchanged. */
export function formatBytes(bytes: number): string {
  return formatWhole(bytes, bytesPerUnit)
}

/**
 * Parses a duration such as `30s`, `500ms`, `1h30m` or `1w` to milliseconds; a bare number is seconds. Null for anything
 * else.
 */
export function parseDuration(text: string): number | null {
  const given = text.trim()
  if (/^\d+$/.test(given)) return exactProduct(Number(given), msPerUnit.s)
  if (!/^(?:\d+ ?(?:ms|[smhdw]) ?)+$/.test(given)) return null
  const parts = [...given.matchAll(/(\d+) ?(ms|[smhdw])/g)]
  return parts.reduce((sum: number | null, [, count, unit]) => {
    return sum === null ? null : exactProduct(sum + Number(count) * msPerUnit[unit as keyof typeof msPerUnit], 1)
  }, 0)
}

/** Writes milliseconds with the largest unit that divides them. */
export function formatDuration(ms: number): string {
  return formatWhole(ms, msPerUnit)
}

function exactProduct(count: number, factor: number): number | null {
  const product = count * factor
  return Number.isSafeInteger(product) ? product : null
}

function formatWhole(amount: number, units: Readonly<Record<string, number>>): string {
  const [smallest, ...larger] = Object.entries(units)
  const [unit, factor] = larger.findLast(([, factor]) => amount >= factor && amount % factor === 0) ?? smallest!
  return `${amount / factor}${unit}`
}
