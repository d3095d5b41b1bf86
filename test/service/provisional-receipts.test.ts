// Tests of provisional receipts: the page says the same about a file before it is sent as the service afterwards.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { isServiceError } from '../../src/core/errors.ts'
import { type CheckSource, checkFile } from '../../web/check/check-file.ts'
import { fileSource } from '../../web/check/file-source.ts'
import type { DeclaredDialect, ProvisionalReceipt } from '../../web/check/provisional.ts'
import { sharedService } from '../support/shared-service.ts'

const service = await sharedService()

const lines = (count: number, line: (n: number) => string) =>
  Array.from({ length: count }, (_, at) => line(at + 1)).join('\n')

interface Sample {
  readonly what: string
  readonly bytes: Uint8Array
  readonly dialect?: DeclaredDialect
}

const samples: readonly Sample[] = [
  { what: 'an ordinary file', bytes: Buffer.from(`id,name,amount\n${lines(300, (n) => `${n},n${n},${n}.50`)}\n`) },
  { what: 'no last line end', bytes: Buffer.from('a,b\n1,2\n3,4') },
  { what: 'leading zeros and null words', bytes: Buffer.from('zip,n,d\n00123,NA,2020-01-02\n99,5,\n,7,2020-02-03\n') },
  { what: 'quoted empty text', bytes: Buffer.from('a,b\n"",1\n,2\n"x ""y""",3\n') },
  {
    what: 'rejects of several kinds',
    bytes: Buffer.from(
      `a,b,c\n${lines(50, (n) => `${n},x,y`)}\n1,2\n1,2,3,4\nx,"y"z,1\nok,"a\nb",c\n1,\0,2\nlast,"open,2\n`,
    ),
  },
  { what: 'bytes that are not UTF-8', bytes: Buffer.from('név,x\nA\xe1,1\nB,2\n\xff\xfe,3\n', 'latin1') },
  {
    what: 'windows-1252',
    bytes: Buffer.from(`stadt;wert\n${lines(40, () => 'K\xf6ln;1,50\nM\xfcnchen;2,75')}\n`, 'latin1'),
  },
  { what: 'UTF-16 with a BOM', bytes: Buffer.from(`\ufeffa;b\n${lines(40, (n) => `ä${n};${n}`)}\n`, 'utf16le') },
  { what: 'lines that end in CR', bytes: Buffer.from('a,b\r1,"x,y"\r2,z\r') },
  { what: 'CR LF and LF mixed', bytes: Buffer.from('a,b\r\n1,2\n3,4\r\n5,6\r\n') },
  { what: 'titles, comments, blanks', bytes: Buffer.from('Report 2026\n\na,b\n# note\n1,2\n\n3,4\nTotal,6\n') },
  { what: 'a footer', bytes: Buffer.from(`a,b,c\n${lines(30, (n) => `${n},x,y`)}\n(30 rows)\n`) },
  { what: 'ambiguous dates', bytes: Buffer.from('d,e\n01/02/2020,31/12/2020\n03/04/2020,01/12/2020\n') },
  { what: 'numbers that are equal', bytes: Buffer.from('n,m\n1e2,a\n100.5,b\n1e2,c\n1E+2,d\n-0,e\n') },
  { what: 'escaped quotes', bytes: Buffer.from('a,b\n"x \\" y",1\n"z, \\" w",2\n"p \\"q\\"",3\n') },
  { what: 'one column', bytes: Buffer.from('word\none\ntwo\nthree\n') },
  { what: 'a delimiter of several bytes', bytes: Buffer.from('a§b\n1§2\n3§"4§5"\n'), dialect: { delimiter: '§' } },
  { what: 'a declared delimiter', bytes: Buffer.from('a;b,c\n1;2,3\n4;5,6\n'), dialect: { delimiter: ';' } },
  { what: 'no header, as declared', bytes: Buffer.from('a,b\n1,2\n3,4\n'), dialect: { header: false } },
  { what: 'no quotes, as declared', bytes: Buffer.from('a,b\n"1,2"\n"3,4"\n'), dialect: { quoteChar: null } },
  {
    what: 'an encoding, as declared',
    bytes: Buffer.from('a,b\n\xe4,1\n', 'latin1'),
    dialect: { encoding: 'iso-8859-2' },
  },
  {
    what: 'more than a head, with rejects at the end',
    bytes: Buffer.from(`id,text\n${lines(60_000, (n) => `${n},some text that is ${n} words long`)}\n1,2,3\nx,y\n`),
  },
]

/** The members that can be known before sending. */
function known({ encoding, dialect, records, columns, rejects, evidence, notes }: ProvisionalReceipt) {
  const { first, ...counted } = rejects
  return {
    encoding,
    dialect,
    records,
    columns,
    rejects: { ...counted, first: first.slice(0, 20) },
    evidence,
    notes,
  }
}

/** Bytes in chunks of one size. */
function sourceOf(bytes: Uint8Array, chunkBytes: number): CheckSource {
  return {
    async *chunks() {
      for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.slice(at, at + chunkBytes)
    },
    read: async (position, length) => bytes.subarray(position, position + length),
  }
}

