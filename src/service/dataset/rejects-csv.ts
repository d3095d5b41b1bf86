// Rejects CSV: every reject with its whole record, as RFC 4180. Memory does not grow with their number or length.
import type { Reject } from '../../core/receipt.ts'
import { type ReadBytes, readAhead } from '../../io/read-bytes.ts'
import { createDecoder } from '../../reading/encoding/decoder.ts'
import { rejectOfRow } from '../ingest/reject-table.ts'
import { createRecordReader } from './record-text.ts'

/**
 * The first line of the table, and the only one if there are no rejects. The text comes before the message, which may
 * quote it: `sed s/N.A//` edits the text.
 */
export const rejectCsvHeader = 'record,text,base64,line,byteOffset,byteLength,column,reason,message\r\n'

/** Many rejects are close together, so bytes read for one serve the next. */
export const windowBytes = 1_048_576
/**
 * Longer records are processed in pieces of this size. A multiple of three, so that the base64 of the pieces can be
 * joined.
 */
const pieceBytes = 196_608
const textLengthAtOnce = 65_536

/**
 * The lines of a table that begins with a header, from rows of `rejectColumnNames`: the record as `text`, or its bytes
 * as `base64` if they are not text in the encoding of the file, and the columns of the reject.
 */
export async function* rejectCsv(
  readOriginal: ReadBytes,
  encoding: string,
  pages: AsyncIterable<readonly (readonly unknown[])[]>,
): AsyncGenerator<string> {
  const readShort = readAhead(readOriginal, windowBytes)
  const textOf = createRecordReader(encoding)
  let text = rejectCsvHeader
  for await (const rows of pages) {
    for (const reject of rows.map(rejectOfRow)) {
      text += `${reject.record},`
      if (reject.byteLength > pieceBytes) {
        yield text
        yield* longRecord(readOriginal, encoding, reject)
        text = ''
      } else {
        const { text: record, base64 = '' } = textOf(await readShort(reject.byteOffset, reject.byteLength), false)
        text += record === null ? `,${base64}` : `${quoted(record)},`
      }
      text += `,${places(reject)}\r\n`
      if (text.length < textLengthAtOnce) continue
      yield text
      text = ''
    }
  }
  yield text
}

function places({ line, byteOffset, byteLength, column, reason, message }: Reject): string {
  return `${line},${byteOffset},${byteLength},${column ?? ''},${reason},${quoted(message)}`
}

/** Text is always quoted, so that empty text differs from a missing one. */
function quoted(text: string): string {
  return `"${escaped(text)}"`
}

function escaped(text: string): string {
  return text.replaceAll('"', '""')
}

/** Only the end of a record shows whether all of it is text, so it is read twice: once to check and once to write. */
async function* longRecord(read: ReadBytes, encoding: string, reject: Reject): AsyncGenerator<string> {
  if (!(await isText(read, encoding, reject))) {
    yield ','
    for await (const { bytes } of bytePieces(read, reject)) yield Buffer.from(bytes).toString('base64')
    return
  }
  const decode = createDecoder(encoding, 'strict', 'character')
  yield '"'
  for await (const { bytes, isLast } of bytePieces(read, reject)) yield escaped(decode(bytes, isLast))
  yield '",'
}

async function isText(read: ReadBytes, encoding: string, reject: Reject): Promise<boolean> {
  const decode = createDecoder(encoding, 'strict', 'character')
  for await (const { bytes, isLast } of bytePieces(read, reject)) {
    try {
      decode(bytes, isLast)
    } catch {
      return false
    }
  }
  return true
}

/** A piece is valid until the next one is requested. */
export async function* bytePieces(
  read: ReadBytes,
  { byteOffset, byteLength }: Pick<Reject, 'byteOffset' | 'byteLength'>,
) {
  const end = byteOffset + byteLength
  for (let at = byteOffset; at < end; at += pieceBytes) {
    yield { bytes: await read(at, Math.min(pieceBytes, end - at)), isLast: at + pieceBytes >= end }
  }
}
