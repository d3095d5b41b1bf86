// Read sent: reads submitted corrections: a table like rejects.csv, or lines of JSON.
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { isServiceError } from '../../core/errors.ts'
import { throwStoreError } from '../../core/storage-error.ts'
import { readFully } from '../../io/read-bytes.ts'
import { textLines } from '../../io/text-lines.ts'
import { createDecoder } from '../../reading/encoding/decoder.ts'
import type { CreateScanner } from '../../reading/scanner/scanner.ts'
import { readSentTable, type SentFile } from './read-sent-table.ts'
import { badCorrections, type SentRow } from './sent-rows.ts'

/** A header, a byte order mark and anything before the header end within this many bytes. */
const headBytes = 65_536

/**
 * The rows, in the order in which they were sent.
 *
 * @param recordBytesMax Longer records cannot be read, so a longer text is treated as missing.
 * @throws {ServiceError} BAD_CORRECTIONS, naming the line or the record.
 */
export async function* readSent(
  path: string,
  createScanner: CreateScanner,
  recordBytesMax: number,
): AsyncGenerator<SentRow> {
  const file = await openSent(path)
  if (file.head.trimStart().startsWith('{')) yield* readLines(file, recordBytesMax)
  else yield* readSentTable(file, createScanner, recordBytesMax)
}

async function openSent(path: string): Promise<SentFile> {
  await using file = await open(path, 'r').catch(throwStoreError)
  const buffer = Buffer.alloc(headBytes)
  const head = buffer.subarray(0, await readFully(file, buffer, 0))
  const { encoding, markBytes } = encodingOf(head)
  const decode = createDecoder(encoding, 'replace', 'character')
  const text = decode(head.subarray(markBytes), head.length < headBytes)
  if (text.trim() === '') throw badCorrections('there are none; send rejects.csv with edited texts')
  return { path, encoding, markBytes, head: text }
}

function encodingOf(head: Uint8Array): Pick<SentFile, 'encoding' | 'markBytes'> {
  const [first, second, third] = head
  if (first === 0xff && second === 0xfe) return { encoding: 'utf-16le', markBytes: 2 }
  if (first === 0xfe && second === 0xff) return { encoding: 'utf-16be', markBytes: 2 }
  const hasMark = first === 0xef && second === 0xbb && third === 0xbf
  return { encoding: 'utf-8', markBytes: hasMark ? 3 : 0 }
}

/** Members of a reject as the API shows it. Only the record and the text count. */
const members = new Set([
  ...['record', 'line', 'byteOffset', 'byteLength', 'column', 'reason', 'message', 'ordinal', 'text', 'base64', 'cut'],
])

async function* readLines({ path, encoding, markBytes }: SentFile, recordBytesMax: number): AsyncGenerator<SentRow> {
  let number = 0
  // JSON takes at most six bytes for a character.
  const lengthMax = 6 * recordBytesMax + headBytes
  for await (const line of textLines(decoded(path, encoding, markBytes, lengthMax))) {
    number++
    if (line.trim() !== '') yield rowOf(line, number)
  }
}

async function* decoded(path: string, encoding: string, from: number, lengthMax: number): AsyncGenerator<string> {
  const decode = createDecoder(encoding, 'strict', 'character')
  let length = 0
  const texts = async function* () {
    for await (const chunk of createReadStream(path, { start: from })) yield decode(chunk, false)
    yield decode(Buffer.alloc(0), true)
  }
  try {
    for await (const text of texts()) {
      const lineEnd = text.lastIndexOf('\n')
      length = lineEnd < 0 ? length + text.length : text.length - lineEnd
      if (length > lengthMax) throw badCorrections(`a line has more than ${lengthMax} characters`)
      yield text
    }
  } catch (error) {
    if (isServiceError(error, 'BAD_CORRECTIONS')) throw error
    if (error instanceof TypeError) throw badCorrections(`the file is not valid ${encoding}`)
    throwStoreError(error)
  }
}

function rowOf(line: string, number: number): SentRow {
  const wanted = 'wanted {"record": 17, "text": "…"}'
  let row: unknown
  try {
    row = JSON.parse(line)
  } catch {
    throw badCorrections(`line ${number} is not valid JSON, ${wanted}`)
  }
  if (typeof row !== 'object' || row === null || Array.isArray(row)) {
    throw badCorrections(`line ${number} is not a JSON object, ${wanted}`)
  }
  const unknown = Object.keys(row).find((name) => !members.has(name))
  if (unknown !== undefined)
    throw badCorrections(`line ${number} has an unknown member '${unknown.slice(0, 100)}', ${wanted}`)
  const { record, text = null, cut = false } = row as { record?: unknown; text?: unknown; cut?: unknown }
  if (!Number.isSafeInteger(record) || (record as number) < 1) {
    throw badCorrections(`line ${number} has no record, wanted a whole number from 1`)
  }
  if (text !== null && typeof text !== 'string') throw badCorrections(`line ${number} has a text that is not a string`)
  return { record: record as number, text, isCut: cut === true }
}
