// Tests of looking at an unfinished upload: provisional records and rejects so far, then those of its dataset.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { type Answer, Client, jsonOf, refusalOf } from '../support/client.ts'
import { create, patch } from '../support/resumable.ts'
import { RunningService, scratchDir, until } from '../support/running-service.ts'
import { mediumSegments, sharedService } from '../support/shared-service.ts'

const service = await sharedService(mediumSegments)
const client = new Client(service.url)

interface Page {
  readonly provisional?: boolean
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  readonly total: number
  readonly offset: number
  readonly rows: readonly (readonly unknown[])[]
}
interface Rejects extends Pick<Page, 'provisional' | 'total' | 'offset'> {
  readonly rejects: readonly { readonly record: number; readonly byteOffset: number; readonly text: string }[]
}

const recordCount = 100_000
/** Every thousandth record is rejected; the others contain their number. */
const isRejected = (i: number) => i % 1_000 === 999
const line = (i: number) => (isRejected(i) ? `${i},too,many,fields\n` : `${i},"name ""${i}""",${i / 8}\n`)
const text = `id,name,value\n${Array.from({ length: recordCount }, (_, i) => line(i)).join('')}`
const content = Buffer.from(text)
const accepted = Array.from({ length: recordCount }, (_, i) => i).filter((i) => !isRejected(i))

const look = async (path: string, what: 'rows' | 'rejects', offset: number, limit: number): Promise<Answer> =>
  await client.ask('GET', `${path}/${what}?offset=${offset}&limit=${limit}`)

/** Waits until an upload has this many rows; returns them. */
async function rowsOnce(path: string, total: number): Promise<Page> {
  for (;;) {
    const page = jsonOf<Page>(await look(path, 'rows', total - 1, 1))
    if (page.rows.length > 0) return page
  }
}

for (const [name, bytes, encoded] of [
  ['UTF-8', content, (part: string) => Buffer.byteLength(part)],
  ['UTF-16', Buffer.from(`\ufeff${text}`, 'utf16le'), (part: string) => 2 + 2 * part.length],
] as const) {
  test(`${name}: received records are visible at any offset, and equal those of the dataset`, async () => {
    const path = await create(client, bytes.length)
    assert.deepEqual(jsonOf<Page>(await look(path, 'rows', 0, 10)), {
      provisional: true,
      columns: [],
      total: 0,
      offset: 0,
      rows: [],
    })
    const at = Math.floor(bytes.length * 0.9)
    await patch(client, path, 0, bytes.subarray(0, at))
    const seen = 70_000
    await rowsOnce(path, seen)
    for (const offset of [0, 1, 998, 999, 12_345, 49_999, seen - 10]) {
      const page = jsonOf<Page>(await look(path, 'rows', offset, 10))
      assert.equal(page.provisional, true)
      assert.ok(page.total >= seen)
      assert.deepEqual(
        page.columns.map((one) => one.name),
        ['id', 'name', 'value'],
      )
      assert.deepEqual(
        page.rows,
        accepted.slice(offset, offset + 10).map((i) => [String(i), `name "${i}"`, String(i / 8)]),
      )
    }
    const all = jsonOf<Page>(await look(path, 'rows', 100, 10_000))
    assert.equal(all.rows.length, 10_000)
    assert.deepEqual(jsonOf<Page>(await look(path, 'rows', recordCount, 10)).rows, [])
    for (const offset of [0, 30, 60]) {
      const page = jsonOf<Rejects>(await look(path, 'rejects', offset, 3))
      assert.deepEqual([page.provisional, page.offset], [true, offset])
      const wanted = [999, 1_999, 2_999].map((i) => i + 1_000 * offset)
      assert.deepEqual(
        page.rejects.map((one) => [one.record, one.byteOffset, one.text.trimEnd()]),
        wanted.map((i) => [i + 2, encoded(text.slice(0, text.indexOf(line(i)))), line(i).trimEnd()]),
      )
    }

    const last = await patch(client, path, at, bytes.subarray(at))
    const dataset = last.headers['content-location']!
    const query = '?offset=12345&limit=5'
    const final = jsonOf<Page>(await client.ask('GET', `${path}/rows${query}`))
    assert.deepEqual(final, { provisional: false, ...jsonOf<Page>(await client.ask('GET', `${dataset}/rows${query}`)) })
    assert.deepEqual(final.rows[0], [accepted[12_345], `name "${accepted[12_345]}"`, accepted[12_345]! / 8])
    const rejects = jsonOf<Rejects>(await client.ask('GET', `${path}/rejects?offset=99`))
    assert.deepEqual([rejects.provisional, rejects.total, rejects.rejects.length], [false, 100, 1])
  })
}

test('a compressed file is shown decompressed', async () => {
  // Hardly compressible, so that its text arrives with it.
  const zipped = gzipSync(content, { level: 1 })
  const path = await create(client, zipped.length)
  await patch(client, path, 0, zipped.subarray(0, zipped.length - 1_000))
  const page = await rowsOnce(path, 50_000)
  assert.deepEqual(page.rows[0]?.[0], String(accepted[49_999]))
  assert.equal((await client.ask('DELETE', path)).status, 204)
})

test('nothing is visible of an upload that has failed, was forgotten, or has received less than its head', async () => {
  const small = await create(client, content.length)
  await patch(client, small, 0, content.subarray(0, 500))
  assert.deepEqual(jsonOf<Page>(await look(small, 'rows', 0, 10)).rows, [])
  assert.deepEqual(jsonOf<Rejects>(await look(small, 'rejects', 0, 10)).rejects, [])
  await client.ask('DELETE', small)
  for (const what of ['rows', 'rejects'] as const) {
    const gone = await look(small, what, 0, 10)
    assert.deepEqual([gone.status, refusalOf(gone).exception], [410, 'csvupload.UploadEndedException'])
    assert.equal((await look('/qas/uploads/00000000-0000-7000-8000-000000000000', what, 0, 10)).status, 404)
    assert.equal((await look(small, what, -1, 10)).status, 400)
  }
})

test('an abandoned reading is not visible; one that is made again is', async () => {
  await using scratch = await scratchDir()
  await using other = await RunningService.start(scratch.path, ['--resume-wait', '0s'])
  const from = new Client(other.url)
  const path = await create(from, content.length)
  await patch(from, path, 0, content.subarray(0, 2_000_000))
  await until('its draft is gone', () => other.drafts().length === 0)
  assert.deepEqual(jsonOf<Page>(await from.ask('GET', `${path}/rows`)).rows, [])
  assert.equal((await patch(from, path, 2_000_000, content.subarray(2_000_000))).status, 204)
  assert.equal(jsonOf<Page>(await from.ask('GET', `${path}/rows?limit=1`)).total, accepted.length)
})
