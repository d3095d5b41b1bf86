// Read sent: reads submitted corrections: a table like rejects.csv, or lines of JSON.
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { isServiceError } from '../../core/errors.ts'
import type { Receipt } from '../../core/receipt.ts'
import { throwStoreError } from '../../core/storage-error.ts'
import { FieldWalker, quote } from '../../csv/field-walker.ts'
import { readFully } from '../../io/read-bytes.ts'
import { textLines } from '../../io/text-lines.ts'
import { createDecoder } from '../../reading/encoding/decoder.ts'
import type { CreateScanner, FileScanOptions, ScanResult } from '../../reading/scanner/scanner.ts'
import { shownReject } from '../../reading/scanner/shown-reject.ts'
import { rejectCsvHeader } from '../dataset/rejects-csv.ts'
import type { Rule } from '../ingest/mend.ts'
import { readRule } from './rules.ts'
import { badCorrections, type SentRow } from './sent-rows.ts'

/** A header, a byte order mark and anything before the header end within this many bytes. */
const headBytes = 65_536

/**
 * The rows and rules, in the order in which they were sent. A text that is too long for a record is treated as missing.
 *
 * @throws {ServiceError} BAD_CORRECTIONS, naming the line or the record.
 */
export async function* readSent(
  path: string,
  createScanner: CreateScanner,
  { body: { recordBytesMax }, columns }: Pick<Receipt, 'body' | 'columns'>,
): AsyncGenerator<SentRow | Rule> {
  const file = await openSent(path)
  const names = columns.map(({ name }) => name)
  if (file.head.trimStart().startsWith('{')) yield* readLines(file, recordBytesMax, names)
  else yield* readSentTable(file, createScanner, recordBytesMax)
}

async function openSent(path: string): Promise<SentFile> {
  await using file = await open(path, 'r').catch(throwStoreError)
  const buffer = Buffer.alloc(headBytes)
  const head = buffer.subarray(0, await readFully(file, buffer, 0))
  const { encoding, markBytes } = encodingOf(head)
  const decode = createDecoder(encoding, 'replace', 'character')
  const text = decode(head.subarray(markBytes), head.length < headBytes)
  if (text.trim() === '') throw badCorrections('there are none; send rejects.csv with edited text')
  return { path, encoding, markBytes, head: text }
}

function encodingOf(head: Uint8Array): Pick<SentFile, 'encoding' | 'markBytes'> {
  const [first, second, third] = head
  if (first === 0xff && second === 0xfe) return { encoding: 'utf-16le', markBytes: 2 }
  if (first === 0xfe && second === 0xff) return { encoding: 'utf-16be', markBytes: 2 }
  const hasMark = first === 0xef && second === 0xbb && third === 0xbf
  return { encoding: 'utf-8', markBytes: hasMark ? 3 : 0 }
}

/** Members of a reject as the API shows it. Only the record, its place and the text count. */
const members = new Set([
  ...['record', 'line', 'byteOffset', 'byteLength', 'column', 'reason', 'message', 'ordinal', 'text', 'base64', 'cut'],
])

