// Tests of accounting: every record and every byte is accounted for, in random files with the defects of real ones.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { Client, type UploadAnswer } from '../support/client.ts'
import { createRandom, randomCsv, seed } from '../support/samples.ts'
import { sharedService } from '../support/shared-service.ts'

const service = await sharedService()
const client = new Client(service.url)

const fileCount = 15

test(`a file is returned intact, and its records are accepted, rejected or skipped (SEED=${seed})`, async () => {
  for (let i = 0; i < fileCount; i++) {
    const content = randomCsv(createRandom(seed + i))
    try {
      await accountsFor(content)
    } catch (error) {
      throw new Error(`SEED=${seed + i} is the first: ${(error as Error).message}`, { cause: error })
    }
  }
})

test('only the first U+FEFF of a file in UTF-32 is its byte order mark', async () => {
  const dialect = { header: false, delimiter: ',' }
  for (const [text, wanted] of [
    ['\ufeff1,a\n\ufeff2,b\n', ['1', '\ufeff2']],
    ['\ufeff\ufeff1,a\n', ['\ufeff1']],
  ] as const) {
    const content = Buffer.from(Uint32Array.from(text, (character) => character.codePointAt(0) ?? 0).buffer)
    const rows = await client.allRows(await client.upload({ content, dialect }))
    assert.deepEqual(
      rows.map(([first]) => first),
      wanted,
    )
  }
})

async function accountsFor(content: Buffer): Promise<void> {
  const receipt = await client.upload(content)
  const { records, file, links, encoding } = receipt
  assert.equal(file.bytes, content.length)
  const { total, header, blank, skipped, accepted, rejected } = records
  assert.equal(header + blank + skipped + accepted + rejected, total)
  assert.ok((await client.get(links.original)).equals(content))

  const rejects = await client.allRejects(receipt)
  assert.equal(rejects.length, rejected)
  let consumedTo = 0
  for (const { byteOffset, byteLength, text, base64, line } of rejects) {
    const bytes = content.subarray(byteOffset, byteOffset + byteLength)
    assert.ok(byteOffset >= consumedTo, 'rejects overlap or are out of order')
    consumedTo = byteOffset + byteLength
    const shown = text === null ? Buffer.from(base64!, 'base64') : textBytes(text, encoding.name)
    if (shown !== null) assert.deepEqual(shown, bytes)
    assert.equal(line, linesBefore(content, byteOffset) + 1)
  }

  const csv = await client.get(links.csv)
  const exported = parse(csv, { relax_column_count: false })
  assert.equal(exported.length, accepted + header)
  const rows = await client.allRows(receipt)
  assert.equal(rows.length, accepted)
  assert.equal(
    receipt.parts.reduce((sum, part) => sum + part.records, 0),
    accepted,
  )
  if (encoding.name === 'utf-8') isMadeOf(content, csv, rejects)
  await readsAgainTheSame(receipt, csv, rows)
}

/** The bytes that a text represents; null in an encoding that Node cannot write. */
function textBytes(text: string, encoding: string): Buffer | null {
  return encoding === 'utf-8' ? Buffer.from(text) : null
}

function linesBefore(content: Buffer, offset: number): number {
  return content.subarray(0, offset).filter((byte) => byte === 0x0a).length
}

/** Asserts that every record of the file is a reject or in the export; ids in the samples identify them. */
function isMadeOf(content: Buffer, csv: Buffer, rejects: readonly { byteOffset: number; byteLength: number }[]): void {
  let rest = content
  for (const { byteOffset, byteLength } of rejects.toReversed()) {
    rest = Buffer.concat([rest.subarray(0, byteOffset), rest.subarray(byteOffset + byteLength)])
  }
  // A record that is neither rejected nor exported is blank or a comment. Line ends and quotes may differ.
  const plain = (bytes: Buffer) =>
    bytes
      .toString()
      .split(/\r?\n/)
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => line.replaceAll('"', ''))
  assert.deepEqual(plain(csv), plain(rest))
}

/** Asserts that the export, sent again, gives the same table. */
async function readsAgainTheSame(
  first: UploadAnswer,
  csv: Buffer,
  rows: readonly (readonly unknown[])[],
): Promise<void> {
  if (first.records.accepted === 0) return
  const dialect = { delimiter: ',', quoteChar: '"', header: first.dialect.header, commentChar: null }
  const again = await client.upload({ content: csv, dialect })
  assert.equal(again.records.rejected, 0)
  assert.deepEqual(
    again.columns.map(({ name, type }) => ({ name, type })),
    first.columns.map(({ name, type }) => ({ name, type })),
  )
  assert.deepEqual(await client.allRows(again), rows)
}
