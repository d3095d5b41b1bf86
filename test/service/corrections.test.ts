// Tests of corrections: edited rejects give a dataset with the corrected records in their places; all else stays.
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { correctionJson } from '../../src/http/exchange/receipt-json.ts'
import { Client, jsonOf, type UploadResponse } from '../support/client.ts'
import { begin } from '../support/resumable.ts'
import { sharedService } from '../support/shared-service.ts'
import { until } from '../support/until.ts'
import { assertVerified } from '../support/verified.ts'

const service = await sharedService()
const client = new Client(service.url)

type CorrectionResponse = UploadResponse & ReturnType<typeof correctionJson>

const csvType = { 'content-type': 'text/csv' }

function post({ id }: { readonly id: string }, body: string | Buffer, headers: Record<string, string> = csvType) {
  return client.ask('POST', `/qas/datasets/${id}/corrections`, Buffer.from(body), headers)
}

async function correct(
  dataset: { readonly id: string },
  body: string | Buffer,
  headers = csvType,
): Promise<CorrectionResponse> {
  const answer = await post(dataset, body, headers)
  assert.equal(answer.status, 200, answer.body.toString())
  return jsonOf<CorrectionResponse>(answer)
}

async function text({ id }: { readonly id: string }, path: string): Promise<string> {
  const answer = await client.ask('GET', `/qas/datasets/${id}/${path}`)
  assert.equal(answer.status, 200, `${path}: ${answer.body}`)
  return answer.body.toString()
}

async function rows(dataset: { readonly id: string }): Promise<unknown> {
  return (JSON.parse(await text(dataset, 'rows?limit=1000')) as { readonly rows: unknown }).rows
}

const dirOf = ({ id }: { readonly id: string }) => join(service.dataDir, 'datasets', id)

const people = 'id,name,born\n1,Ada,1815\n2,Grace\n3,Alan,1912\n4,Edsger,1930,x\n5,Kurt,1906\n'
const first = await client.upload(people)

test('corrected records are in their original places, and the first dataset does not change', async () => {
  const before = [await text(first, 'data.csv'), await text(first, 'rejects.csv'), await rows(first)]
  const corrected = await correct(first, 'record,text\r\n3,"2,Grace,1906"\r\n5,"4,Edsger,1930,y"\r\n')
  assert.notEqual(corrected.id, first.id)
  assert.equal(corrected.duplicate, false)
  assert.equal(await text(corrected, 'data.csv'), 'id,name,born\n1,Ada,1815\n2,Grace,1906\n3,Alan,1912\n5,Kurt,1906\n')
  assert.deepEqual(await rows(corrected), [
    [1, 'Ada', 1815],
    [2, 'Grace', 1906],
    [3, 'Alan', 1912],
    [5, 'Kurt', 1906],
  ])
  assert.deepEqual(corrected.records, { ...first.records, accepted: 4, rejected: 1 })
  assert.deepEqual(corrected.corrected, {
    sent: 2,
    unchanged: 0,
    refused: 1,
    firstRefused: [{ record: 5, column: null, reason: 'too_many_fields', message: '4 fields, expected 3' }],
  })
  assert.equal(corrected.corrections?.of, first.id)
  assert.equal(corrected.corrections?.count, 1)
  assert.equal((await text(corrected, 'rejects.csv')).split('\r\n')[1], before[1]!.toString().split('\r\n')[2])
  assert.equal(await text(corrected, 'original'), people)
  assert.equal(JSON.parse(await text(corrected, 'corrections')).text, '2,Grace,1906')
  assert.deepEqual([await text(first, 'data.csv'), await text(first, 'rejects.csv'), await rows(first)], before)
  await assertVerified(dirOf(corrected))
})

