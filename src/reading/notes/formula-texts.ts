// Formula texts: notes columns whose values are all written as `="…"`, with which programs keep Excel from reading numbers.
import { type Note, note } from '../../core/notes.ts'
import { fieldValue, fits } from '../sniffer/tokenize.ts'
import type { HeadTable } from './repeated-headers.ts'

const formula = /^="[^"]*"$/
const namedMax = 5

/** @param names Column names. */
export function formulaTexts({ tokens, width, rows, top }: HeadTable, names: readonly string[]): Note[] {
  if (!tokens.text.includes('="')) return []
  const data = rows.filter((record) => record >= top.firstData && fits(tokens, record, width))
  const found = names.filter((_, column) => {
    const values = data.map((record) => fieldValue(tokens, (tokens.firstFields[record] ?? 0) + column))
    const filled = values.filter((value) => value !== '')
    return filled.length > 0 && filled.every((value) => formula.test(value))
  })
  const [first] = found
  if (first === undefined) return []
  const more = found.length > namedMax ? ` and ${found.length - namedMax} more` : ''
  const [columns, place] =
    found.length === 1
      ? [`column ${first}`, { column: first }]
      : [`columns ${found.slice(0, namedMax).join(', ')}${more}`, {}]
  const message = `Each value of ${columns} is written as a formula, \`="…"\`: it is kept as text, with these characters.`
  return [note('VALUES_AS_FORMULAS', message, place)]
}
