// Functions: finds where each function of a file begins and ends, by the layout of the formatter. Knows no limit.

export interface FunctionSpan {
  readonly name: string
  /** From 1. */
  readonly line: number
  readonly lineCount: number
}

/** `function name(`, with or without export, async and a star. */
const declaration = /^(\s*)(?:export )?(?:default )?(?:async )?function\*? ?(\w*)/
/** `name(` of a method, with its modifiers, or of a call whose callback has a body. */
const method =
  /^(\s+)(?:(?:override|static|async|get|set|public|private|protected) |\*)*(#?\w+|\[[\w.]+\])(?:<.*>)?\((?!.*\)[;,]?$)/
/** `const name = (…) =>` and `name: (…) =>`. */
const arrow =
  /^(\s*)(?:export )?(?:const |readonly )?(#?[\w.]+)(?:: [^=]+)? ?[=:] (?:async )?(?:\([^()]*$|\(.*=> ?\{$|\w+ => ?\{$)/
const keywords = new Set(['if', 'for', 'while', 'switch', 'catch', 'return', 'await', 'super', 'function'])

/** Every function, method, named arrow function and call with a callback that has a body in braces, nested ones too. */
export function functionsOf(text: string): readonly FunctionSpan[] {
  const lines = text.split('\n')
  return lines.flatMap((line, index) => {
    const [, indent, name] = declaration.exec(line) ?? method.exec(line) ?? arrow.exec(line) ?? []
    if (indent === undefined || keywords.has(name!)) return []
    const lineCount = lengthAt(lines, index, indent)
    return lineCount === null ? [] : [{ name: name || 'default', line: index + 1, lineCount }]
  })
}

/** Number of lines up to the brace that closes at the same indent; null if no body is opened. */
function lengthAt(lines: readonly string[], start: number, indent: string): number | null {
  let hasBody = false
  for (let index = start; index < lines.length; index++) {
    const line = lines[index]!
    const isAtIndent = line.startsWith(indent) && line[indent.length] !== ' ' && line.trim() !== ''
    if (index > start && isAtIndent) {
      const rest = line.slice(indent.length)
      // `}: Options): Result {` and `): Result {` end the parameters.
      if (hasBody) return rest.startsWith('}') ? index - start + 1 : null
      if (!/^[)}\]]/.test(rest)) return null
    }
    if (isAtIndent && /(\{|=> \()$/.test(line) && !/\(\{$/.test(line)) hasBody = true
    if (index === start && /\{.*\}[;,)]*$/.test(line)) return 1
  }
  return null
}
