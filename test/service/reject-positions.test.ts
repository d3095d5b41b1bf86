// Tests of where rejects are: in the receipt of every kind of reading, however the bytes arrive.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { nothingScanned } from '../../src/reading/scanner/scanner.ts'
import { RecordTally, rejectFacts } from '../../src/service/ingest/record-tally.ts'
import { Client, jsonOf, type UploadResponse } from '../support/client.ts'
import { positionsOf } from '../support/reject-positions.ts'
import { createRandom, csvText, seed } from '../support/samples.ts'
import { sharedService } from '../support/shared-service.ts'
import { assertVerified } from '../support/verified.ts'

const service = await sharedService()
const client = new Client(service.url)

const textBytesOf = ({ file }: UploadResponse) => file.compression?.bytes ?? file.bytes

async function assertPositions(receipt: UploadResponse): Promise<void> {
  const rejects = await client.allRejects(receipt)
  assert.equal(rejects.length, receipt.records.rejected)
  assert.deepEqual(receipt.rejects.positions, positionsOf(rejects, textBytesOf(receipt)))
  const listed = JSON.parse(String(await client.get(`/qas/datasets?id=${receipt.id}`)))
  const { bucketBytes, buckets } = receipt.rejects.positions ?? { buckets: [] }
  const short = bucketBytes === undefined ? undefined : { bucketBytes, at: buckets.map(({ at }) => at) }
  assert.deepEqual(listed.datasets[0].rejects.positions, short)
}

const post = async (path: string, body: string, type: string) => {
  const answer = await client.ask('POST', path, Buffer.from(body), { 'content-type': type })
  assert.equal(answer.status, 200, answer.body.toString())
  return jsonOf<UploadResponse>(answer)
}

const messy = csvText('id,name,amount', 30_000, (i) =>
  i % 4_000 === 9 ? `${i}` : `${i},name ${i},${i % 97 === 5 ? 'x' : i}`,
)
const schema = { fields: [{ name: 'id' }, { name: 'name' }, { name: 'amount', type: 'integer' }] }

const files: Readonly<Record<string, { content: string | Buffer; dialect?: object; schema?: object }>> = {
  'no rejects': { content: 'a,b\n1,2\n' },
  'a file of less than 200 bytes': { content: 'a,b\n1\n2,3\n4\n5,6\n7,8' },
  'a file of several segments': { content: messy },
  'a compressed file': { content: gzipSync(messy) },
  'records that break the schema': { content: messy, schema },
  'a repeated key': {
    content: 'id,n\n1,a\n2,b\n1,c\n3\n2,d\n',
    schema: { fields: [{ name: 'id' }, { name: 'n' }], primaryKey: ['id'] },
  },
  'UTF-16': { content: Buffer.from(`\ufeff${messy}`, 'utf16le') },
  'titles, comments and a declared dialect': {
    content: `Report\n\n# note\n${messy.replaceAll(',', ';')}`,
    dialect: { delimiter: ';', commentChar: '#' },
  },
  'rejects alone': { content: `a,b\n${'x\n'.repeat(5_000)}` },
}

for (const [what, file] of Object.entries(files)) {
  test(`the receipt says where the rejects are: ${what}`, async () => {
    const receipt = await client.upload({ ...file, content: Buffer.from(file.content) })
    await assertPositions(receipt)
    await assertVerified(join(service.dataDir, 'datasets', receipt.id))
  })
}

test('a reading with another dialect, and a corrected dataset, have positions of their own', async () => {
  const first = await client.upload({ content: 'a,b;c\n1,2;3\n4\n5;6\n7,8;9\n', dialect: { delimiter: ',' } })
  const again = await post(`/qas/datasets/${first.id}/readings`, '{"dialect":{"delimiter":";"}}', 'application/json')
  await assertPositions(again)
  const corrected = await post(`/qas/datasets/${first.id}/corrections`, 'record,text\n3,"4,1"\n', 'text/csv')
  await assertPositions(corrected)
  assert.equal(corrected.records.rejected, first.records.rejected - 1)
  await assertVerified(join(service.dataDir, 'datasets', corrected.id))
})

test(`ranges double while a text is read, however it is cut (SEED=${seed})`, () => {
  const random = createRandom(seed)
  for (const bytes of [1, 2, 199, 200, 201, 400, 401, 1_000_003, 3_000_000_000]) {
    const offsets = Array.from({ length: 500 }, () => random(bytes)).toSorted((a, b) => a - b)
    const rejects = offsets.map((byteOffset) => ({ byteOffset, reason: 'too_few_fields' as const }))
    const tally = new RecordTally()
    while (rejects.length > tally.rejected) {
      const some = rejects.slice(tally.rejected, tally.rejected + 1 + random(90))
      const scanned = some.map((one) => ({
        ...one,
        endOffset: one.byteOffset,
        column: null,
        detail: 1,
        wanted: 2,
        record: 1,
        line: 1,
        byteLength: 0,
      }))
      tally.add({ ...nothingScanned({ consumedTo: 0, lines: 0 }), rejects: scanned })
    }
    const { positions } = rejectFacts(tally, bytes)
    assert.deepEqual(positions, positionsOf(rejects, bytes))
    assert.ok(
      positions?.buckets.every(({ at }) => at < 200),
      `${bytes} bytes`,
    )
  }
})
