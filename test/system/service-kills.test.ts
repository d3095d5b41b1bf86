// Tests of kills: of the service at any moment of an upload, and of its converters.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Client, jsonOf, refusalOf, type UploadAnswer } from '../support/client.ts'
import { RunningService, scratchDir, seesProcesses, until } from '../support/running-service.ts'
import { seed } from '../support/samples.ts'
import { declaredBody, flags, isWhole, surviveKills } from './service-kills.ts'

const scratch = await scratchDir()
after(() => scratch[Symbol.asyncDispose]())

test(`a service killed during uploads keeps all that is acknowledged, and no more (SEED=${seed})`, async (t) => {
  if (!seesProcesses) return t.skip('this system does not show processes')
  await surviveKills(join(scratch.path, 'service-killed'), { seed, rounds: 4 })
})

test('an upload survives the loss of one converter', async (t) => {
  if (!seesProcesses) return t.skip('this system does not show processes')
  await using service = await RunningService.start(join(scratch.path, 'one-killed'), [...flags, '--converters', '1'])
  const client = new Client(service.url)
  const { converter } = await service.startChildren()
  const before = service.children()
  const uploading = client.ask('POST', '/qas/uploadCsv', declaredBody)
  const { dataDir } = service
  const firstPart = () =>
    service.incoming().some((draft) => existsSync(join(dataDir, 'incoming', draft, 'data/part-00000.parquet')))
  await until('the converter writes', firstPart)
  process.kill(converter, 'SIGKILL')
  const answer = await uploading
  assert.equal(answer.status, 200, answer.body.toString())
  await isWhole(client, jsonOf<UploadAnswer>(answer).id)
  assert.ok(!service.children().includes(converter))
  assert.equal(service.children().length, before.length)
})

test('an upload whose converters die repeatedly fails and keeps nothing, and the next one works', async (t) => {
  if (!seesProcesses) return t.skip('this system does not show processes')
  await using service = await RunningService.start(join(scratch.path, 'all-killed'), [...flags, '--converters', '1'])
  const client = new Client(service.url)
  let isAnswered = false
  const uploading = client.ask('POST', '/qas/uploadCsv', declaredBody).finally(() => {
    isAnswered = true
  })
  await until('the upload has its response', () => {
    for (const pid of isAnswered ? [] : service.children()) process.kill(pid, 'SIGKILL')
    return isAnswered
  })
  const answer = await uploading
  assert.equal(answer.status, 500)
  assert.match(refusalOf(answer).message, /converter failed; nothing of the upload was kept/)
  await until('nothing unfinished is left', () => service.incoming().length === 0)
  assert.deepEqual(await client.datasetIds(), [])
  assert.deepEqual(service.datasetDirs(), [])
  const { status, body: said } = await client.ask('POST', '/qas/uploadCsv', declaredBody)
  assert.equal(status, 200, said.toString())
  const [id] = await client.datasetIds()
  await isWhole(client, id!)
})