test('the same corrections sent again give the same dataset, however they are written', async () => {
  const one = await correct(first, 'record,text\r\n3,"2,Grace,1906"\r\n')
  for (const [body, type] of [
    ['record,text\r\n3,"2,Grace,1906"\r\n', 'text/csv'],
    ['\ufeffrecord;line;text\r\n3;3;2,Grace,1906\r\n', 'text/csv; charset=utf-8'],
    ['sep=\t\r\nrecord\ttext\r\n3\t2,Grace,1906\r\n\t\r\n', 'text/csv'],
    ['{"record":3,"text":"2,Grace,1906\\n"}\n\n', 'application/x-ndjson'],
    ['{"record":3,"text":"2,Grace,1906"}\n{"record":5,"text":null}', 'application/jsonl'],
  ] as const) {
    const again = await correct(first, body, { 'content-type': type })
    assert.deepEqual([again.id, again.duplicate], [one.id, true], body)
  }
  const utf16 = await correct(first, Buffer.from('\ufeffrecord\ttext\r\n3\t2,Grace,1906\r\n', 'utf16le'))
  assert.deepEqual([utf16.id, utf16.duplicate], [one.id, true])
})

test('corrections of a corrected dataset give the same dataset as all of them at once', async () => {
  const both = await correct(first, '{"record":5,"text":"4,Edsger,1930"}\n{"record":3,"text":"2,Grace,1906"}\n', {
    'content-type': 'application/x-ndjson',
  })
  assert.equal(both.records.rejected, 0)
  const one = await correct(first, 'record,text\n5,"4,Edsger,1930"\n')
  const two = await correct(one, 'record,text\n3,"2,Grace,1906"\n')
  assert.deepEqual([two.id, two.duplicate], [both.id, true])
  const changed = await correct(two, 'record,text\n3,"2,Grace,1907"\n')
  assert.equal(await text(changed, 'data.csv'), people.replace('Grace\n', 'Grace,1907\n').replace(',x', ''))
  assert.equal(changed.corrections?.of, first.id)
  await assertVerified(dirOf(changed))
})

test('corrections without changes give the existing dataset', async () => {
  const again = await correct(first, await text(first, 'rejects.csv'))
  assert.deepEqual([again.id, again.duplicate], [first.id, true])
  assert.deepEqual(again.corrected, { sent: 2, unchanged: 2, refused: 0, firstRefused: [] })
})

test('a corrected value can change the type of a column, as in a new upload', async () => {
  const corrected = await correct(first, 'record,text\n3,"two,Grace,1906.5"\n')
  assert.deepEqual(
    corrected.columns.map(({ type }) => type),
    ['text', 'text', 'number'],
  )
  assert.deepEqual(await rows(corrected), [
    ['1', 'Ada', 1815],
    ['two', 'Grace', 1906.5],
    ['3', 'Alan', 1912],
    ['5', 'Kurt', 1906],
  ])
})

test('a client that disconnects while it sends corrections leaves nothing', async () => {
  const before = await client.datasetIds()
  const row = 'record,text\r\n3,"2,Grace,1900"\r\n'
  const body = Buffer.from(`${row}5,"4,Edsger,1900"\r\n`)
  const headers = { ...csvType, 'content-length': body.length }
  for (const bytes of [0, 1, row.length, body.length - 1]) {
    const path = `/qas/datasets/${first.id}/corrections`
    const socket = await begin(service.url, 'POST', path, headers, body.subarray(0, bytes))
    await until('it has begun', () => service.drafts().length > 0)
    socket.destroy()
    await until('nothing of it is left', () => service.drafts().length === 0)
  }
  assert.deepEqual(await client.datasetIds(), before)
})

test('each of two datasets stays intact without the other', async () => {
  const content = 'a,b\n1,2\n3\n5,6\n'
  const plain = await client.upload(content)
  const corrected = await correct(plain, 'record,text\n3,"3,4"\n')
  await client.ask('DELETE', plain.links.self ?? '')
  assert.equal(await text(corrected, 'original'), content)
  assert.equal(await text(corrected, 'data.csv'), 'a,b\n1,2\n3,4\n5,6\n')
  await assertVerified(dirOf(corrected))
  const again = await client.upload(content)
  assert.deepEqual([again.id, again.duplicate], [plain.id, false])
  assert.equal((await correct(plain, 'record,text\n3,"3,4"\n')).id, corrected.id)
  await client.ask('DELETE', `/qas/datasets/${corrected.id}`)
  assert.equal(await text(plain, 'data.csv'), 'a,b\n1,2\n5,6\n')
})

