// Tests of files with declared columns that are not plain UTF-8: encodings, dialects, compression, readings in passes.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { Client, jsonOf, type UploadResponse } from '../support/client.ts'
import { sharedService, smallSegments } from '../support/shared-service.ts'
import { assertVerified } from '../support/verified.ts'

const service = await sharedService(smallSegments)
const client = new Client(service.url)
const dirOf = ({ id }: UploadResponse) => join(service.dataDir, 'datasets', id)

/** Between an integer that is declared, and columns whose types are detected. */
const schema = { fieldsMatch: 'subset', fields: [{ name: 'n', type: 'integer' }] }

interface Line {
  readonly text: string
  readonly reason: 'constraint' | 'too_few_fields' | null
}

/** Records, of which some break a rule, some cannot be read, and some are rewritten. */
function lines(count: number, word: string, delimiter: string): readonly Line[] {
  return Array.from({ length: count }, (_, i): Line => {
    const name = i % 6_007 === 7 ? `"${word} ${i}"  ` : `${word} ${i}`
    if (i % 4_001 === 50) return { text: `${i}${delimiter}${name}`, reason: 'too_few_fields' }
    const isBroken = i % 13 === 5
    const text = [i, name, isBroken ? 'VIOLATES' : i * 2, i % 7].join(delimiter)
    return { text, reason: isBroken ? 'constraint' : null }
  })
}

/** Every record is accepted or rejected, in file order, with its place. */
async function accountsFor(
  receipt: UploadResponse,
  text: Buffer,
  all: readonly Line[],
  decode: (slice: Buffer) => string,
) {
  const bad = all.filter(({ reason }) => reason !== null)
  const { accepted, rejected } = receipt.records
  assert.deepEqual([accepted, rejected], [all.length - bad.length, bad.length])
  const rejects = await client.allRejects(receipt)
  assert.deepEqual(
    rejects.map(({ record, line, byteOffset, byteLength, column, reason, message }) => {
      const slice = decode(text.subarray(byteOffset, byteOffset + byteLength))
      return [record, line, slice, reason, reason === 'constraint' ? [column, message] : null]
    }),
    all.flatMap((line, i) => {
      const why = line.reason === 'constraint' ? [3, 'n: "VIOLATES" violates type integer'] : null
      return line.reason === null ? [] : [[i + 2, i + 2, line.text, line.reason, why]]
    }),
  )
  const rows = await client.allRows(receipt, 'n')
  assert.deepEqual(
    rows.map(([n]) => n),
    all.flatMap(({ reason }, i) => (reason === null ? [i * 2] : [])),
  )
  assert.deepEqual(
    receipt.columns.map(({ type }) => type),
    ['integer', 'text', 'integer', 'integer'],
  )
  const csv = (await client.get(receipt.links.csv)).toString().split('\n')
  assert.equal(csv.length, accepted + 2)
  assert.ok(!csv.some((one) => one.includes('VIOLATES')))
}

const latin1 = (text: string) => Buffer.from(text, 'latin1')
const files: readonly [
  what: string,
  word: string,
  dialect: { readonly delimiter: string; readonly encoding?: string },
  encode: (text: string) => Buffer,
  decode: (slice: Buffer) => string,
][] = [
  ['in UTF-8', 'Zürich', { delimiter: ';' }, (text) => Buffer.from(text), (slice) => slice.toString()],
  [
    'in UTF-16',
    'Zürich',
    { delimiter: ',', encoding: 'utf-16le' },
    (text) => Buffer.from(text, 'utf16le'),
    (slice) => slice.toString('utf16le'),
  ],
  [
    'in windows-1252',
    'Zürich',
    { delimiter: ';', encoding: 'windows-1252' },
    latin1,
    (slice) => slice.toString('latin1'),
  ],
  [
    'in Shift JIS',
    'あ',
    { delimiter: ',', encoding: 'shift_jis' },
    (text) => latin1(text.replaceAll('あ', '\x82\xa0')),
    (slice) => new TextDecoder('shift_jis').decode(slice),
  ],
  ['with a delimiter beyond ASCII', 'x', { delimiter: '¦' }, (text) => Buffer.from(text), (slice) => slice.toString()],
  ['with a comma and a space', 'x', { delimiter: ', ' }, (text) => Buffer.from(text), (slice) => slice.toString()],
]
for (const [what, word, dialect, encode, decode] of files) {
  test(`declared columns account for every record of a file ${what}, also compressed`, async () => {
    const all = lines(12_000, word, dialect.delimiter)
    const names = ['id', 'name', 'n', 'd'].join(dialect.delimiter)
    const content = encode(`${names}\n${all.map(({ text }) => `${text}\n`).join('')}`)
    const receipt = await client.upload({ content, dialect, schema })
    await accountsFor(receipt, content, all, decode)
    await assertVerified(dirOf(receipt))
    const compressed = await client.upload({ content: gzipSync(content), dialect, schema })
    await accountsFor(compressed, content, all, decode)
    const again = await client.upload({ content, dialect, schema })
    assert.ok(again.duplicate && again.id === receipt.id)
  })
}

