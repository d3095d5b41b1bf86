// Random format: patterns of strptime, and texts in them. Knows no schema.
import type { Random } from '../../../src/core/random.testing.ts'
import { chance, pick, randomParts } from './random-values.ts'

const separators = ['-', '/', '.', ' ', ', ', ':', '', '%%', 'T', ' de ', '_', '|', '[', '+']

export function randomFormat(random: Random, kind: 'date' | 'time' | 'datetime'): string {
  const date = () => {
    const separator = pick(random, separators)
    const year = pick(random, ['%Y', '%Y', '%y'])
    const month = pick(random, ['%m', '%m', '%b', '%B'])
    const orders = [
      [year, month, '%d'],
      ['%d', month, year],
      [month, '%d', year],
      [year, '%d', month],
    ]
    return pick(random, orders).join(separator)
  }
  const time = () => {
    const separator = pick(random, [':', ':', '.', '', ' h ', '-'])
    const isHalf = chance(random, 3)
    const clock = [isHalf ? '%I' : '%H', '%M', '%S'].slice(0, 1 + random(3))
    const fraction = clock.length === 3 && chance(random, 3) ? pick(random, ['.%f', ',%f', '%f']) : ''
    return clock.join(separator) + fraction + (isHalf ? `${pick(random, ['', ' '])}%p` : '')
  }
  if (kind === 'date') return date()
  if (kind === 'time') return time()
  const between = pick(random, [' ', 'T', '', ' at '])
  const offset = chance(random, 3) ? `${pick(random, ['', ' '])}%z` : ''
  if (!chance(random, 8)) return date() + between + time() + offset
  const clock = time()
  // Where digits follow those of a fraction, SQL calls a text out of range that has too few: it is of another type.
  return clock + (clock.endsWith('%f') ? ' ' : between) + date() + offset
}

/** A text in the pattern, most probably a valid moment. */
export function textInFormat(random: Random, format: string): string {
  const parts = randomParts(random)
  const isTight = /%[a-zA-Z]%[a-zA-Z]/.test(format) && !chance(random, 4)
  return format.replaceAll(/%(.)/g, (_, letter: string) => {
    if (letter === '%') return '%'
    const part = parts[letter] ?? ''
    return isTight && /^[mdHIMS]$/.test(letter) ? part.padStart(2, '0') : part
  })
}
