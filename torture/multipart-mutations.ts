// Multipart mutations: generates and mutates multipart bodies. Knows neither a parser nor HTTP.

import type { Random } from '../src/core/random.testing.ts'

export const pick = <Item>(random: Random, items: readonly Item[]): Item => items[random(items.length)] as Item
export const several = (random: Random, countMax: number, make: () => string) =>
  Array.from({ length: random(countMax + 1) }, make).join('')

export const boundaries = ['B', 'BnD', '--', '----WebKitFormBoundaryTB2MiQ36fnSJlrhY', 'r'.repeat(300)]

export function contentPieces(boundary: string): readonly string[] {
  const delimiter = `\r\n--${boundary}`
  return [
    ...['\r', '\n', '\r\n', '-', '--', ' ', '\t', '\0', '"', 'x', 'id,name\r\n1,Anna\r\n'],
    ...[delimiter, `${delimiter}x`, `${delimiter}-`, `${delimiter} `, delimiter.slice(0, -1), delimiter.slice(1)],
  ]
}

export const headerLines = [
  'Content-Disposition: form-data; name="file"; filename="a.csv"\r\n',
  'Content-Disposition: form-data; name=field\r\n',
  "Content-Disposition: form-data;\r\n name=file; filename*=utf-8''%e8%a1%a8.csv\r\n",
  'Content-Type: text/csv\r\n',
  'X-Other: \xe9\r\n',
]

/** The tokens of a valid body. */
export function makeBody(random: Random, boundary: string): string[] {
  const pieces = contentPieces(boundary).filter((piece) => !piece.includes(`--${boundary}`))
  const tokens = random(4) === 0 ? ['preamble\r\n'] : []
  for (let count = random(4); count >= 0; count -= 1) {
    tokens.push(`--${boundary}`, pick(random, ['', '', ' ', ' \t']), '\r\n')
    if (random(5) > 0) tokens.push(pick(random, headerLines.slice(0, 3)))
    if (random(3) === 0) tokens.push(pick(random, headerLines.slice(3)))
    tokens.push(
      '\r\n',
      several(random, 6, () => pick(random, pieces)),
      '\r\n',
    )
  }
  return [...tokens, `--${boundary}--`, pick(random, ['', '\r\n', '\r\nepilogue', 'x'])]
}

/** Drops, duplicates, swaps, replaces and cuts tokens and bytes. */
export function mutate(random: Random, boundary: string, tokens: string[]): string {
  const mutated = [...tokens]
  for (let count = random(4); count > 0; count -= 1) {
    const at = random(mutated.length)
    const token = mutated[at] ?? ''
    const cut = random(token.length + 1)
    const replacements = [
      '',
      token + token,
      pick(random, tokens),
      pick(random, contentPieces(boundary)),
      token.slice(0, cut),
      token.slice(0, cut) + pick(random, contentPieces(boundary)) + token.slice(cut),
      token.slice(0, cut) + String.fromCharCode(random(256)) + token.slice(cut + 1),
    ]
    mutated[at] = pick(random, replacements)
  }
  return mutated.join('')
}
