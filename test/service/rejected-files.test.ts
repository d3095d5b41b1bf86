// Tests of rejected files: what is not CSV is refused and named, and unusual CSV is accepted.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { Client } from '../support/client.ts'
import { sharedService } from '../support/shared-service.ts'

const service = await sharedService()
const client = new Client(service.url)

/** Beginnings of files that users take for CSV, followed by more bytes. */
const binaries: readonly [string, Buffer, RegExp][] = [
  ['an Excel workbook', zipWith('[Content_Types].xml', 'xl/workbook.xml'), /Excel/],
  ['a ZIP archive', zipWith('readme.txt', 'data.csv'), /ZIP/i],
  [
    'a tar archive in a gzip file',
    gzipSync(Buffer.concat([Buffer.alloc(257, 'a.csv\0'), Buffer.from('ustar\0'), Buffer.alloc(249)])),
    /tar/,
  ],
  ['a gzip file in a gzip file', gzipSync(gzipSync('a,b\n1,2\n')), /gzip/],
  [
    'an HTML page',
    Buffer.from('<!doctype html>\n<html><body>Sign in, please</body></html>\n'),
    /HTML.*declare a dialect/,
  ],
  ['a JSON document', Buffer.from('[{"a": 1},\n{"a": 2}]\n'), /JSON/],
  ['a PDF', Buffer.from('%PDF-1.7\n%âãÏÓ\n1 0 obj\n<< >>\nendobj\n', 'latin1'), /PDF/],
  ['a PNG image', Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01', 'latin1'), /PNG|image/],
  ['a SQLite database', Buffer.from('SQLite format 3\0\x10\0\x01\x01\0@  ', 'latin1'), /SQLite/],
  ['a Parquet file', Buffer.from('PAR1\x15\x04\x15\0\0PAR1', 'latin1'), /Parquet/],
  [
    'bytes ridden with NUL',
    Buffer.from(Array.from({ length: 4_000 }, (_, i) => (i % 3 === 0 ? i & 127 : 0))),
    /binary/,
  ],
]

for (const [what, content, named] of binaries) {
  test(`uploading ${what} as .csv is refused with 422 and says what it looks like`, async () => {
    const before = service.datasetDirs()
    const refusal = await client.refused({ content })
    assert.equal(refusal.status, 422)
    assert.match(refusal.message, named)
    assert.deepEqual(service.incoming(), [])
    assert.deepEqual(service.datasetDirs(), before)
  })
}

interface OddCase {
  readonly what: string
  readonly content: string
  readonly names?: readonly string[]
  readonly rows: readonly (readonly unknown[])[]
  readonly counts: { total: number; header: number; blank: number }
}

const oddities: readonly OddCase[] = [
  {
    what: 'only a header',
    content: 'id,name,amount\n',
    names: ['id', 'name', 'amount'],
    rows: [],
    counts: { total: 1, header: 1, blank: 0 },
  },
  {
    what: 'one column',
    content: 'name\nAnna\nBob\nCarla\n',
    names: ['name'],
    rows: [['Anna'], ['Bob'], ['Carla']],
    counts: { total: 4, header: 1, blank: 0 },
  },
  {
    what: 'one column of numbers',
    content: 'amount\n1\n2\n30\n',
    names: ['amount'],
    rows: [[1], [2], [30]],
    counts: { total: 4, header: 1, blank: 0 },
  },
  {
    what: 'no final line end',
    content: 'id,name\n1,Anna\n2,Bob',
    names: ['id', 'name'],
    rows: [
      [1, 'Anna'],
      [2, 'Bob'],
    ],
    counts: { total: 3, header: 1, blank: 0 },
  },
  {
    what: 'a byte order mark',
    content: '\ufeffid,name\n1,Anna\n2,Bob\n',
    names: ['id', 'name'],
    rows: [
      [1, 'Anna'],
      [2, 'Bob'],
    ],
    counts: { total: 3, header: 1, blank: 0 },
  },
  {
    what: 'a byte order mark and a quoted header',
    content: '\ufeff"id","full name"\r\n1,Anna\r\n2,Bob\r\n',
    names: ['id', 'full name'],
    rows: [
      [1, 'Anna'],
      [2, 'Bob'],
    ],
    counts: { total: 3, header: 1, blank: 0 },
  },
  {
    what: 'blank lines between records',
    content: 'id,name\n\n1,Anna\n\n\n2,Bob\n\n',
    names: ['id', 'name'],
    rows: [
      [1, 'Anna'],
      [2, 'Bob'],
    ],
    counts: { total: 7, header: 1, blank: 4 },
  },
]

for (const { what, content, names, rows, counts } of oddities) {
  test(`uploading a file with ${what} gives its columns and rows`, async () => {
    const receipt = await client.upload(content)
    const { total, header, blank, rejected } = receipt.records
    assert.deepEqual({ total, header, blank, rejected }, { ...counts, rejected: 0 })
    assert.deepEqual(
      receipt.columns.map(({ name }) => name),
      names,
    )
    assert.deepEqual(await client.allRows(receipt), rows)
    assert.ok((await client.get(receipt.links.original)).equals(Buffer.from(content)))
    assert.match((await client.get(receipt.links.parquet)).toString('latin1', 0, 4), /^PAR1/)
    const csv = (await client.get(receipt.links.csv)).toString()
    assert.equal(csv.trimEnd().split('\n').length, rows.length + 1)
  })
}

test('uploading a file of only blank lines counts them, and finds no column', async () => {
  const receipt = await client.upload('\n\r\n\n\n')
  const { records, columns, rejects, parts, links } = receipt
  assert.deepEqual(records, { total: 4, header: 0, blank: 4, skipped: 0, accepted: 0, rejected: 0 })
  assert.deepEqual([columns, parts, rejects.count], [[], [], 0])
  assert.deepEqual(await client.allRows(receipt), [])
  const { status } = await client.ask('GET', links.parquet)
  assert.equal(status, 404, 'Parquet has no table without a column')
})

/** A ZIP with these entries, stored and empty: enough to recognize it. */
function zipWith(...names: readonly string[]): Buffer {
  const entries = names.map((name) => {
    const head = Buffer.alloc(30)
    head.write('PK\x03\x04', 'latin1')
    head[4] = 20
    head.writeUInt16LE(name.length, 26)
    return Buffer.concat([head, Buffer.from(name)])
  })
  return Buffer.concat(entries)
}

test('a record with a surplus quote is repaired if only one meaning is possible, and noted', async () => {
  const clean = Array.from({ length: 50 }, (_, i) => `${i},"say ""${i}""",x\n`).join('')
  const receipt = await client.upload(Buffer.from(`id,text,more\n${clean}50,"a "x" b",c\n${clean}`))
  assert.equal(receipt.records.rejected, 0)
  assert.deepEqual(receipt.notes, [
    {
      code: 'QUOTE_REPAIRED',
      severity: 'doubt',
      message: '1 record has an extra quote but can be read in only one way; the quote is kept as text (line 52).',
      lines: [52],
    },
  ])
})
