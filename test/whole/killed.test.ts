// Processes that are killed: the service at any moment of an upload, and a converter under it.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { bodyOf, Client, contentType, jsonOf, refusalOf, type UploadAnswer } from './client.ts'
import { isAlive, RunningService, scratchDir, seesProcesses, until } from './running-service.ts'
import { createRandom, csvText, seed } from './samples.ts'

const scratch = await scratchDir()
after(() => scratch[Symbol.asyncDispose]())

const flags = ['--segment-size', '256KB']
const body = bodyOf({ content: csvText('id,name,amount', 40_000, (i) => `${i},name ${i} and some more,${i}.50`) })
const head = `POST /qas/uploadCsv HTTP/1.1\r\nHost: x\r\nContent-Type: ${contentType}\r\nContent-Length: ${body.length}\r\n\r\n`

/** An upload of which this much has been handed to the kernel. */
async function begin(port: number, bytes: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(head)
  await new Promise<void>((resolve) => socket.write(body.subarray(0, bytes), () => resolve()))
  return socket
}

/** Everything that was kept can be read to its end. */
async function isWhole(client: Client, id: string): Promise<void> {
  const receipt = jsonOf<UploadAnswer>(await client.ask('GET', `/qas/datasets/${id}`))
  assert.equal((await client.get(receipt.links.original)).length, receipt.file.bytes)
  assert.equal((await client.allRows(receipt)).length, receipt.records.accepted)
  assert.match((await client.get(receipt.links.parquet)).toString('latin1', 0, 4), /^PAR1/)
}

test(`a service killed during an upload starts again with all that was answered, and nothing half (SEED=${seed})`, async (t) => {
  if (!seesProcesses) return t.skip('this system does not show processes')
  const dataDir = join(scratch.path, 'service-killed')
  const random = createRandom(seed)
  const answered: string[] = []
  for (let round = 0; round < 3; round++) {
    const service = await RunningService.start(dataDir, flags)
    const client = new Client(service.url)
    answered.push((await client.upload(`id,round\n1,${round}\n`)).id)
    // In every second round all bytes are sent, and the kill comes while the last of them are converted.
    const sending = await begin(service.port, round % 2 === 1 ? body.length : random(body.length))
    await until(
      'the upload has begun',
      () => service.incoming().length > 0 || service.datasetDirs().length > answered.length,
    )
    const turns = random(300)
    for (let i = 0; i < turns; i++) await new Promise((resolve) => setImmediate(resolve))
    const children = service.children()
    assert.ok(children.length > 0)
    service.kill('SIGKILL')
    await service.ended
    sending.destroy()
    await until('the children of the dead service have ended', () => !children.some(isAlive), 5_000)

    await using next = await RunningService.start(dataDir, flags)
    const nextClient = new Client(next.url)
    assert.deepEqual(next.incoming(), [])
    const shown = await nextClient.datasetIds()
    assert.deepEqual(next.datasetDirs().toSorted(), shown.toSorted(), 'nothing half stands among the datasets')
    for (const id of answered) assert.ok(shown.includes(id))
    for (const id of shown) await isWhole(nextClient, id)
    const { status } = await nextClient.ask('POST', '/qas/uploadCsv', body)
    assert.equal(status, 200)
    for (const id of await nextClient.datasetIds()) {
      if (!answered.includes(id)) await nextClient.ask('DELETE', `/qas/datasets/${id}`)
    }
  }
})

test('an upload survives the loss of one converter', async (t) => {
  if (!seesProcesses) return t.skip('this system does not show processes')
  await using service = await RunningService.start(join(scratch.path, 'one-killed'), [...flags, '--converters', '1'])
  const client = new Client(service.url)
  const before = service.children()
  // The pool of converters is started before the reader.
  const [converter] = before
  const uploading = client.ask('POST', '/qas/uploadCsv', body)
  await until('the upload has begun', () => service.incoming().length > 0)
  process.kill(converter!, 'SIGKILL')
  const answer = await uploading
  assert.equal(answer.status, 200, answer.body.toString())
  await isWhole(client, jsonOf<UploadAnswer>(answer).id)
  assert.ok(!service.children().includes(converter!))
  assert.equal(service.children().length, before.length)
})

test('an upload whose converters die again and again fails, keeps nothing, and the next one works', async (t) => {
  if (!seesProcesses) return t.skip('this system does not show processes')
  await using service = await RunningService.start(join(scratch.path, 'all-killed'), [...flags, '--converters', '1'])
  const client = new Client(service.url)
  let isAnswered = false
  const uploading = client.ask('POST', '/qas/uploadCsv', body).finally(() => {
    isAnswered = true
  })
  await until('the upload is answered', () => {
    for (const pid of isAnswered ? [] : service.children()) process.kill(pid, 'SIGKILL')
    return isAnswered
  })
  const answer = await uploading
  assert.equal(answer.status, 500)
  assert.match(refusalOf(answer).message, /converter failed; nothing of the upload was kept/)
  await until('nothing unfinished is left', () => service.incoming().length === 0)
  assert.deepEqual(await client.datasetIds(), [])
  assert.deepEqual(service.datasetDirs(), [])
  const { status, body: said } = await client.ask('POST', '/qas/uploadCsv', body)
  assert.equal(status, 200, said.toString())
  const [id] = await client.datasetIds()
  await isWhole(client, id!)
})
