// Rejects CSV: every reject with the whole of its record, as RFC 4180. Memory does not grow with their number or length.
import { type FileHandle, open } from 'node:fs/promises'
import type { Reject } from '../../core/receipt.ts'
import { throwStoreError } from '../../core/storage-error.ts'
import { createDecoder } from '../../reading/encoding/decoder.ts'
import { createRecordReader } from './record-text.ts'

/** The first line of the table, and the only one where there are no rejects. */
export const rejectCsvHeader = 'record,line,byteOffset,byteLength,column,reason,message,text,base64\r\n'

/** Rejects stand close together where there are many, so what is read for one is there for the next. */
const windowBytes = 1_048_576
/** A longer record passes in pieces. A multiple of three, so that their base64 can be joined. */
const pieceBytes = 196_608
const textLengthAtOnce = 65_536

/**
 * The lines of a table that begins with a header: the columns of a reject, then the record as `text`, or its bytes as
 * `base64` where they are no text in the encoding of the file.
 */
export async function* rejectCsv(
  originalPath: string,
  encoding: string,
  pages: AsyncIterable<readonly Reject[]>,
): AsyncGenerator<string> {
  await using original = await open(originalPath, 'r').catch(throwStoreError)
  const readShort = shortReader(original)
  const textOf = createRecordReader(encoding)
  let text = rejectCsvHeader
  for await (const rejects of pages) {
    for (const reject of rejects) {
      text += `${places(reject)},`
      if (reject.byteLength > pieceBytes) {
        yield text
        yield* longRecord(original, encoding, reject)
        text = '\r\n'
      } else {
        const { text: record, base64 = '' } = textOf(await readShort(reject), false)
        text += record === null ? `,${base64}\r\n` : `${quoted(record)},\r\n`
      }
      if (text.length < textLengthAtOnce) continue
      yield text
      text = ''
    }
  }
  yield text
}

function places({ record, line, byteOffset, byteLength, column, reason, message }: Reject): string {
  return `${record},${line},${byteOffset},${byteLength},${column ?? ''},${reason},${quoted(message)}`
}

/** Text is quoted also where it needs no quotes, so that an empty one differs from none. */
function quoted(text: string): string {
  return `"${escaped(text)}"`
}

function escaped(text: string): string {
  return text.replaceAll('"', '""')
}

/** Gives the bytes of short records, valid until the next call. */
function shortReader(original: FileHandle): (reject: Reject) => Promise<Uint8Array> {
  const buffer = Buffer.allocUnsafeSlow(windowBytes)
  let start = 0
  let bytes = 0
  return async ({ byteOffset, byteLength }) => {
    if (byteOffset < start || byteOffset + byteLength > start + bytes) {
      start = byteOffset
      bytes = await readFully(original, buffer, byteOffset)
    }
    return buffer.subarray(byteOffset - start, byteOffset - start + byteLength)
  }
}

/** Whether a record is text shows at its end only, so it is read once to know and once to give. */
async function* longRecord(original: FileHandle, encoding: string, reject: Reject): AsyncGenerator<string> {
  if (!(await isText(original, encoding, reject))) {
    yield ','
    for await (const { bytes } of pieces(original, reject)) yield bytes.toString('base64')
    return
  }
  const decode = createDecoder(encoding, 'strict', 'character')
  yield '"'
  for await (const { bytes, isLast } of pieces(original, reject)) yield escaped(decode(bytes, isLast))
  yield '",'
}

async function isText(original: FileHandle, encoding: string, reject: Reject): Promise<boolean> {
  const decode = createDecoder(encoding, 'strict', 'character')
  for await (const { bytes, isLast } of pieces(original, reject)) {
    try {
      decode(bytes, isLast)
    } catch {
      return false
    }
  }
  return true
}

/** A piece is valid until the next one is asked for. */
async function* pieces(original: FileHandle, { byteOffset, byteLength }: Reject) {
  const buffer = Buffer.allocUnsafeSlow(pieceBytes)
  const end = byteOffset + byteLength
  for (let at = byteOffset; at < end; at += pieceBytes) {
    const wanted = buffer.subarray(0, Math.min(pieceBytes, end - at))
    const count = await readFully(original, wanted, at)
    yield { bytes: wanted.subarray(0, count), isLast: at + pieceBytes >= end }
  }
}

/** Reads until the buffer is full or the file ends. */
async function readFully(original: FileHandle, buffer: Buffer, position: number): Promise<number> {
  let count = 0
  while (count < buffer.length) {
    const { bytesRead } = await original
      .read(buffer, count, buffer.length - count, position + count)
      .catch(throwStoreError)
    if (bytesRead === 0) break
    count += bytesRead
  }
  return count
}