test('a damaged corrected dataset is repaired by the same corrections', async () => {
  const plain = await client.upload('a,b\n1,2\n3\n7,8\n')
  const body = 'record,text\n3,"3,4"\n'
  const corrected = await correct(plain, body)
  for (const file of ['corrections', 'original', 'data/part-00000.parquet']) {
    rmSync(join(service.dataDir, 'datasets', corrected.id, file))
    const again = await correct(plain, body)
    assert.deepEqual([again.id, again.upload.outcome], [corrected.id, 'repaired'], file)
    await assertVerified(dirOf(again))
  }
})

const refusals: readonly (readonly [string, number, RegExp, string?])[] = [
  ['record,text\n2,"1,Ada,1815"\n', 400, /record 2 is not a reject of this dataset/],
  ['record,text\n99,x\n', 400, /record 99 is not a reject/],
  ['record,text\n3,"a,b,c"\n3,"d,e,f"\n', 400, /record 3 is given twice/],
  ['record,text,note\n3,x,y\n', 400, /there is no column 'note'/],
  ['record,text,text\n3,x,y\n', 400, /the column 'text' appears twice/],
  ['nr,words\n3,x\n', 400, /has to name the columns record and text/],
  ['record,text\nthree,x\n', 400, /row 1 below the header has 'three' as its record/],
  ['record,text\n3,x,y\n', 400, /line 2 cannot be read: 3 fields, expected 2/],
  ['record,text\n3,"x\n', 400, /line 2 cannot be read/],
  ['record,text\n', 400, /there are none/],
  ['', 400, /it is empty/],
  [' \n', 400, /there are none/],
  ['{"record":3,"texts":"x"}', 400, /line 1 has an unknown member 'texts'/],
  ['{"record":"3","text":"x"}', 400, /line 1 has no record/],
  ['{"record":3,"text":7}', 400, /line 1 has a text that is not a string/],
  ['{"record":3,"text":"x"}\n{"record":', 400, /line 2 is not valid JSON/],
  ['{"record":3,"text":"x","cut":true}', 400, /the text of record 3 is cut/],
  ['record,text\n3,x\n', 415, /Content type 'application\/json' not supported: send text\/csv/, 'application/json'],
  ['record,text\n3,x\n', 400, /its Content-Type has no boundary/, 'multipart/form-data'],
]

for (const [body, status, message, type = 'text/csv'] of refusals) {
  test(`corrections ${JSON.stringify(body.slice(0, 40))} as ${type} are refused with ${status}`, async () => {
    const answer = await post(first, body, { 'content-type': type })
    assert.equal(answer.status, status, answer.body.toString())
    assert.match(jsonOf<{ message: string }>(answer).message, message)
    assert.deepEqual(service.incoming(), [])
  })
}

const texts: readonly (readonly [string, string, RegExp])[] = [
  ['1,2,3\\n4,5,6', 'several_records', /2 records, expected 1/],
  ['1', 'too_few_fields', /1 field, expected 3/],
  [' ', 'no_record', /no record/],
  ['\\n', 'no_record', /no record/],
  ['"1,2,3', 'unclosed_quote', /quote opened at offset 0 is not closed/],
  ['1,"2"x,3', 'text_after_quote', /text after a closing quote/],
  ['1,2,\\u0000', 'nul_byte', /NUL byte/],
  ['1,2,\\ud800', 'invalid_bytes', /lone surrogate/],
]

for (const [sent, reason, message] of texts) {
  test(`a correction ${JSON.stringify(sent)} is refused as ${reason}, and its record stays a reject`, async () => {
    const body = `{"record":3,"text":"${sent.replaceAll('"', '\\"')}"}\n`
    const { id, corrected } = await correct(first, body, { 'content-type': 'application/x-ndjson' })
    assert.equal(id, first.id)
    assert.equal(corrected.firstRefused[0]?.reason, reason)
    assert.match(corrected.firstRefused[0]?.message ?? '', message)
  })
}
