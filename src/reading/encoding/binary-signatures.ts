// Binary signatures: recognizes binary files by their first bytes, and says what the user can do. Knows no CSV or encodings.
import { ServiceError } from '../../core/errors.ts'
import { byteLines } from '../bytes/byte-lines.ts'

interface Signature {
  readonly looksLike: string
  readonly wayOut: string
  readonly at?: number
  /** A signature of letters, with which a text may begin too: then a nearby control character must prove the file binary. */
  readonly bytes: readonly number[] | string
}

const saveWorkbook =
  "save it as 'CSV UTF-8' (in other programs as CSV with the encoding UTF-8) and send that; the CSV has what the cells " +
  'show, so format numbers with all their digits first, and with another encoding letters are lost'
const unpack = 'unpack it and send the CSV file in it'
const exportTable = 'export the table as CSV and send that'
const sendTable = 'send the table as a CSV file'

const signatures: readonly Signature[] = [
  { looksLike: 'a gzip archive', wayOut: unpack, bytes: [0x1f, 0x8b, 0x08] },
  { looksLike: 'a bzip2 archive', wayOut: unpack, bytes: 'BZh' },
  { looksLike: 'an xz archive', wayOut: unpack, bytes: [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00] },
  { looksLike: 'a Zstandard archive', wayOut: unpack, bytes: [0x28, 0xb5, 0x2f, 0xfd] },
  { looksLike: 'an LZ4 archive', wayOut: unpack, bytes: [0x04, 0x22, 0x4d, 0x18] },
  { looksLike: 'a 7-Zip archive', wayOut: unpack, bytes: [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c] },
  { looksLike: 'a RAR archive', wayOut: unpack, bytes: 'Rar!\x1a\x07' },
  { looksLike: 'a tar archive', wayOut: unpack, at: 257, bytes: 'ustar' },
  {
    looksLike: 'an old Excel workbook (.xls)',
    wayOut: saveWorkbook,
    bytes: [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1],
  },
  { looksLike: 'a PDF document', wayOut: sendTable, bytes: [0x25, 0x50, 0x44, 0x46, 0x2d] },
  { looksLike: 'a PNG image', wayOut: sendTable, bytes: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] },
  { looksLike: 'a JPEG image', wayOut: sendTable, bytes: [0xff, 0xd8, 0xff] },
  { looksLike: 'a GIF image', wayOut: sendTable, bytes: 'GIF87a' },
  { looksLike: 'a GIF image', wayOut: sendTable, bytes: 'GIF89a' },
  { looksLike: 'a Parquet file', wayOut: exportTable, bytes: 'PAR1' },
  { looksLike: 'an ORC file', wayOut: exportTable, bytes: 'ORC\x01' },
  { looksLike: 'an Arrow file', wayOut: exportTable, bytes: 'ARROW1\x00' },
  { looksLike: 'an Avro file', wayOut: exportTable, bytes: 'Obj\x01' },
  { looksLike: 'an SQLite database', wayOut: exportTable, bytes: 'SQLite format 3\x00' },
  { looksLike: 'a DuckDB database', wayOut: exportTable, at: 8, bytes: 'DUCK' },
  { looksLike: 'a program', wayOut: sendTable, bytes: '\x7fELF' },
  { looksLike: 'a program', wayOut: sendTable, bytes: 'MZ' },
]

const latin1 = new TextDecoder('latin1')
const encryptedWorkbook = 'an encrypted Excel workbook'
/** The name of its content, in UTF-16: the file around it is of the kind of an .xls. */
const encryptedStream = Array.from('EncryptedPackage').join('\0')

/** What a file can look like by its first bytes, apart from the kinds of zip archives. */
export const signatureKinds: readonly string[] = [...signatures.map(({ looksLike }) => looksLike), encryptedWorkbook]

/**
 * Refuses files that begin like another format.
 *
 * @throws {ServiceError} NOT_CSV, stating what the file looks like and what to do.
 */
export function refuseSignature(head: Uint8Array): void {
  const found = signatures.find((signature) => matches(head, signature))
  if (found?.wayOut === saveWorkbook && latin1.decode(head).includes(encryptedStream)) {
    throw new ServiceError('NOT_CSV', {
      looksLike: encryptedWorkbook,
      wayOut: `remove its password, then ${saveWorkbook}`,
    })
  }
  if (found !== undefined) throw new ServiceError('NOT_CSV', { looksLike: found.looksLike, wayOut: found.wayOut })
  if (startsWith(head, 'PK\x03\x04') || startsWith(head, 'PK\x05\x06')) throw new ServiceError('NOT_CSV', zipKind(head))
}

/**
 * Refuses files full of NULs; not for UTF-16 and UTF-32, where they are ordinary.
 *
 * @throws {ServiceError} NOT_CSV
 */
export function refuseNuls(head: Uint8Array): void {
  if (!isNulRidden(head)) return
  throw new ServiceError('NOT_CSV', { looksLike: 'binary data (it is full of NUL bytes)', wayOut: sendTable })
}

function matches(head: Uint8Array, signature: Signature): boolean {
  if (!startsWith(head, signature.bytes, signature.at ?? 0)) return false
  return typeof signature.bytes !== 'string' || head.subarray(0, 512).some((byte) => byte < 0x09)
}

function startsWith(head: Uint8Array, bytes: readonly number[] | string, at = 0): boolean {
  for (let index = 0; index < bytes.length; index += 1) {
    const wanted = typeof bytes === 'string' ? bytes.charCodeAt(index) : bytes[index]
    if (head[at + index] !== wanted) return false
  }
  return true
}

/** Workbooks are zip archives, distinguished by the names of their first entries. */
function zipKind(head: Uint8Array): { looksLike: string; wayOut: string } {
  const text = latin1.decode(head.subarray(0, 65_536))
  if (text.includes('mimetypeapplication/vnd.oasis.opendocument.spreadsheet')) {
    return { looksLike: 'an OpenDocument spreadsheet (.ods)', wayOut: saveWorkbook }
  }
  if (text.includes('xl/')) return { looksLike: 'an Excel workbook (.xlsx)', wayOut: saveWorkbook }
  if (text.includes('word/')) return { looksLike: 'a Word document (.docx)', wayOut: sendTable }
  return { looksLike: 'a zip archive', wayOut: unpack }
}

/**
 * A few NULs are damage in a text and become rejects; with more than one byte in fifty it is not text. A crash leaves long
 * runs of them, at the end of a file or where it was continued, which damage only a line each.
 */
function isNulRidden(head: Uint8Array): boolean {
  const text = withoutTail(head)
  let nulls = 0
  for (let at = text.indexOf(0); at >= 0; at = text.indexOf(0, at + 1)) nulls += 1
  return nulls > 4 && nulls * 50 > text.length && !areInFewLines(text)
}

/** The lines before a run of NULs that extends to the end; everything if there are none. */
function withoutTail(head: Uint8Array): Uint8Array {
  let end = head.length
  while (end > 0 && head[end - 1] === 0) end -= 1
  const text = head.subarray(0, end)
  return text.includes(0x0a) || text.includes(0x0d) ? text : head
}

/** True if at most one line in fifty has NULs. */
function areInFewLines(text: Uint8Array): boolean {
  let lines = 0
  let damaged = 0
  for (const line of byteLines(text)) {
    lines += 1
    if (line.includes(0)) damaged += 1
  }
  return damaged * 50 <= lines
}
