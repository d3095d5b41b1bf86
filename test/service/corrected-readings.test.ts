// Tests of corrected datasets of all kinds of files (schemas, encodings, dialects, compression) and of their readings.
import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { correctionJson } from '../../src/http/exchange/receipt-json.ts'
import { Client, type FileToSend, jsonOf, refusalOf, type UploadResponse } from '../support/client.ts'
import { seesProcesses } from '../support/running-service.ts'
import { csvText } from '../support/samples.ts'
import { sharedService } from '../support/shared-service.ts'
import { assertVerified } from '../support/verified.ts'

type CorrectionResponse = UploadResponse & ReturnType<typeof correctionJson>

const service = await sharedService()
const client = new Client(service.url)

/** Sends corrected texts by record. */
async function correct(
  { id }: { readonly id: string },
  texts: Readonly<Record<number, string>>,
): Promise<CorrectionResponse> {
  const body = Object.entries(texts).map(([record, text]) => `${JSON.stringify({ record: Number(record), text })}\n`)
  const headers = { 'content-type': 'application/x-ndjson' }
  const answer = await client.ask('POST', `/qas/datasets/${id}/corrections`, Buffer.from(body.join('')), headers)
  assert.equal(answer.status, 200, answer.body.toString())
  await assertVerified(dirOf(jsonOf<CorrectionResponse>(answer)))
  return jsonOf<CorrectionResponse>(answer)
}

function dirOf({ id }: UploadResponse): string {
  return join(service.dataDir, 'datasets', id)
}

async function csv({ links }: UploadResponse): Promise<string> {
  return (await client.get(links.csv)).toString()
}

async function rejected(dataset: UploadResponse): Promise<readonly [number, string][]> {
  return (await client.allRejects(dataset)).map(({ record, reason }) => [record, reason])
}

const schema = {
  fields: [
    { name: 'id', type: 'integer' },
    { name: 'size', type: 'string', constraints: { enum: ['S', 'M', 'L'] } },
  ],
}
const sizes = 'id,size\n1,S\n2,XX\n3\n4,M\n5,YY\nsix,L\n7,L,x\n8,S\n'

test('records that break a schema are corrected like others, and checked against it again', async () => {
  const first = await client.upload({ content: sizes, schema })
  assert.deepEqual(await rejected(first), [
    [3, 'constraint'],
    [4, 'too_few_fields'],
    [6, 'constraint'],
    [7, 'constraint'],
    [8, 'too_many_fields'],
  ])
  const corrected = await correct(first, { 3: '2,L', 4: '3,QQ', 6: '5,S', 8: '7,L' })
  assert.equal(await csv(corrected), 'id,size\n1,S\n2,L\n4,M\n5,S\n7,L\n8,S\n')
  assert.deepEqual((await client.rows(corrected)).rows, [
    [1, 'S'],
    [2, 'L'],
    [4, 'M'],
    [5, 'S'],
    [7, 'L'],
    [8, 'S'],
  ])
  assert.deepEqual(await rejected(corrected), [
    [4, 'too_few_fields'],
    [7, 'constraint'],
  ])
  assert.deepEqual([corrected.corrected.sent, corrected.corrected.refused], [4, 1])
  const [refused] = corrected.corrected.firstRefused
  assert.deepEqual([refused?.record, refused?.column, refused?.reason], [4, 2, 'constraint'])
  assert.match(refused?.message ?? '', /size: "QQ" violates enum S, M, L/)

  const again = await correct(first, { 3: '2,L', 4: '3,QQ', 6: '5,S', 8: '7,L' })
  assert.deepEqual([again.id, again.duplicate], [corrected.id, true])
  const stepwise = await correct(await correct(await correct(first, { 8: '7,L' }), { 6: '5,S' }), { 3: '2,L' })
  assert.deepEqual([stepwise.id, stepwise.duplicate], [corrected.id, true])
  const whole = await correct(corrected, { 4: '3,M', 7: '6,L' })
  assert.equal(await csv(whole), 'id,size\n1,S\n2,L\n3,M\n4,M\n5,S\n6,L\n7,L\n8,S\n')
  assert.deepEqual(await rejected(whole), [])
  assert.equal((await correct(first, { 3: '2,XXL', 7: 'seven,L' })).id, first.id)
})