/** Longer than a first segment. */
const many = 120_000

test('types that depend on values are decided by the accepted records only, in whatever segment they are', async () => {
  const rows = Array.from({ length: many }, (_, i) => {
    // Only records that break the rule of `n` have texts in `d` and other numbers of places in `x`.
    return i % 1_000 === 999 ? `VIOLATES,text,1.5` : `${i},${i},${i}.25`
  })
  const declared = {
    fieldsMatch: 'subset',
    fields: [
      { name: 'n', type: 'integer' },
      { name: 'x', type: 'number' },
    ],
  }
  const receipt = await client.upload({ content: `n,d,x\n${rows.join('\n')}\n`, schema: declared })
  assert.ok(receipt.parts.length > 3)
  assert.deepEqual(
    receipt.columns.map(({ type }) => type),
    ['integer', 'integer', 'decimal(9,2)'],
  )
  assert.deepEqual(receipt.rejects.reasons, { constraint: many / 1_000 })
  await assertVerified(dirOf(receipt))
})

test('a late value decides types again, and violations are counted once', async () => {
  const rows = Array.from({ length: many }, (_, i) => {
    if (i % 500 === 3) return `VIOLATES,${i},1`
    return `${i},${i === many - 1 ? 'late' : i},${i === many - 2 ? '0.125' : `${i}.25`}`
  })
  const declared = {
    fieldsMatch: 'subset',
    fields: [
      { name: 'n', type: 'integer' },
      { name: 'x', type: 'number' },
    ],
  }
  const receipt = await client.upload({ content: `n,d,x\n${rows.join('\n')}\n`, schema: declared })
  assert.deepEqual(
    receipt.columns.map(({ type }) => type),
    ['integer', 'text', 'number'],
  )
  const broken = many / 500
  assert.deepEqual([receipt.records.accepted, receipt.records.rejected], [many - broken, broken])
  const rejects = await client.allRejects(receipt)
  assert.deepEqual(
    rejects.map(({ record }) => record),
    Array.from({ length: broken }, (_, i) => 500 * i + 5),
  )
  assert.equal(
    receipt.parts.reduce((sum, { records }) => sum + records, 0),
    many - broken,
  )
  await assertVerified(dirOf(receipt))
})

test('whole segments of records that break rules leave empty parts, which can be read', async () => {
  const rows = Array.from({ length: many }, (_, i) => (i >= 60_000 && i < 90_000 ? `VIOLATES,${i}` : `${i},${i}`))
  const declared = { fieldsMatch: 'subset', fields: [{ name: 'n', type: 'integer' }] }
  const receipt = await client.upload({ content: `n,d\n${rows.join('\n')}\n`, schema: declared })
  assert.ok(receipt.parts.some(({ records }) => records === 0))
  assert.equal(receipt.records.accepted, many - 30_000)
  const wanted = Array.from({ length: many }, (_, i) => i).filter((i) => i < 60_000 || i >= 90_000)
  assert.deepEqual(
    (await client.allRows(receipt, 'd')).map(([d]) => d),
    wanted,
  )
  assert.deepEqual(
    (await client.get(receipt.links.csv)).toString(),
    `n,d\n${wanted.map((i) => `${i},${i}\n`).join('')}`,
  )
  const merged = await client.get(receipt.links.parquet)
  assert.ok(merged.length > 0)
  await assertVerified(dirOf(receipt))
})

test('a file with nothing but a header has the declared columns', async () => {
  const receipt = await client.upload({ content: 'id,name,n,d\n', dialect: { header: true }, schema })
  assert.equal(receipt.records.total, 1)
  assert.deepEqual(
    receipt.columns.map(({ name, type }) => [name, type]),
    [
      ['id', 'text'],
      ['name', 'text'],
      ['n', 'integer'],
      ['d', 'text'],
    ],
  )
  const rows = jsonOf<{ rows: unknown[] }>(await client.ask('GET', receipt.links.rows))
  assert.deepEqual(rows.rows, [])
})
