// Bounded answer: Trino's rows as bytes of a result, within the limits on rows and bytes. Fetches nothing.
import { ServiceError } from '../../core/errors.ts'
import { type AnswerWriter, createWriter } from '../answer-writer.ts'
import type { AnswerFormat } from '../query.ts'
import type { TrinoRows } from './trino-client.ts'
import { TrinoUnreachable } from './trino-client.ts'
import { answerColumns, cellTexts } from './trino-values.ts'

export interface AnswerLimits {
  readonly queryRowsMax: number
  readonly queryBytesMax: number
}

/** Bytes buffered before the first piece. Earlier errors are reported; a later one can only cut the result off. */
const pieceCharacters = 65_536

/**
 * The pieces of a result. JSON ends at a limit and says so.
 * @throws {ServiceError} QUERY_TOO_LARGE, where other formats would have to
 */
export async function* boundedAnswer(
  pages: AsyncIterable<TrinoRows>,
  format: AnswerFormat,
  limits: AnswerLimits,
): AsyncGenerator<Buffer> {
  let writer: AnswerWriter<unknown> | null = null
  const left = { rows: limits.queryRowsMax, bytes: limits.queryBytesMax }
  let piece = ''
  for await (const { columns, rows } of pages) {
    if (writer === null && columns !== null) {
      writer = createWriter(format, answerColumns(columns), cellTexts(columns))
      piece += writer.head()
      left.bytes -= Buffer.byteLength(piece)
    }
    for (const row of rows) {
      if (writer === null) throw new TrinoUnreachable('Trino answers rows without columns')
      const text = writer.row(row, left.rows === limits.queryRowsMax)
      const problem = problemOf(left, Buffer.byteLength(text), limits)
      if (problem !== null) {
        yield Buffer.from(piece + endOf(writer, problem, left.rows === limits.queryRowsMax))
        return
      }
      left.rows -= 1
      left.bytes -= Buffer.byteLength(text)
      piece += text
      if (piece.length < pieceCharacters) continue
      yield Buffer.from(piece)
      piece = ''
    }
  }
  if (writer === null) throw new TrinoUnreachable('Trino answers without columns')
  yield Buffer.from(piece + (writer.tail(false) ?? ''))
}

function problemOf(left: { readonly rows: number; readonly bytes: number }, bytes: number, limits: AnswerLimits) {
  if (left.rows === 0) return `it returns more than ${limits.queryRowsMax} rows`
  return bytes > left.bytes ? `it returns more than ${limits.queryBytesMax} bytes` : null
}

/** @param isEmpty True if not even the first row is within the limit. */
function endOf(writer: AnswerWriter<unknown>, problem: string, isEmpty: boolean): string {
  if (isEmpty) throw new ServiceError('QUERY_TOO_LARGE', { problem })
  const tail = writer.tail(true)
  if (tail !== null) return tail
  const rest = 'only JSON can be truncated there'
  throw new ServiceError('QUERY_TOO_LARGE', { problem: `${problem}; ${rest}` })
}
