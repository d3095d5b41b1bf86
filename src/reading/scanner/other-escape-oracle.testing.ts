// Other escape oracle: "Other escape" of record-rules.ts as patterns, for the scanner's oracle.
import type { ScanOptions } from './scanner.ts'

/**
 * A line, one character per byte, written like the rest of the file; null if it is not a record with the other escape.
 */
export function rewrittenFromOtherEscape(line: string, options: ScanOptions): string | null {
  const { delimiter, quote, escape: escapeByte, isEscapeDeclared, width, skipInitialSpace } = options
  if (isEscapeDeclared || quote === null || escapeByte === 'nothing') return null
  const [cut, mark] = [String.fromCharCode(delimiter), String.fromCharCode(quote)]
  const isDoubled = escapeByte === null
  const backslash = isDoubled ? '\\' : String.fromCharCode(escapeByte)
  if (backslash === mark || backslash === cut) return null
  const found = (isDoubled ? backslash : mark) + mark
  const wanted = (isDoubled ? mark : backslash) + mark
  const blanks = `[${[' ', '\t'].filter((one) => one !== cut).join('')}]*`
  const quoted = `${escaped(mark)}((?:${escaped(found)}|[^${escaped(mark + backslash)}\\r\\n])*)${escaped(mark)}${blanks}`
  const field = `(?:${quoted}|([^${escaped(cut + mark)}\\r\\n]*))`
  const lead = skipInitialSpace ? '[ T]*(?![ T])'.replaceAll('T', cut === '\t' ? '' : '\t') : ''
  const values: string[] = []
  let rest = line
  for (let column = 1; column <= width; column++) {
    const pattern = new RegExp(`^${lead}${field}(${column < width ? escaped(cut) : '$'})`)
    const match = pattern.exec(rest)
    if (match === null) return null
    values.push(match[1] === undefined ? match[2]! : mark + match[1].replaceAll(found, wanted) + mark)
    rest = rest.slice(match[0].length)
  }
  return line.includes(found) && values.some((value) => value.slice(1, -1).includes(wanted)) ? values.join(cut) : null
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}
