// Tests of accounting: every record and every byte is accounted for, in random files with the defects of real ones.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import { Client, type UploadResponse } from '../support/client.ts'
import { positionsOf } from '../support/reject-positions.ts'
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

test(`the bytes of every class are those of its lines, however a file is encoded (SEED=${seed})`, async () => {
  const encodings = ['utf-8', 'utf-16le', 'latin1'] as const
  for (let i = 0; i < fileCount; i++) {
    const random = createRandom(seed + i)
    const encoding = encodings[i % encodings.length] ?? 'utf-8'
    const end = random(2) === 0 ? '\n' : '\r\n'
    const word = encoding === 'latin1' ? 'Käse' : 'Käse漢'
    const lines: [kind: 'header' | 'blank' | 'skipped' | 'accepted' | 'rejected', text: string][] = [
      ['header', 'id;name;amount'],
      ...Array.from({ length: 40 + random(40) }, (_, id): (typeof lines)[number] => {
        const kind = random(12)
        if (kind === 0) return ['blank', '']
        if (kind === 1) return ['rejected', `${id};${word}`]
        if (kind === 2) return ['rejected', `${id};${word};1.5;${word}`]
        if (kind === 3) return ['accepted', `${id};"${word}${end};";2.25`]
        return ['accepted', `${id};${word.repeat(random(4) + 1)};${random(1000)}.50`]
      }),
      ['accepted', '900;last;1.00'],
      ...Array.from({ length: random(3) }, (): (typeof lines)[number] => ['blank', ';;']),
    ]
    if (random(2) === 0) for (let n = random(5); n > 0; n--) lines.splice(1, 0, ['blank', ''])
    const hasEnd = random(2) === 0
    const encoded = lines.map(([, text], at) =>
      Buffer.from(text + (hasEnd || at < lines.length - 1 ? end : ''), encoding),
    )
    const mark = Buffer.from(encoding === 'latin1' || random(2) === 0 ? '' : '\ufeff', encoding)
    const wanted = { header: 0, blank: 0, skipped: mark.length, accepted: 0, rejected: 0 }
    for (const [at, [kind]] of lines.entries()) wanted[kind] += encoded[at]?.length ?? 0
    const receipt = await client.upload(Buffer.concat([mark, ...encoded]))
    assert.deepEqual(receipt.bytes, wanted, `SEED=${seed + i}`)
  }
})

test('preamble, comments, units and the header among records are counted by their bytes', async () => {
  for (const [text, bytes] of [
    ['Report of May\n\nid,name\n1,a\n2,b\n3,c\n', { header: 8, blank: 1, skipped: 14, accepted: 12, rejected: 0 }],
    ['# by hand\nid,name\n# more\n1,a\n2,b\n\n3,c', { header: 8, blank: 1, skipped: 17, accepted: 11, rejected: 0 }],
    ['sep=;\nid;name\n1;a\n2;b\n', { header: 8, blank: 0, skipped: 6, accepted: 8, rejected: 0 }],
  ] as const) {
    assert.deepEqual((await client.upload(Buffer.from(text))).bytes, bytes, text)
  }
})

test('the bytes of a compressed file are those of its text, and the receipt says so', async () => {
  const text = Buffer.from('id,name\n1,a\n2\n\n')
  const receipt = await client.upload(gzipSync(text))
  assert.deepEqual(receipt.bytes, { header: 8, blank: 1, skipped: 0, accepted: 4, rejected: 2, of: 'decompressed' })
  assert.equal(receipt.file.compression?.bytes, text.length)
})

/** Line ends of the rejects are read from the file itself. */
function rejectedBytes(content: Buffer, rejects: readonly { byteOffset: number; byteLength: number }[]): number {
  return rejects.reduce((sum, { byteOffset, byteLength }) => {
    const [end] = /^(?:\r\n|\n)?/.exec(
      content
        .subarray(byteOffset + byteLength)
        .toString('latin1')
        .slice(0, 2),
    ) ?? ['']
    return sum + byteLength + end.length
  }, 0)
}

async function accountsFor(content: Buffer): Promise<void> {
  const receipt = await client.upload(content)
  const { records, file, links, encoding } = receipt
  assert.equal(file.bytes, content.length)
  const { total, header, blank, skipped, accepted, rejected } = records
  assert.equal(header + blank + skipped + accepted + rejected, total)
  assert.ok((await client.get(links.original)).equals(content))

  const rejects = await client.allRejects(receipt)
  assert.equal(rejects.length, rejected)
  assert.deepEqual(receipt.rejects.positions, positionsOf(rejects, content.length))
  const { of: _, ...classes } = receipt.bytes ?? assert.fail('the receipt has no bytes')
  const inAll = Object.values(classes).reduce((sum, count) => sum + count, 0)
  assert.equal(inAll, content.length)
  if (encoding.name === 'utf-8') assert.equal(classes.rejected, rejectedBytes(content, rejects))
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
  first: UploadResponse,
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
