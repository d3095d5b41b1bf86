// Tests of annotated.csv: every record of a file in its order, with what became of it; and of downloads made while they
// are sent, which have a length, a tag and ranges all the same.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { randomFrom } from '../../src/core/random.testing.ts'
import { Client, type UploadResponse } from '../support/client.ts'
import { sharedService, smallSegments } from '../support/shared-service.ts'

const client = new Client((await sharedService(smallSegments)).url)

async function annotated({ links }: Pick<UploadResponse, 'links'>, query = '', delimiter = ','): Promise<string[][]> {
  // Throws if a row has another number of cells.
  return parse((await client.get(links.annotated + query)).toString(), { delimiter })
}

test('annotated.csv has titles, comments, blank lines and broken records at their places', async () => {
  const content =
    'Report,,,\n"by ""us""",,,\n\nid,name,born,"a, b"\n7,Ada,1815,x\n# hello\n8,"Gr\nace",1906,y\n\n\n9,Alan,1912\n9,"Al"x"an",1912,1,"\n10,=1+2,1924,z\n'
  const receipt = await client.upload(content)
  const rows = await annotated(receipt)
  const raw = (text: string, verdict: string) => [text, '', '', '', verdict]
  assert.deepEqual(rows, [
    ['id', 'name', 'born', 'a, b', 'verdict'],
    raw('Report,,,', 'before the records'),
    raw('"by ""us""",,,', 'before the records'),
    raw('', 'before the records'),
    raw('id,name,born,"a, b"', 'before the records'),
    ['7', 'Ada', '1815', 'x', 'accepted'],
    raw('# hello', 'skipped'),
    ['8', 'Gr\nace', '1906', 'y', 'accepted'],
    raw('', 'blank'),
    raw('', 'blank'),
    raw('9,Alan,1912', 'rejected: 3 fields, expected 4 (too_few_fields)'),
    raw(
      '9,"Al"x"an",1912,1,"',
      `rejected: text after a closing quote at offset ${content.indexOf('x"an')} in column 2 (text_after_quote)`,
    ),
    ['10', '=1+2', '1924', 'z', 'accepted'],
  ])
  assert.equal((await annotated(receipt, '?spreadsheet=true')).at(-1)![1], "'=1+2")
})

test('annotated.csv has comments at their places among records without a value', async () => {
  const receipt = await client.upload('id,a,b\n1,x,y\n,,\n# one\n,,\n2,x,y\n,,\n# two\n\n3,x\n,,\n# three\n')
  const verdicts = (await annotated(receipt)).slice(1).map((row) => row[3]!.slice(0, 8))
  const first = ['accepted', 'accepted', 'skipped', 'accepted', 'accepted']
  assert.deepEqual(verdicts, [...first, 'blank', 'skipped', 'blank', 'rejected', 'blank', 'skipped'])
})

test('annotated.csv has the fields of records that break a rule, and corrected ones', async () => {
  const schema = { fields: [{ name: 'n', type: 'integer' }, { name: 'verdict' }], fieldsMatch: 'equal' }
  const first = await client.upload({ content: 'n;verdict\n1;a\nx;"b;c"\n3\n4;d\n', schema })
  const [header, ...rows] = await annotated(first, '?delimiter=tab', '\t')
  assert.deepEqual(header, ['n', 'verdict', 'verdict_2'])
  assert.deepEqual(rows[1]!.slice(0, 2), ['x', 'b;c'])
  assert.match(rows[1]![2]!, /^rejected: .* in column 1 \(constraint\)$/)
  assert.deepEqual(rows[2], ['3', '', 'rejected: 1 field, expected 2 (too_few_fields)'])
  const answer = await client.ask('POST', first.links.corrections, Buffer.from('record,text\n3,2;b\n4,"3;""c"""\n'), {
    'content-type': 'text/csv',
  })
  const { links } = JSON.parse(answer.body.toString()) as UploadResponse
  const corrected = 'accepted: corrected'
  assert.deepEqual((await annotated({ links })).slice(1), [
    ['1', 'a', 'accepted'],
    ['2', 'b', corrected],
    ['3', 'c', corrected],
    ['4', 'd', 'accepted'],
  ])
})

test('annotated.csv of random files has one row for each record, and those of data.csv as accepted', async (t) => {
  const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 1e9))
  t.diagnostic(`SEED=${seed}`)
  const random = randomFrom(seed)
  const pick = <Item>(items: readonly Item[]) => items[random(items.length)]!
  const lines = [
    '1,a,b',
    '2,"a, ""b""",c',
    '3,"x\ny",c',
    '4,a',
    '5,a,b,c',
    '6,"a"b,c',
    '',
    '# note',
    ',,',
    '7,\u00e9,\u{1f600}',
  ]
  for (let file = 0; file < 8; file++) {
    const end = pick(['\n', '\r\n'])
    const body = Array.from({ length: pick([30, 3_000, 30_000]) }, () => (random(10) < 7 ? '1,a,b' : pick(lines)))
    const text = ['id,name,other', '1,a,b', ...body].join(end) + pick(['', end])
    const content = pick<Uint8Array>([
      Buffer.from(text),
      Buffer.from(`\ufeff${text}`),
      Buffer.from(`\ufeff${text}`, 'utf16le'),
    ])
    const receipt = await client.upload(content)
    const [, ...rows] = await annotated(receipt)
    const counts = Object.groupBy(rows, (row) => row.at(-1)!.split(':')[0]!)
    const seen = Object.fromEntries(Object.entries(counts).map(([verdict, those]) => [verdict, those!.length]))
    const { header, blank = 0, skipped, accepted, rejected, total } = receipt.records
    assert.deepEqual(
      { accepted: 0, rejected: 0, blank: 0, skipped: 0, ...seen },
      { accepted, rejected, blank, skipped },
      `SEED=${seed}`,
    )
    assert.equal(rows.length, total - header)
    const data = parse((await client.get(receipt.links.csv)).toString(), { from: 2 })
    assert.deepEqual(counts.accepted?.map((row) => row.slice(0, -1)) ?? [], data, `SEED=${seed}`)
  }
})

test('downloads that are made while they are sent have a length, a tag and ranges', async () => {
  const receipt = await client.upload('id,name\n007,Ada\n008,Grace\n9\n')
  const { csv, ndjson, rejectsCsv, annotated: all } = receipt.links
  for (const path of [csv, `${csv}?typed=true`, ndjson, rejectsCsv, all]) {
    const head = await client.ask('HEAD', path)
    const { body, headers } = await client.ask('GET', path)
    assert.equal(head.headers['content-length'], String(body.length), path)
    assert.equal(head.headers['accept-ranges'], 'bytes')
    assert.equal(headers.etag, head.headers.etag)
    const part = await client.ask('GET', path, undefined, { range: 'bytes=3-9', 'if-range': headers.etag! })
    assert.deepEqual([part.status, part.body], [206, body.subarray(3, 10)], path)
    assert.equal(part.headers['content-range'], `bytes 3-9/${body.length}`)
    const stale = await client.ask('GET', path, undefined, { range: 'bytes=3-9', 'if-range': '"other"' })
    assert.deepEqual([stale.status, stale.body], [200, body])
    assert.equal((await client.ask('GET', path, undefined, { range: `bytes=${body.length}-` })).status, 416)
    assert.equal((await client.ask('GET', path, undefined, { 'if-none-match': headers.etag! })).status, 304)
  }
  const tags = await Promise.all([csv, `${csv}?header=true`, all].map((path) => client.ask('HEAD', path)))
  assert.equal(new Set(tags.map(({ headers }) => headers.etag)).size, 3)
})
