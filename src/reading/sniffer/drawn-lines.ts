// Drawn lines: recognizes lines drawn across a table by Markdown and database clients. Knows a single line or cell of text.

/** A line of dashes for each column: `+----+-----+`, `|---|:-:|`, `----+-----`, `├────┼─────┤`. */
const across = /^\s*[|+]?(?:\s*(?:[-=]{2,}|:-+:?|-+:)\s*[|+])+(?:\s*(?:[-=]{2,}|:-+:?|-+:)\s*)?$/
const box = /^\s*[\u2500-\u257f]+\s*$/
const barsOnly = /^[\s\u2502\u2503\u2551]*$/
const asciiRule = /^[-+=| ]{3,}$/

/** A line drawn between the records of a table of several columns. */
export function isDrawnAcross(line: string): boolean {
  return across.test(line) || isBoxLine(line)
}

/** The same, or a frame: a line without values, which is not a record of any table. */
export function isFrame(line: string): boolean {
  return ('+-='.includes(line.charAt(0)) && asciiRule.test(line)) || isBoxLine(line)
}

/** The drawing in one column. */
export function isRuleCell(value: string): boolean {
  return /^\s*(?:[-=_]{2,}|:-+:?|-+:|[\u2500\u2501\u2550]+)?\s*$/.test(value)
}

/** True for a line of box-drawing characters; vertical bars alone are delimiters. */
function isBoxLine(line: string): boolean {
  return box.test(line) && !barsOnly.test(line)
}
