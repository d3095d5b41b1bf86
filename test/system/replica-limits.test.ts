// Limits over replicas: what one process has let in counts at the others, and all of them together let in no more than one would.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Client } from '../support/client.ts'
import { scratchDir } from '../support/running-service.ts'
import { noS3Server, startS3Server } from '../support/s3-server.ts'
import { type Replicas, replicasOn } from './replica-jobs.ts'

if (noS3Server !== undefined) {
  test('limits over replicas', { skip: noS3Server }, () => {})
} else {
  const server = await startS3Server()
  const scratch = await scratchDir()
  after(async () => {
    await server[Symbol.asyncDispose]()
    await scratch[Symbol.asyncDispose]()
  })
  declareTests(() => replicasOn(server, join(scratch.path, randomUUID())))
}

function declareTests(open: () => Replicas): void {
  for (const count of [2, 3]) {
    test(`${count} replicas keep as many datasets as the quota allows, whoever is sent them`, async () => {
      await using replicas = open()
      const clients = await startAll(replicas, count, ['--quota-datasets', '5'])
      const send = async (i: number) => (await clients[i % count]!.send({ content: `n\n${i}\n` })).status
      const statuses = await Promise.all(Array.from({ length: 4 * count }, (_, i) => send(i)))
      for (const status of statuses) assert.ok(status === 200 || status === 507, `${status}`)
      let kept = statuses.filter((status) => status === 200).length
      assert.ok(kept <= 5, `${kept} were kept at once`)
      // Of those that want the last room at once, all may be refused; one after the other, it is used to the last.
      for (let i = 100; kept < 5; i += 1, kept += 1) assert.equal(await send(i), 200)
      for (let i = 200; i < 200 + count; i += 1) assert.equal(await send(i), 507)
      assert.equal((await clients[0]!.datasetIds()).length, 5)
      assert.deepEqual(await replicas.keys('shared/reserved/'), [])
    })

    test(`${count} replicas answer as many requests of a caller as the limit allows, give or take a 32nd for each`, async () => {
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
      // On a machine that takes longer than a minute for it, the limit begins anew at each process.
      const minutes = Math.floor((performance.now() - startMs) / 60_000)
      const answered = statuses.filter((status) => status === 200).length
      assert.equal(statuses.filter((status) => status === 429).length, statuses.length - answered)
      assert.ok(answered <= (max + spare) * (1 + 2 * minutes), `${answered} were answered`)
      assert.ok(answered >= max - spare, `only ${answered} were answered`)
    })
  }
}

async function startAll(replicas: Replicas, count: number, flags: readonly string[]): Promise<readonly Client[]> {
  const services = await Promise.all(Array.from({ length: count }, (_, i) => replicas.start(`${i}`, flags)))
  return services.map(({ url }) => new Client(url))
}
