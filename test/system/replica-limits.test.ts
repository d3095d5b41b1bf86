// Tests of limits across replicas: usage at one process counts at the others, and together they allow no more than one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bodyOf, Client, refusalOf } from '../support/client.ts'
import { patch, tus } from '../support/resumable.ts'
import { declareOnReplicas, type Replicas } from './replica-jobs.ts'

await declareOnReplicas('limits over replicas', declareTests)

function declareTests(open: () => Replicas): void {
  test('all replicas share an Idempotency-Key: in use, completed, and free again', async () => {
    await using replicas = open()
    const [one, other] = (await startAll(replicas, 2, [])) as [Client, Client]
    const headers = { 'idempotency-key': '"k1"' }
    const send = (client: Client, content: string) =>
      client.ask('POST', '/qas/uploadCsv', bodyOf({ content }), { ...headers })
    const first = await send(one, 'n\n1\n')
    assert.equal(first.status, 200, first.body.toString())
    const again = await send(other, 'n\n1\n')
    assert.equal(again.headers['idempotent-replayed'], 'true')
    assert.equal(again.body.toString(), first.body.toString())
    assert.equal(refusalOf(await send(other, 'n\n2\n')).status, 422)

    headers['idempotency-key'] = '"k2"'
    const begun = { ...tus, ...headers, 'upload-length': 8, 'upload-metadata': 'filename bi5jc3Y=' }
    const path = (await one.ask('POST', '/qas/uploads', undefined, begun)).headers.location!
    assert.equal((await send(other, 'n\n3\n')).status, 409)
    assert.equal((await other.ask('POST', '/qas/uploads', undefined, begun)).status, 409)
    // Bytes received by another replica do not affect it.
    assert.equal((await patch(other, path, 0, Buffer.from('n\n1'))).status, 204)
    assert.equal((await send(one, 'n\n3\n')).status, 409)
    assert.equal((await other.ask('DELETE', path, undefined, tus)).status, 204)
    let late = await send(one, 'n\n3\n')
    // The bucket is updated right after the response.
    while (late.status === 409) late = await send(one, 'n\n3\n')
    assert.equal(late.status, 200, late.body.toString())
    assert.equal((await send(other, 'n\n3\n')).body.toString(), late.body.toString())
  })

  for (const count of [2, 3]) {
    test(`${count} replicas keep as many datasets as the quota allows, whichever receives them`, async () => {
      await using replicas = open()
      const clients = await startAll(replicas, count, ['--quota-datasets', '5'])
      const send = async (i: number) => {
        const { status, body } = await clients[i % count]!.send({ content: `n\n${i}\n` })
        assert.ok(status === 200 || status === 507, body.toString())
        return status
      }
      const statuses = await Promise.all(Array.from({ length: 4 * count }, (_, i) => send(i)))
      let kept = statuses.filter((status) => status === 200).length
      assert.ok(kept <= 5, `${kept} were kept at once`)
      // Concurrent uploads for the last room may all be refused; sent one after another, they use it up.
      for (let i = 100; kept < 5; i += 1, kept += 1) assert.equal(await send(i), 200)
      for (let i = 200; i < 200 + count; i += 1) assert.equal(await send(i), 507)
      assert.equal((await clients[0]!.datasetIds()).length, 5)
      assert.deepEqual(await replicas.keys('shared/reserved/'), [])
    })

    test(`${count} replicas allow a caller as many requests as the limit, within a 32nd for each replica`, async () => {
      const max = 64
      const spare = (count - 1) * (max / 32)
      await using replicas = open()
      const clients = await startAll(replicas, count, ['--requests-per-minute', `${max}`])
      const startMs = performance.now()
      const statuses: number[] = []
      for (let i = 0; i < 2 * max; i += count) {
        const answers = await Promise.all(clients.map((client) => client.ask('GET', '/qas/caller')))
        statuses.push(...answers.map(({ status }) => status))
      }
      // On a machine that takes longer than a minute, the limit starts again at each process.
      const minutes = Math.floor((performance.now() - startMs) / 60_000)
      const answered = statuses.filter((status) => status === 200).length
      assert.equal(statuses.filter((status) => status === 429).length, statuses.length - answered)
      assert.ok(answered <= (max + spare) * (1 + 2 * minutes), `${answered} were allowed`)
      assert.ok(answered >= max - spare, `only ${answered} were allowed`)
    })
  }
}

async function startAll(replicas: Replicas, count: number, flags: readonly string[]): Promise<readonly Client[]> {
  const services = await Promise.all(Array.from({ length: count }, (_, i) => replicas.start(`${i}`, flags)))
  return services.map(({ url }) => new Client(url))
}