test('many records that break a schema are still found among corrected records of both kinds', async () => {
  const lines = Array.from({ length: 5_000 }, (_, i) => (i % 7 === 3 ? `${i},bad` : i % 11 === 5 ? `${i}` : `${i},S`))
  const first = await client.upload({ content: `id,size\n${lines.join('\n')}\n`, schema })
  const rejects = await client.allRejects(first)
  const some = rejects.filter((_, i) => i % 3 === 0)
  const corrected = await correct(first, Object.fromEntries(some.map(({ record }) => [record, `${record - 2},L`])))
  assert.equal(corrected.corrected.refused, 0)
  assert.deepEqual(
    await client.allRejects(corrected),
    rejects.filter((_, i) => i % 3 !== 0),
  )
  const wanted = lines.flatMap((line, i) => {
    if (some.some(({ record }) => record === i + 2)) return [`${i},L\n`]
    return line.endsWith(',S') ? [`${line}\n`] : []
  })
  assert.equal(await csv(corrected), `id,size\n${wanted.join('')}`)
  assert.deepEqual(
    (await client.allRows(corrected)).map(([id, size]) => `${id},${size}\n`),
    wanted,
  )
})

const files: readonly (readonly [string, FileToSend, Readonly<Record<number, string>>, string])[] = [
  ['gzip', { content: gzipSync('a,b\n1,2\n3\n5,6\n') }, { 3: '3,4' }, 'a,b\n1,2\n3,4\n5,6\n'],
  [
    'windows-1252, with a text that it cannot hold',
    { content: Buffer.from('ort;name\nKöln;Jörg\nMünchen\nBärn;Käthi\n', 'latin1') },
    { 3: 'München;Łukasz 东' },
    'ort,name\nKöln,Jörg\nMünchen,Łukasz 东\nBärn,Käthi\n',
  ],
  [
    'UTF-16',
    { content: Buffer.from('\ufeffa\tb\r\n1\tx\r\n2\r\n3\tz', 'utf16le') },
    { 3: '2\ty' },
    'a,b\r\n1,x\r\n2,y\r\n3,z\r\n',
  ],
  [
    'wrong bytes',
    {
      content: Buffer.from('a,b\n1,ä\n2,\xff\n3,ö\n'.replace('ä', 'Ã¤').replace('ö', 'Ã¶'), 'latin1'),
      dialect: { encoding: 'utf-8' },
    },
    { 3: '2,ü' },
    'a,b\n1,ä\n2,ü\n3,ö\n',
  ],
  [
    'a delimiter beyond ASCII',
    { content: 'a¦b\n1¦2\n3\n5¦6\n', dialect: { delimiter: '¦' } },
    { 3: '3¦4' },
    'a,b\n1,2\n3,4\n5,6\n',
  ],
  [
    'an escape character',
    { content: 'a,b\n1,"x \\" y"\n3\n5,z\n', dialect: { escapeChar: '\\' } },
    { 3: '3,"q \\" r"' },
    'a,b\n1,"x "" y"\n3,"q "" r"\n5,z\n',
  ],
  ['lines that end with CR', { content: 'a,b\r1,2\r3\r5,6\r' }, { 3: '3,4' }, 'a,b\r\n1,2\r\n3,4\r\n5,6\r\n'],
  ['no header', { content: '1,2\n3\n5,6\n', dialect: { header: false } }, { 2: '3,4' }, '1,2\n3,4\n5,6\n'],
  [
    'an unclosed quote',
    { content: 'a,b\n1,2\n3,"4\n5,6\n7,8\n' },
    { 3: '3,"four\nlines"' },
    'a,b\n1,2\n3,"four\nlines"\n5,6\n7,8\n',
  ],
  ['a last record without a line end', { content: 'a,b\n1,2\n3' }, { 3: '3,4' }, 'a,b\n1,2\n3,4\n'],
]

