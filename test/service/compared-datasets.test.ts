// Tests of compared datasets: the page reports exactly the changes between two datasets.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Ask, compareDatasets, rowsOfKeysSql } from '../../web/views/dataset/compare/compare-datasets.ts'
import { Client } from '../support/client.ts'
import { sharedService } from '../support/shared-service.ts'

const service = await sharedService()
const client = new Client(service.url)

async function askerOf(content: string): Promise<Ask & { readonly asked: string[] }> {
  const { id } = await client.upload(content)
  const asked: string[] = []
  const ask: Ask = async (sql) => {
    asked.push(sql)
    const answer = await client.askJson(`/qas/datasets/${id}/query`, Buffer.from(JSON.stringify({ sql })))
    assert.equal(answer.status, 200, answer.body.toString())
    return (JSON.parse(answer.body.toString()) as { rows: unknown[][] }).rows
  }
  return Object.assign(ask, { asked })
}

const record = (id: number, name: string) => `${id},"${name}",${id}.5`
const table = (records: readonly string[]) => `id,name "x",n\n${records.join('\n')}\n`
const records = Array.from({ length: 20_000 }, (_, index) => record(index + 1, `name ${index}`))

test('added, removed and changed rows are found by their key, in any order', async () => {
  const before = await askerOf(table(records))
  const edited = records.toReversed().filter((one) => !one.startsWith('7,'))
  edited[100] = edited[100]!.replace('name', "O'Name")
  const after = await askerOf(table([...edited, record(99_999, 'new')]))
  const found = await compareDatasets({ before, after }, 'id', ['name "x"', 'n'])
  const changedKey = edited[100]!.split(',')[0]!
  assert.deepEqual(found, {
    added: 1,
    removed: 1,
    changed: 1,
    repeatedKeys: 0,
    addedKeys: ['99999'],
    removedKeys: ['7'],
    changedKeys: [changedKey],
  })
  // Of 20,000 rows, only those near the three were fetched.
  const [, second] = await Promise.all(before.asked.map((sql) => before(sql)))
  assert.ok(second!.length < 200, `${second!.length} rows`)
  const [row] = await after(rowsOfKeysSql('id', ['name "x"'], [changedKey]))
  assert.equal(row?.[0], changedKey)
  assert.match(String(row?.[1]), /^O'Name/)
})

test('the same rows with other types or in another order are not a difference', async () => {
  const before = await askerOf('id,zip\n1,00123\n2,99\n')
  const after = await askerOf('zip,id\n99,2\n00123,1\n')
  const found = await compareDatasets({ before, after }, 'id', ['zip'])
  assert.deepEqual([found.added, found.removed, found.changed], [0, 0, 0])
})

test('repeated keys and rows without a key are counted as often as they occur', async () => {
  const before = await askerOf('k,v\na,1\na,2\n,3\nb,4\n')
  const after = await askerOf('k,v\na,2\na,5\na,6\n,3\n,7\n')
  const found = await compareDatasets({ before, after }, 'k', ['v'])
  assert.deepEqual(found, {
    added: 2,
    removed: 1,
    changed: 1,
    repeatedKeys: 7,
    addedKeys: ['a', null],
    removedKeys: ['b'],
    changedKeys: ['a'],
  })
  assert.deepEqual(await after(rowsOfKeysSql('k', ['v'], [null, 'b'])), [
    [null, '3'],
    [null, '7'],
  ])
})
