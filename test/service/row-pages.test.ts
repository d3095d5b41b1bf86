// Tests of rows across many parts: pages that begin and end anywhere, and rejects of one reason.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { RejectPage } from '../../src/service/service.ts'
import { Client, jsonOf, refusalOf, type UploadResponse } from '../support/client.ts'
import { csvText } from '../support/samples.ts'
import { sharedService, smallSegments } from '../support/shared-service.ts'

const service = await sharedService(smallSegments)
const client = new Client(service.url)

const recordCount = 30_000
/** Maximum rows per page. */
const limitMax = 10_000
const record = (i: number) => [i, `name ${i} ${'x'.repeat(60)}`, `${i}.50`]
let receipt: UploadResponse

before(async () => {
  receipt = await client.upload(csvText('id,name,amount', recordCount, (i) => record(i).join(',')))
})

test('rows are the same on pages that begin and end at, before and after every part', async () => {
  assert.ok(receipt.parts.length > 8, `${receipt.parts.length} parts`)
  let start = 0
  for (const { records } of receipt.parts) {
    for (const offset of [start - 1, start, start + records - 1].filter((one) => one >= 0)) {
      for (const limit of [1, 2, records, records + 1].filter((one) => one <= limitMax)) {
        const page = await client.rows(receipt, `?columns=id&offset=${offset}&limit=${limit}`)
        assert.equal(page.total, recordCount)
        const wanted = Math.min(limit, recordCount - offset)
        assert.deepEqual(
          page.rows.map(([id]) => id),
          Array.from({ length: wanted }, (_, i) => offset + i),
        )
      }
    }
    start += records
  }
  assert.equal(start, recordCount)
})

test('all pages of rows together are the file, in its order', async () => {
  const rows = await client.allRows(receipt)
  assert.deepEqual(
    rows,
    Array.from({ length: recordCount }, (_, i) => record(i)),
  )
})

test('pages beyond the end are empty, and the largest offset is not an error', async () => {
  for (const offset of [recordCount, recordCount + 1, Number.MAX_SAFE_INTEGER]) {
    const page = await client.rows(receipt, `?offset=${offset}`)
    assert.deepEqual(
      { rows: page.rows, offset: page.offset, total: page.total },
      { rows: [], offset, total: recordCount },
    )
  }
})

test('rows have the requested columns, in that order', async () => {
  const page = await client.rows(receipt, '?columns=amount,id&offset=12345&limit=1')
  assert.deepEqual(
    page.columns.map(({ name }) => name),
    ['amount', 'id'],
  )
  assert.deepEqual(page.rows, [['12345.50', 12345]])
  const answer = await client.ask('GET', `${receipt.links.rows}?columns=id,none`)
  assert.match(refusalOf(answer).message, /no column 'none'/)
})

test('rejects of one reason are found page by page, in file order, among many of others', async () => {
  // Every third record is rejected, for three reasons in turn.
  const line = (i: number) => (i % 3 !== 1 ? `${i},a` : i % 9 === 1 ? `${i}` : `${i},a,b`)
  const count = 150_000
  const { records, rejects, links } = await client.upload(csvText('id,name', count, line))
  const short = Array.from({ length: count }, (_, i) => i).filter((i) => i % 9 === 1)
  assert.deepEqual(rejects.reasons, { too_few_fields: short.length, too_many_fields: records.rejected - short.length })
  const page = async (query: string) => jsonOf<RejectPage>(await client.ask('GET', `${links.rejects}?${query}`))
  for (const [offset, limit] of [
    [0, 3],
    [9_999, 2],
    [short.length - 2, 10],
    [short.length, 10],
    [0, 10_000],
  ] as const) {
    const found = await page(`reason=too_few_fields&offset=${offset}&limit=${limit}`)
    assert.deepEqual([found.total, found.offset], [short.length, offset])
    assert.deepEqual(
      found.rejects.map(({ reason, text }) => [reason, text]),
      short.slice(offset, offset + limit).map((i) => ['too_few_fields', `${i}`]),
      `${offset} ${limit}`,
    )
  }
  assert.deepEqual(await page('reason=nul_byte'), { total: 0, offset: 0, rejects: [] })
  const refusal = refusalOf(await client.ask('GET', `${links.rejects}?reason=too_few`))
  assert.equal(refusal.exception, 'csvupload.BadParameterException')
})

test('rejects that all have the wanted reason are all found', async () => {
  const { links } = await client.upload('a,b\n1,2\n1\n2\n3,4\n')
  const page = await client.get(`${links.rejects}?reason=too_few_fields&offset=1`)
  assert.deepEqual(
    JSON.parse(page.toString()).rejects.map(({ text }: { text: string }) => text),
    ['2'],
  )
})