for (const [what, file, texts, wanted] of files) {
  test(`a file with ${what} is corrected`, async () => {
    const first = await client.upload(file)
    const corrected = await correct(first, texts)
    assert.deepEqual([corrected.rejects.count, corrected.corrected.refused], [first.rejects.count - 1, 0])
    assert.equal((await csv(corrected)).replaceAll('\r\n', '\n'), wanted.replaceAll('\r\n', '\n'))
    assert.deepEqual(corrected.file, first.file)
    assert.deepEqual(corrected.encoding, first.encoding)
    assert.deepEqual(corrected.dialect, first.dialect)
  })
}

test('another reading of a corrected dataset has the corrections if the records are the same', async () => {
  const corrected = await correct(await client.upload('id,size\n1,S\n2\n3,XX\n4,L\n'), { 3: '2,QQ' })
  const read = async (body: object) =>
    client.askJson(`/qas/datasets/${corrected.id}/readings`, Buffer.from(JSON.stringify(body)))
  const typed = jsonOf<UploadResponse>(
    await read({ schema: { fields: [{ name: 'id', type: 'string' }, { name: 'size' }] } }),
  )
  assert.equal(await csv(typed), 'id,size\n1,S\n2,QQ\n3,XX\n4,L\n')
  assert.equal(typed.columns[0]?.type, 'text')
  assert.equal(typed.corrections?.count, 1)
  const strict = jsonOf<UploadResponse>(await read({ schema }))
  assert.equal(await csv(strict), 'id,size\n1,S\n4,L\n')
  assert.equal(strict.corrections, undefined)
  assert.ok(strict.notes.some(({ code, message }) => code === 'CORRECTIONS_LEFT_OUT' && /record 3/.test(message)))
  for (const one of [typed, strict]) await assertVerified(dirOf(one))
})

test('another reading of a corrected dataset is refused if its records differ, and leaves no file open', async () => {
  // More than its head, since only that is read.
  const content = csvText('id,size', 3_000, (i) => (i === 1 ? '2' : `${i},${'x'.repeat(400)}`))
  const { id } = await correct(await client.upload(content), { 3: '2,QQ' })
  const other = await client.askJson(`/qas/datasets/${id}/readings`, Buffer.from('{"dialect":{"delimiter":";"}}'))
  assert.equal(other.status, 422, other.body.toString())
  assert.match(other.body.toString(), /the file has other records than those that were corrected/)
  const removed = seesProcesses ? service.descriptors().filter((path) => path.endsWith('/original (deleted)')) : []
  assert.deepEqual(removed, [])
})

test('the CSV of a dataset with damaged corrections is refused, and leaves no file behind', async () => {
  const first = await client.upload('id,size\n1,S\n2\n3,damaged\n')
  const corrected = await correct(first, { 3: '2,damaged' })
  const path = join(dirOf(corrected), 'corrections')
  const bytes = await readFile(path)
  await writeFile(path, bytes.toString().replace('2,damaged', '2,Damaged'))
  const refusal = refusalOf(await client.ask('GET', corrected.links.csv))
  assert.deepEqual([refusal.status, refusal.exception], [500, 'csvupload.DatasetDamagedException'])
  const open = seesProcesses ? service.descriptors().filter((one) => one.includes(corrected.id)) : []
  assert.deepEqual([open, await readdir(join(service.dataDir, 'incoming'))], [[], []])
})

test('a correction of a dataset that was read as declared is read as declared', async () => {
  const first = await client.upload({ content: 'x;1,5\ny\nz;2,5\n', dialect: { header: false, delimiter: ';' } })
  const corrected = await correct(first, { 2: 'y;3,5' })
  assert.equal(await csv(corrected), 'x,"1,5"\ny,"3,5"\nz,"2,5"\n')
  assert.deepEqual(
    corrected.columns.map(({ type }) => type),
    ['text', 'decimal(9,1)'],
  )
})
