// Text lines: splits text that arrives in pieces, or is in a file, into lines. Only LF ends a line: Node's readline also ends one at U+2028.
import { createReadStream } from 'node:fs'
import { throwStoreError } from '../core/storage-error.ts'

/** The lines without their ends; an empty last one is left out. */
export async function* textLines(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ''
  for await (const piece of pieces) {
    const lines = (rest + piece).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') yield rest
}

/** The lines of a file in UTF-8. @throws {ServiceError} STORE_UNAVAILABLE, STORE_FAILED */
export async function* fileLines(path: string): AsyncGenerator<string> {
  const stream = createReadStream(path, { encoding: 'utf8' })
  try {
    // The encoding has been set.
    yield* textLines(stream as AsyncIterable<string>)
  } catch (error) {
    throwStoreError(error)
  } finally {
    stream.destroy()
  }
}
