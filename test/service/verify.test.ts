// Tests of offline verification: it accepts every dataset that the service makes, and names any changed file.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { cp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import type { Receipt } from '../../src/core/receipt.ts'
import { createRandom, csvText, randomCsv, seed } from '../support/samples.ts'
import { ownService } from '../support/shared-service.ts'
import { checksOf } from '../support/verified.ts'

const { service, client } = await ownService(['--segment-size', '64KB', '--record-size-max', '2KB'])
const scratchPath = dirname(service.dataDir)

const files: Readonly<Record<string, { content: string | Buffer; dialect?: object; schema?: object }>> = {
  'random, with all kinds of faults': { content: randomCsv(createRandom(seed)) },
  'in many segments, with many rejects': {
    content: csvText('id,text', 60_000, (i) => (i % 5 === 0 ? `${i}` : `${i},${'x'.repeat(i % 50)}`)),
  },
  'of one column, without header': { content: '1\n2\n\n3', dialect: { header: false } },
  'with only a header': { content: 'a,b\n' },
  'in UTF-16 with wrong bytes': { content: Buffer.from('\ufeffa;b\r\n1;ä\r\n2;\ud800\r\n3;c;d\r\n', 'utf16le') },
  'in Latin-1 with comments and escapes': {
    content: Buffer.from('# note\na;b\n1;"x\\"y"\n2;\xe4\n"open;3\n', 'latin1'),
    dialect: { delimiter: ';', escapeChar: '\\', commentChar: '#', encoding: 'windows-1252' },
  },
  'with every type, in every format': {
    content: [
      'i,l,d,n,b,B,date,time,ts,tz,dmy,mdy,de,ch,fr,words,text,empty,none',
      '1,9223372036854775807,1.50,1e5,true,TRUE,2024-02-29,12:30,2024-01-01T00:00,2024-01-01T00:00:00Z,31/12/2020,12/31/2020,"1.234,56",1\'234.5,"1 234,5",NA,x,"",',
      '-2,-9223372036854775808,-0.05,-0,false,FALSE,0001-01-01,12:30:00.123456,2024-01-01 23:59:59.9,2024-01-01 00:00+02:00,1/2/0021,2/29/2020,"-0,50",0.25,"0,5",7,"""x""",y,',
      '0,0,12345678901234567890123456789012345.67,.5,true,True,9999-12-31,00:00:00,1969-12-31 23:59,1969-12-31T23:59:59.999999-00:30,05/06/2020,5/6/2020,"12,00",7,"1 234 567",,,"NULL",',
      ',,,123456789012345678,,,,,,,,,,,,"",NULL,,',
    ].join('\n'),
  },
  'with two columns that swap their names': {
    content: 'a,b,c\n1,x,3\n2,y,4\n',
    schema: {
      fieldsMatch: 'subset',
      fields: [
        { name: 'b', nameInFile: 'a', type: 'integer' },
        { name: 'a', nameInFile: 'b', type: 'string' },
      ],
    },
  },
  'with declared numbers, of which a double keeps one not': {
    content: 'i;c\n0;1/5\n1;10/123456789012345678\n2;2/5\n',
    dialect: { delimiter: ';', header: true },
    schema: { fields: [{ name: 'i' }, { name: 'c', type: 'number', decimalChar: '/' }] },
  },
  'with declared numbers that are rounded': {
    content: 'i;c\n0;1e5\n1;10.123456789012345678\n2;2.5\n',
    dialect: { delimiter: ';', header: true },
    schema: { fields: [{ name: 'i' }, { name: 'c', type: 'number' }] },
  },
  'with declared columns, of which some break rules': {
    content: `n,m,b,d,t,s,x\n${Array.from({ length: 4_000 }, (_, i) => declaredRecord(i)).join('\n')}`,
    schema: {
      fields: [
        { name: 'n', type: 'number', decimalChar: ',', groupChar: "'" },
        { name: 'm', type: 'number' },
        { name: 'b', type: 'boolean', trueValues: ['ja'], falseValues: ['nein'] },
        { name: 'd', type: 'date', format: '%d.%m.%Y' },
        { name: 't', type: 'datetime' },
        { name: 's', type: 'string', constraints: { pattern: '.*[0-8]' } },
      ],
      fieldsMatch: 'subset',
      missingValues: ['', '-'],
    },
  },
  'with records beyond the limit, and quotes that never close': {
    content: `a,b\n1,${'x'.repeat(3_000)}\n2,"open\n${'3,c\n'.repeat(800)}4,"d\n`,
  },
}

function declaredRecord(i: number): string {
  const number = i % 7 === 3 ? 'bad' : `"1'${100 + (i % 900)},50"`
  const moment = `2024-01-0${1 + (i % 9)}T10:00:00${i % 2 === 0 ? 'Z' : ''}`
  return [number, `${i}.125`, ['ja', 'nein', '-'][i % 3], `${1 + (i % 28)}.2.2024`, moment, `"${i}"`, i].join()
}

