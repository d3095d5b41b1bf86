// Tests of corrections with owners: who may correct what, who owns the result, and that quotas apply.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Scope, scopes } from '../../src/access/access.ts'
import { formatKeys, newKey } from '../../src/access/api-keys.ts'
import { type Answer, Client, jsonOf, refusalOf, type UploadResponse } from '../support/client.ts'
import { RunningService, scratchDir } from '../support/running-service.ts'

const content = 'id,name\n1,Anna\n2\n3\n'
const line = (record: number, text: string) => `{"record":${record},"text":"${text}"}\n`

async function withOwners(
  flags: readonly string[],
  work: (as: (owner: string, allowed?: readonly Scope[]) => Client) => Promise<void>,
) {
  await using scratch = await scratchDir()
  const made = new Map<string, ReturnType<typeof newKey>>()
  for (const owner of ['anna', 'bob']) {
    for (const allowed of [scopes, ['read'], ['upload']] as const) {
      const name = `${owner} ${allowed.join()}`
      made.set(name, newKey({ name, owner, scopes: allowed }))
    }
  }
  const file = join(scratch.path, 'keys.json')
  await writeFile(file, formatKeys([...made.values()].map(({ key }) => key)))
  await using service = await RunningService.start(join(scratch.path, 'data'), ['--keys', file, ...flags])
  await work((owner, allowed = scopes) => {
    const { secret } = made.get(`${owner} ${allowed.join()}`)!
    return new Client(service.url, { authorization: `Bearer ${secret}` })
  })
}

function correct(client: Client, id: string, body: string): Promise<Answer> {
  const type = { 'content-type': 'application/x-ndjson' }
  return client.ask('POST', `/qas/datasets/${id}/corrections`, Buffer.from(body), type)
}

test('corrections belong to the owner of the dataset, and nobody else can make or see them', async () => {
  await withOwners([], async (as) => {
    const [anna, bob] = [as('anna'), as('bob')]
    const mine = await anna.upload(content)
    const other = await correct(bob, mine.id, line(3, '2,Bo'))
    assert.deepEqual([other.status, refusalOf(other).exception], [404, 'csvupload.DatasetNotFoundException'])
    assert.equal((await correct(as('anna', ['read']), mine.id, line(3, '2,Bo'))).status, 403)
    const answer = await correct(anna, mine.id, line(3, '2,Bo'))
    assert.equal(answer.status, 200, answer.body.toString())
    const { id, upload } = jsonOf<UploadResponse>(answer)
    assert.deepEqual((await anna.datasetIds()).toSorted(), [mine.id, id].toSorted())
    assert.deepEqual(await bob.datasetIds(), [])
    for (const path of [
      `/qas/datasets/${id}`,
      `/qas/datasets/${id}/corrections`,
      `/qas/datasets/${id}/rows`,
      `/qas/uploads/${upload.id}`,
    ]) {
      assert.equal((await anna.ask('GET', path)).status, 200, path)
      assert.equal((await bob.ask('GET', path)).status, 404, path)
    }
    // The same file and corrections from another owner give another dataset.
    const theirs = await bob.upload(content)
    const same = jsonOf<UploadResponse>(await correct(bob, theirs.id, line(3, '2,Bo')))
    assert.notEqual(same.id, id)
    assert.equal(same.duplicate, false)
    assert.equal((await bob.ask('DELETE', `/qas/datasets/${id}`)).status, 404)
    assert.equal((await anna.ask('DELETE', `/qas/datasets/${mine.id}`)).status, 204)
    assert.equal((await anna.ask('GET', `/qas/datasets/${id}/data.csv`)).body.toString(), 'id,name\n1,Anna\n2,Bo\n')
  })
})

test('a corrected dataset counts toward the quota of datasets, and one beyond it is not stored', async () => {
  await withOwners(['--quota-datasets', '2'], async (as) => {
    const anna = as('anna')
    const first = await anna.upload(content)
    const one = jsonOf<UploadResponse>(await correct(anna, first.id, line(3, '2,Bo')))
    const refused = await correct(anna, first.id, line(4, '3,Cleo'))
    assert.deepEqual([refused.status, refusalOf(refused).exception], [507, 'csvupload.QuotaExceededException'])
    assert.deepEqual((await anna.datasetIds()).toSorted(), [first.id, one.id].toSorted())
    const again = await correct(anna, first.id, line(3, '2,Bo'))
    assert.ok(again.status === 507 || jsonOf<UploadResponse>(again).duplicate)
    await anna.ask('DELETE', `/qas/datasets/${first.id}`)
    // What is still wrong in a corrected dataset can be corrected.
    assert.equal((await correct(anna, one.id, line(4, '3,Cleo'))).status, 200)
    assert.equal((await correct(as('bob'), (await as('bob').upload(content)).id, line(3, '2,Bo'))).status, 200)
  })
})

test('of concurrent corrections, no more are kept than the quota of bytes allows', async () => {
  // One dataset takes more than two thousand bytes.
  await withOwners(['--quota-size', '8KB'], async (as) => {
    const anna = as('anna')
    const first = await anna.upload(content)
    const texts = ['Bo', 'Cleo', 'Dora', 'Emil', 'Finn', 'Gitta', 'Hans', 'Ida']
    const answers = await Promise.all(texts.map((name) => correct(anna, first.id, line(3, `2,${name}`))))
    const kept = answers.filter(({ status }) => status === 200)
    assert.ok(kept.length > 0 && kept.length < texts.length, `${kept.length} kept`)
    for (const { status } of answers) assert.ok(status === 200 || status === 507)
    assert.equal((await anna.datasetIds()).length, 1 + kept.length)
  })
})
