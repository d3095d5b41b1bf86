// Text lines: splits text that arrives in pieces into lines. Only LF ends a line: Node's readline also ends one at U+2028.

/** The lines without their ends, as many at once as a piece completes; an empty last one is left out. */
export async function* textLines(pieces: AsyncIterable<string>): AsyncGenerator<readonly string[]> {
  let rest = ''
  for await (const piece of pieces) {
    const lines = (rest + piece).split('\n')
    rest = lines.pop() ?? ''
    yield lines
  }
  if (rest !== '') yield [rest]
}
