// Tests of duplicates: the same bytes give the same dataset, even if sent often, concurrently or under other names.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from '../support/client.ts'
import { csvText } from '../support/samples.ts'
import { sharedService } from '../support/shared-service.ts'

const service = await sharedService()
const client = new Client(service.url)

const content = csvText('id,name', 40_000, (i) => `${i},name ${i} and some more of it`)

test('eight concurrent uploads of the same bytes make one dataset, and only one of them creates it', async () => {
  const before = await client.datasetIds()
  const receipts = await Promise.all(
    Array.from({ length: 8 }, (_, i) => client.upload({ content, fileName: `copy-${i}.csv` })),
  )
  assert.equal(new Set(receipts.map(({ id }) => id)).size, 1)
  assert.equal(receipts.filter(({ duplicate }) => !duplicate).length, 1)
  assert.equal(new Set(receipts.map(({ upload }) => upload.id)).size, 8)
  const facts = receipts.map(({ upload, duplicate, ...rest }) => rest)
  for (const one of facts) assert.deepEqual(one, facts[0])
  assert.deepEqual(await client.datasetIds(), [receipts[0]!.id, ...before])
  assert.deepEqual(service.incoming(), [])
})

test('an upload of stored bytes is reported as a duplicate, one of deleted bytes as new', async () => {
  const again = await client.upload(content)
  assert.equal(again.duplicate, true)
  assert.equal((await client.ask('DELETE', again.links.self)).status, 204)
  assert.equal((await client.ask('GET', again.links.self)).status, 404)
  const anew = await client.upload(content)
  assert.equal(anew.duplicate, false)
  assert.equal(anew.id, again.id)
  assert.equal((await client.rows(anew, '?offset=39999')).rows.length, 1)
})

test('concurrent uploads and deletions of the same bytes leave a complete dataset or none', async () => {
  const small = 'a,b\n1,2\n'
  const { id, links } = await client.upload(small)
  let uploading = 12
  const upload = async () => {
    for (let i = 0; i < 6; i++) assert.equal((await client.upload(small)).id, id)
  }
  const remove = async () => {
    while (uploading > 0) {
      const { status } = await client.ask('DELETE', links.self)
      assert.ok(status === 204 || status === 404, `${status}`)
    }
  }
  const uploads = Array.from({ length: uploading }, () => upload().finally(() => uploading--))
  await Promise.all([...uploads, remove(), remove()])
  const last = await client.upload(small)
  assert.deepEqual((await client.rows(last)).rows, [[1, 2]])
  assert.deepEqual(service.incoming(), [])
})

test('the same bytes read in another dialect give another dataset', async () => {
  const small = 'a;b,c\n1;2,3\n'
  const plain = await client.upload(small)
  const declared = await client.upload({
    content: small,
    dialect: { delimiter: plain.dialect.delimiter === ';' ? ',' : ';' },
  })
  assert.notEqual(declared.id, plain.id)
  assert.equal(declared.duplicate, false)
  assert.equal(declared.file.sha256, plain.file.sha256)
  assert.notDeepEqual(
    declared.columns.map(({ name }) => name),
    plain.columns.map(({ name }) => name),
  )
  const sameDeclared = await client.upload({ content: small, dialect: { delimiter: declared.dialect.delimiter } })
  assert.deepEqual([sameDeclared.id, sameDeclared.duplicate], [declared.id, true])
})