for (const [what, { content, dialect, schema }] of Object.entries(files)) {
  test(`Verifier.verify() accepts the dataset of a file ${what} (SEED=${seed})`, async () => {
    const { id, records } = await client.upload({ content, ...(dialect && { dialect }), ...(schema && { schema }) })
    const checks = await checksOf(join(service.dataDir, 'datasets', id))
    assert.deepEqual(
      checks.filter(({ ok }) => !ok),
      [],
    )
    const names = checks.map(({ check }) => check.replace(/-\d+/, ''))
    const wanted = ['receipt', 'original', 'records', 'rejects', 'values', 'data/part.parquet']
    assert.deepEqual([...new Set(names)], records.rejected > 0 ? [...wanted, 'rejects/part.parquet'] : wanted)
  })
}

test('Verifier.verify() names what was changed', async () => {
  const rejected = csvText('id,text', 30, (i) => (i % 3 === 0 ? `${i}` : `${i},x`))
  const { id } = await client.upload(rejected)
  const other = await client.upload(rejected.replace('29,x', '29,y'))
  const kept = join(service.dataDir, 'datasets', id)
  const part = join('data', 'part-00000.parquet')
  const table = join('rejects', 'part-00000.parquet')
  const text = await readFile(join(kept, 'receipt.json'), 'utf8')
  const { checksum: _, ...receipt }: Receipt & { readonly checksum: string } = JSON.parse(text)
  const receiptWith = (change: (receipt: Receipt) => object) => (dir: string) =>
    writeFile(join(dir, 'receipt.json'), JSON.stringify({ ...receipt, ...change(receipt) }))
  const cases: readonly [string, (dir: string) => Promise<unknown>, RegExp][] = [
    [
      'original',
      (dir) => writeFile(join(dir, 'original'), rejected.replace('29,x', '29,z')),
      /^SHA-256 \w+, expected \w+$/,
    ],
    ['original', (dir) => truncate(join(dir, 'original'), 20), /^20 bytes, expected \d+$/],
    ['original', (dir) => rm(join(dir, 'original')), /^ENOENT/],
    [part, (dir) => truncate(join(dir, part), 20), /^20 bytes, expected/],
    [part, (dir) => rm(join(dir, part)), /^ENOENT/],
    [
      part,
      (dir) => cp(join(service.dataDir, 'datasets', other.id, part), join(dir, part)),
      /^SHA-256 |bytes, expected/,
    ],
    [table, (dir) => writeFile(join(dir, table), 'x'), /^1 bytes, expected/],
    ['receipt', (dir) => rm(join(dir, 'receipt.json')), /^there is no receipt\.json/],
    ['receipt', (dir) => writeFile(join(dir, 'receipt.json'), '{'), /cannot be read: /],
    [
      'receipt',
      (dir) => writeFile(join(dir, 'receipt.json'), text.replace('"why":"', '"why":"not ')),
      /does not match its checksum/,
    ],
    ['receipt', receiptWith(() => ({ body: undefined })), /cannot be read: body is missing/],
    [
      'receipt',
      receiptWith(() => ({ parts: [{ ...receipt.parts[0], file: 'data/../../x' }] })),
      /cannot be read: parts/,
    ],
    ['receipt', receiptWith(({ records }) => ({ records: { ...records, total: 30 } })), /: 31, expected 30$/],
    [
      'records',
      receiptWith(({ records }) => ({ records: { ...records, accepted: 19, blank: 1 } })),
      /accepted: 20 found, 19 in/,
    ],
    ['rejects', receiptWith(withFirst({ line: 3 })), /^record 2: line is 2, 3 in the table$/],
    [
      'values',
      withPartOf(other.id),
      /^record 20 of the data \(record 20 of data\/part-00000\.parquet\), column "text": the value is not/,
    ],
    [
      'values',
      receiptWith(({ columns: [id, text] }) => ({ columns: [{ ...id, type: 'number' }, text] })),
      /^record 1 .*, column "id": /,
    ],
  ]
  for (const [check, change, detail] of cases) {
    const dir = join(scratchPath, 'copy')
    await cp(kept, dir, { recursive: true })
    await change(dir)
    const failed = (await checksOf(dir)).filter(({ ok }) => !ok)
    const found = failed.find((one) => one.check === check)
    assert.ok(found, `${check} did not fail: ${JSON.stringify(failed)}`)
    assert.match(found.detail, detail)
    await rm(dir, { recursive: true })
  }

  /** The part of another dataset, and a receipt that states its bytes. */
  function withPartOf(id: string) {
    return async (dir: string) => {
      const bytes = await readFile(join(service.dataDir, 'datasets', id, part))
      await writeFile(join(dir, part), bytes)
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      await receiptWith(({ parts }) => ({ parts: [{ ...parts[0], bytes: bytes.length, sha256 }] }))(dir)
    }
  }

  /** A receipt as sent: without the table of rejects, but with the first of them. */
  function withFirst(change: object) {
    return ({ rejects }: Receipt) => {
      const [first, ...rest] = rejects.first
      return { rejects: { count: rejects.count, reasons: rejects.reasons, first: [{ ...first, ...change }, ...rest] } }
    }
  }
})
