// Random pattern: regular expressions in the syntax of RE2, with texts that match. Knows no schema.
import type { Random } from '../../../src/core/random.testing.ts'
import { chance, pick } from './random-values.ts'

export interface RandomPattern {
  readonly pattern: string
  /** A text that most probably matches. */
  sample(random: Random): string
}

const atoms: readonly (readonly [pattern: string, texts: readonly string[]])[] = [
  ...[...'aB7éß€ -,'].map((letter) => [letter, [letter]] as const),
  ['👍', ['👍']],
  ['\\.', ['.']],
  ['\\\\', ['\\']],
  ['.', ['x', 'é', '👍', ' ', '\n', '\r', '\t']],
  ['\\d', ['0', '9', '٣']],
  ['\\D', ['a', '5', '\n']],
  ['\\w', ['a', '_', '9', 'é']],
  ['\\W', [' ', 'é', '-', 'a']],
  ['\\s', [' ', '\t', '\n', '\u00a0', '\v', '\f']],
  ['\\S', ['x', ' ', '\v']],
  ['[a-c]', ['a', 'c', 'd']],
  ['[^x]', ['y', 'x', '\n', '👍']],
  ['[A-Fa-f0-9_]', ['A', 'f', '_']],
  ['[[:alpha:]]', ['q', 'Z', 'é']],
  ['[[:^digit:]]', ['q', '1']],
  ['[\\d\\-é-ñ]', ['4', '-', 'ê', 'ñ', 'ò']],
  ['[]x]', [']', 'x']],
  ['\\p{L}', ['ж', 'a', 'Ω', '1', '李']],
  ['\\p{Lu}', ['Ж', 'A', 'a']],
  ['\\P{N}', ['x', '7', '٣']],
  ['\\p{Greek}', ['Ω', 'α', 'a']],
  ['\\x41', ['A', 'a']],
  ['\\x{1F44D}', ['👍']],
  ['(?i:k)', ['k', 'K', '\u212a', 'x']],
  ['(?i:ß)', ['ß', 'ẞ', 's']],
  ['(?s:.)', ['\n', 'x']],
  ['\\b', ['']],
  ['\\B', ['']],
  ['^', ['']],
  ['$', ['']],
  ['(?m:^)', ['', '\n']],
  ['(?m:$)', ['', '\n']],
  ['\\A', ['']],
  ['\\z', ['']],
  ['\\Q.*\\E', ['.*', 'xx']],
]

export function randomPattern(random: Random, depth = 3): RandomPattern {
  const kind = depth === 0 ? 0 : random(6)
  if (kind <= 1) {
    const [pattern, texts] = pick(random, atoms)
    return { pattern, sample: (r) => (chance(r, 3) ? pick(r, texts) : texts[0]!) }
  }
  const inner = Array.from({ length: 2 + random(2) }, () => randomPattern(random, depth - 1))
  if (kind <= 3)
    return {
      pattern: inner.map(({ pattern }) => pattern).join(''),
      sample: (r) => inner.map((one) => one.sample(r)).join(''),
    }
  if (kind === 4) {
    const open = pick(random, ['(', '(?:', `(?P<n${random(1_000_000)}>`, '(?i:'])
    const pattern = `${open}${inner.map((one) => one.pattern).join('|')})`
    return { pattern, sample: (r) => pick(r, inner).sample(r) }
  }
  const [quantifier, min, max] = pick(random, quantifiers)
  const one = inner[0]!
  const sample = (r: Random) => Array.from({ length: min + r(max - min + 1) }, () => one.sample(r)).join('')
  return { pattern: `(?:${one.pattern})${quantifier}`, sample }
}

const quantifiers = [
  ['?', 0, 1],
  ['*', 0, 4],
  ['+', 1, 4],
  ['{2}', 2, 2],
  ['{1,3}', 1, 3],
  ['{2,}', 2, 5],
  ['{0}', 0, 0],
  ['*?', 0, 3],
  ['+?', 1, 3],
  ['{0,9}', 0, 9],
] as const