async function* readLines(
  { path, encoding, markBytes }: SentFile,
  recordBytesMax: number,
  columns: readonly string[],
): AsyncGenerator<SentRow | Rule> {
  let number = 0
  // JSON takes at most six bytes for a character.
  const lengthMax = 6 * recordBytesMax + headBytes
  for await (const lines of textLines(decoded(path, encoding, markBytes, lengthMax))) {
    for (const line of lines) {
      number++
      if (line.trim() !== '') yield rowOf(line, number, columns)
    }
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

function rowOf(line: string, number: number, columns: readonly string[]): SentRow | Rule {
  const expected = 'expected {"record": 17, "text": "…"}'
  let row: unknown
  try {
    row = JSON.parse(line)
  } catch {
    throw badCorrections(`line ${number} is not valid JSON, ${expected}`)
  }
  if (typeof row !== 'object' || row === null || Array.isArray(row)) {
    throw badCorrections(`line ${number} is not a JSON object, ${expected}`)
  }
  if ('mend' in row) return readRule({ ...row }, `line ${number}`, columns)
  const unknown = Object.keys(row).find((name) => !members.has(name))
  if (unknown !== undefined)
    throw badCorrections(`line ${number} has an unknown member '${unknown.slice(0, 100)}', ${expected}`)
  const { record, text = null, cut = false, byteOffset } = row as Readonly<Record<string, unknown>>
  if (!Number.isSafeInteger(record) || (record as number) < 1) {
    throw badCorrections(`line ${number} has no record, expected a whole number from 1`)
  }
  if (text !== null && typeof text !== 'string') throw badCorrections(`line ${number} has a text that is not a string`)
  return { record: record as number, text, isCut: cut === true, ...(typeof byteOffset === 'number' && { byteOffset }) }
}

/** A submitted file, as described by its head. */
interface SentFile {
  readonly path: string
  readonly encoding: 'utf-8' | 'utf-16le' | 'utf-16be'
  /** Length of the byte order mark. */
  readonly markBytes: number
  /** The beginning of the text. */
  readonly head: string
}

const known = rejectCsvHeader.trim().split(',')
/** Spreadsheet programs write the list separator of their system. */
const delimiters = [',', ';', '\t', '|'] as const

/** The position and columns of the rows. */
interface Table {
  readonly delimiter: string
  readonly names: readonly string[]
  /** Characters of the lines before the first row. */
  readonly headerLength: number
  readonly headerLines: number
}

/** @throws {ServiceError} BAD_CORRECTIONS */
async function* readSentTable(
  file: SentFile,
  createScanner: CreateScanner,
  recordBytesMax: number,
): AsyncGenerator<SentRow> {
  const table = tableOf(file.head)
  const start = file.markBytes + byteLength(file.head.slice(0, table.headerLength), file)
  const options = tableOptions(table, file, start, recordBytesMax)
  const scanner = createScanner(options)
  let row = 0
  const rowsOf = function* (scanned: ScanResult): Generator<SentRow> {
    for (const reject of scanned.rejects) {
      const { reason, line, message } = shownReject(reject)
      // It also holds the text of a record that was too long.
      if (reason === 'record_too_long') continue
      throw badCorrections(
        `line ${line} cannot be read: ${message}; save it as CSV in UTF-8, with the columns of rejects.csv`,
      )
    }
    for (const one of fieldRows(scanned.pieces, table)) {
      row++
      // Spreadsheet programs end a table with rows of empty cells.
      if (one.record !== '' || one.text !== '') yield sentRow(one, row)
    }
  }
  const chunks = createReadStream(file.path, { start })
  try {
    for await (const chunk of chunks) yield* rowsOf(scanner.push(chunk))
    yield* rowsOf(scanner.end())
  } catch (error) {
    throwStoreError(error)
  }
}

function tableOf(head: string): Table {
  const [separator = ''] = /^sep=[^\r\n](?:\r\n|\r|\n)/i.exec(head) ?? []
  const [line = '', end = ''] = /^([^\r\n]*)(\r\n|\r|\n|$)/.exec(head.slice(separator.length))?.slice(1) ?? []
  const named = delimiters.map((delimiter) => ({ delimiter, names: namesOf(line, delimiter) }))
  const found = named.find(({ names }) => names.includes('record') && names.includes('text'))
  if (found === undefined) {
    const header = `the first line has to name the columns record and text, as in rejects.csv: ${known.join(',')}`
    throw badCorrections(`${header}; it is '${line.slice(0, 100)}'`)
  }
  const { names } = found
  const twice = names.find((name, i) => name !== '' && names.indexOf(name) !== i)
  if (twice !== undefined) throw badCorrections(`the column '${twice.slice(0, 100)}' appears twice`)
  const unknown = names.find((name) => name !== '' && !known.includes(name))
  if (unknown !== undefined) {
    throw badCorrections(`there is no column '${unknown.slice(0, 100)}', expected only ${known.join(', ')}; remove it`)
  }
  const headerLength = separator.length + line.length + end.length
  return { ...found, headerLength, headerLines: separator === '' ? 1 : 2 }
}

function namesOf(line: string, delimiter: string): string[] {
  return line.split(delimiter).map((name) => name.trim().replace(/^"(.*)"$/, '$1'))
}

function byteLength(text: string, { encoding }: SentFile): number {
  return encoding === 'utf-8' ? Buffer.byteLength(text) : 2 * text.length
}

function tableOptions(
  { delimiter, names, headerLines }: Table,
  { encoding }: SentFile,
  byteOffset: number,
  recordBytesMax: number,
): FileScanOptions {
  return {
    encoding,
    delimiter: delimiter.charCodeAt(0),
    quote,
    escape: null,
    comment: null,
    skipInitialSpace: false,
    lineEnd: 'lf',
    width: names.length,
    // Some programs leave out empty cells at the end of a row; a message is never empty.
    padsShort: names.at(-1) !== 'message',
    // The record has its quotes doubled, and the row has other columns.
    recordBytesMax: Math.min(2 * recordBytesMax + 65_536, 2 ** 30),
    start: { byteOffset, records: headerLines, lines: headerLines },
  }
}

interface FieldRow {
  readonly record: string
  readonly text: string
}

/** The two required columns of each record. */
function* fieldRows(pieces: readonly Uint8Array[], { delimiter, names }: Table): Generator<FieldRow> {
  const columns = { record: names.indexOf('record'), text: names.indexOf('text') }
  const records = Buffer.concat(pieces)
  const walker = new FieldWalker({
    delimiter: Buffer.from(delimiter),
    quoteByte: quote,
    escapeByte: -1,
    lineEnd: 'lf',
  })
  walker.begin(records)
  let record = ''
  let text = ''
  while (walker.advance()) {
    const { column, start, end, isQuoted } = walker
    if (column === columns.record || column === columns.text) {
      const field = records.toString('utf8', start, end)
      const value = isQuoted ? field.replaceAll('""', '"') : field
      if (column === columns.record) record = value
      else text = value
    }
    if (!walker.endsRecord) continue
    yield { record, text }
    record = ''
    text = ''
  }
}

function sentRow({ record, text }: FieldRow, row: number): SentRow {
  const number = record.trim()
  if (!/^[1-9][0-9]{0,14}$/.test(number)) {
    const shown = number === '' ? 'nothing' : `'${number.slice(0, 40)}'`
    throw badCorrections(`row ${row} below the header has ${shown} as its record, expected a whole number from 1`)
  }
  return { record: Number(number), text: text === '' ? null : text, isCut: false }
}