for (const { what, bytes, dialect = {} } of samples) {
  test(`the provisional receipt is the service's own: ${what}`, async () => {
    const declared = Object.keys(dialect).length === 0 ? [] : [['dialect', JSON.stringify(dialect)] as const]
    const sent = new FormData()
    for (const [name, value] of declared) sent.append(name, value)
    sent.append('file', new Blob([Buffer.from(bytes)]), 'sample.csv')
    const response = await fetch(`${service.url}/qas/uploadCsv`, { method: 'POST', body: sent })
    assert.equal(response.status, 200, await response.clone().text())
    const { id } = (await response.json()) as { id: string }
    const receipt = (await (await fetch(`${service.url}/qas/datasets/${id}`)).json()) as ProvisionalReceipt
    for (const chunkBytes of [7, 65_536, 4_194_304]) {
      if (bytes.length / chunkBytes > 100_000) continue
      const provisional = await checkFile(sourceOf(bytes, chunkBytes), { dialect, schema: null, scope: 'whole' })
      assert.deepEqual(JSON.parse(JSON.stringify(known(provisional))), known(receipt), `chunks of ${chunkBytes}`)
      assert.ok(provisional.isWhole)
      const wanted = Math.min(100, provisional.records.accepted)
      assert.equal(provisional.rows.length, wanted)
      assert.ok(provisional.rows.every((row) => row.length === provisional.columns.length))
    }
  })
}

test('declared columns are checked as the service checks them, with the values that do not fit', async () => {
  const content = `id,amount,day\n${lines(40, (n) => `${n},${n}.50,2026-11-28`)}\n41,k.A.,2026-11-28\n42,"1,5",x\n,k.A.,1\n1\n`
  const schema = {
    fieldsMatch: 'subset',
    fields: [
      { name: 'no', nameInFile: 'id', type: 'integer', constraints: { required: true } },
      { name: 'amount', type: 'number' },
    ],
  }
  const sent = new FormData()
  sent.append('schema', JSON.stringify(schema))
  sent.append('file', new Blob([content]), 'declared.csv')
  const receipt = (await (await fetch(`${service.url}/qas/uploadCsv`, { method: 'POST', body: sent })).json()) as never
  const source = sourceOf(Buffer.from(content), 64)
  const checked = await checkFile(source, { dialect: {}, schema, scope: 'whole' })
  const facts = ({ records, columns, rejects }: ProvisionalReceipt) => ({ records, columns, reasons: rejects.reasons })
  assert.deepEqual(JSON.parse(JSON.stringify(facts(checked))), facts(receipt))
  assert.deepEqual(checked.misfits, [
    { column: 0, count: 1, values: [{ value: '', lines: [] }], at: [0.97] },
    {
      column: 1,
      count: 2,
      values: [
        { value: 'k.A.', lines: [] },
        { value: '1,5', lines: [] },
      ],
      at: [0.93, 0.95],
    },
  ])
  const wrong = { fields: [{ name: 'id', type: 'string', constraints: { pattern: '(' } }] }
  const one = await fileSource(new Blob(['id\n1\n']))
  const refused = checkFile(one, { dialect: {}, schema: wrong, scope: 'whole' })
  await assert.rejects(refused, (error) => isServiceError(error, 'BAD_PARAMETER'))
  const whole = sourceOf(Buffer.from('id\n1\nx\n'), 64)
  const { misfits } = await checkFile(whole, {
    dialect: {},
    schema: { fields: [{ name: 'id', type: 'integer' }] },
    scope: 'whole',
  })
  assert.deepEqual(misfits, [{ column: 0, count: 1, values: [{ value: 'x', lines: [3] }], at: [0.66] }])
})

test('the preview has the values of the first hundred rows, and distinguishes null from empty text', async () => {
  const text = `a;b\n"";"x ""y"";"\n;${'z'.repeat(5_000)}\n${lines(200, (n) => `${n};"${n}\n"`)}\n`
  const { rows } = await checkFile(await fileSource(new Blob([text])), { dialect: {}, schema: null, scope: 'head' })
  assert.equal(rows.length, 100)
  assert.deepEqual(rows[0], ['', 'x "y";'])
  assert.deepEqual(rows[1], [null, `${'z'.repeat(2_000)}…`])
  assert.deepEqual(rows[99], ['98', '98\n'])
})

test('only the head is read if nothing else is needed, and no record is cut', async () => {
  const text = `id,text\n${lines(200_000, (n) => `${n},some text of the record`)}\n`
  let readBytes = 0
  const source: CheckSource = {
    async *chunks() {
      for (let at = 0; at < text.length; at += 65_536) {
        readBytes += 65_536
        yield Buffer.from(text.slice(at, at + 65_536))
      }
    },
    read: null,
  }
  const head = await checkFile(source, { dialect: {}, schema: null, scope: 'head' })
  assert.ok(!head.isWhole && readBytes < 1_300_000, `${readBytes} bytes read`)
  assert.equal(head.rejects.count, 0)
  assert.deepEqual(
    head.columns.map(({ type }) => type),
    ['integer', 'text'],
  )
})

test('a gzip file is read as the file in it, and a workbook is refused with the message of the service', async () => {
  const text = Buffer.from('a,b\n1,2\n3\n')
  const plain = await checkFile(await fileSource(new Blob([text])), { dialect: {}, schema: null, scope: 'whole' })
  const packed = await checkFile(await fileSource(new Blob([gzipSync(text)])), {
    dialect: {},
    schema: null,
    scope: 'whole',
  })
  assert.deepEqual(packed.records, plain.records)
  assert.deepEqual(packed.columns, plain.columns)
  const workbook = new Blob([Buffer.from('504b0304140006000800', 'hex'), '[Content_Types].xml xl/workbook.xml'])
  await assert.rejects(
    async () => checkFile(await fileSource(workbook), { dialect: {}, schema: null, scope: 'head' }),
    (error) => isServiceError(error, 'NOT_CSV') && /Excel workbook/.test(error.message),
  )
})
