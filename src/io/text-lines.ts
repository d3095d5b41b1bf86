// Text lines: cuts text that comes in pieces into its lines. Only LF ends one: the readline of Node also ends a line at U+2028.

/** The lines without their ends; the last one only if it holds anything. */
export async function* textLines(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ''
  for await (const piece of pieces) {
    const lines = (rest + piece).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') yield rest
}
