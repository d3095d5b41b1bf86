// Tests of binary signatures: which files are refused, and which texts only begin like them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { isServiceError } from '../../core/errors.ts'
import { refuseNuls, refuseSignature } from './binary-signatures.ts'

function looksLike(content: Uint8Array | string): string | null {
  const bytes = typeof content === 'string' ? Buffer.from(content, 'latin1') : content
  try {
    refuseSignature(bytes)
    refuseNuls(bytes)
    return null
  } catch (error) {
    assert.ok(isServiceError(error, 'NOT_CSV'))
    assert.notEqual(error.details.wayOut, '')
    return error.details.looksLike
  }
}

const refused: readonly [bytes: Uint8Array | string, looksLike: RegExp][] = [
  [gzipSync('a,b\n'), /gzip/],
  ['BZh91AY&SY\x00\x01', /bzip2/],
  ['\xfd7zXZ\x00', /xz/],
  ['\x28\xb5\x2f\xfd', /Zstandard/],
  ['7z\xbc\xaf\x27\x1c', /7-Zip/],
  ['Rar!\x1a\x07\x00', /RAR/],
  [`${'x'.repeat(257)}ustar\x00`, /tar/],
  ['PK\x03\x04....[Content_Types].xml....xl/workbook.xml', /\.xlsx/],
  ['PK\x03\x04....mimetypeapplication/vnd.oasis.opendocument.spreadsheet', /\.ods/],
  ['PK\x03\x04....sales.csv', /zip/],
  ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', /\.xls/],
  [`\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1...${Buffer.from('EncryptedPackage', 'utf16le')}`, /an encrypted Excel workbook/],
  ['%PDF-1.7\n', /PDF/],
  ['\x89PNG\r\n\x1a\n', /PNG/],
  ['\xff\xd8\xff\xe0', /JPEG/],
  ['GIF89a\x01\x00', /GIF/],
  ['PAR1\x15\x04', /Parquet/],
  ['SQLite format 3\x00', /SQLite/],
  ['\x7fELF\x02\x01', /program/],
  ['MZ\x90\x00\x03', /program/],
]

for (const [bytes, wanted] of refused) {
  test(`refuseSignature() recognizes ${wanted.source}`, () => assert.match(looksLike(bytes) ?? 'nothing', wanted))
}

test('refuseSignature() accepts texts that begin like a signature', () => {
  for (const text of ['PAR1,x\n', 'BZh,1\n', 'MZ;2\n', 'GIF89a,3\n', 'Rar!,x', 'PK,1\n', '']) {
    assert.equal(looksLike(text), null, text)
  }
})

test('refuseNuls() accepts a text with a few NULs', () => {
  assert.equal(looksLike(`a,b\n${'1,2\n'.repeat(100)}\x00,3\n`), null)
  assert.equal(looksLike('a\x00b'), null)
})

test('refuseNuls() accepts a text with a run of NULs, as a crash leaves it', () => {
  assert.equal(looksLike(`a,b\n1,2\n3,4${'\x00'.repeat(600)}`), null)
  const lines = '1,2\n'.repeat(100)
  assert.equal(looksLike(`${lines}${'\x00'.repeat(4096)}3,4\n${lines}`), null)
})

test('refuseNuls() refuses a file full of NULs', () => {
  assert.match(looksLike('a\x00b\x00\x00\x01\x00\x02\x00') ?? 'nothing', /NUL/)
  assert.match(looksLike(`a\n${'\x00'.repeat(9)}\x01\n${'\x00'.repeat(9)}`) ?? 'nothing', /NUL/)
  assert.match(looksLike('\x00'.repeat(600)) ?? 'nothing', /NUL/)
  assert.match(looksLike(`abc${'\x00'.repeat(600)}`) ?? 'nothing', /NUL/)
})
