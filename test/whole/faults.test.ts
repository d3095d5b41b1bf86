// Faults of what is around the service: disks, converters that hang or bloat. It goes on, or says why.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Client, jsonOf, refusalOf, type UploadAnswer } from './client.ts'
import { fillDisks, mountDisk, sendAtOnce } from './faults.ts'
import { body, flags, isWhole } from './kills.ts'
import { RunningService, scratchDir, seesProcesses, until } from './running-service.ts'
import { seed } from './samples.ts'

const scratch = await scratchDir()
after(() => scratch[Symbol.asyncDispose]())

const noMount = 'mounting a small file system takes root on Linux'

test('uploads to disks that are filled up end in a whole dataset or in nothing and a record that says so', async (t) => {
  const came = await fillDisks([0, 1_500_000, 3_000_000, 20_000_000])
  if (came === null) return t.skip(noMount)
  t.diagnostic(JSON.stringify(came))
  assert.ok(came.kept > 0 && came.refused > 0)
})

test('a data directory that becomes read-only stops uploads, not downloads, and nothing else is needed when it is back', async (t) => {
  await using disk = await mountDisk(128 * 1_048_576)
  if (disk === null) return t.skip(noMount)
  await using service = await RunningService.start(disk.path, flags)
  const client = new Client(service.url)
  const { id } = await client.upload('a,b\n1,2\n')
  // Mounted over themselves: the disk as a whole cannot become read-only while the lock is open for writing.
  const places = ['incoming', 'datasets', 'uploads'].map((name) => join(disk.path, name))
  for (const place of places) {
    execFileSync('mount', ['--bind', place, place])
    execFileSync('mount', ['-o', 'remount,bind,ro', place])
  }
  assert.equal(refusalOf(await client.ask('GET', '/readyz')).status, 500)
  assert.equal(refusalOf(await client.ask('POST', '/qas/uploadCsv', body)).status, 500)
  await goesOn(client, id)
  for (const place of places) execFileSync('umount', ['--lazy', place])
  assert.equal((await client.ask('GET', '/readyz')).status, 200)
  await isWhole(client, jsonOf<UploadAnswer>(await client.ask('POST', '/qas/uploadCsv', body)).id)
})

test('a disk without a byte left stops uploads; what is kept can be read, asked and deleted', async (t) => {
  await using disk = await mountDisk(128 * 1_048_576)
  if (disk === null) return t.skip(noMount)
  await using service = await RunningService.start(disk.path, flags)
  const client = new Client(service.url)
  const { id } = await client.upload('a,b\n1,2\n')
  await assert.rejects(writeFile(join(disk.path, 'filler'), Buffer.alloc(128 * 1_048_576)), { code: 'ENOSPC' })
  assert.equal(refusalOf(await client.ask('GET', '/readyz')).status, 507)
  assert.equal(refusalOf(await client.ask('POST', '/qas/uploadCsv', body)).status, 507)
  await goesOn(client, id)
  assert.equal((await client.ask('DELETE', `/qas/datasets/${id}`)).status, 204)
  assert.deepEqual(service.datasetDirs(), [])
})

/** What is kept can be looked at, downloaded and asked where nothing can be written. */
async function goesOn(client: Client, id: string): Promise<void> {
  const self = `/qas/datasets/${id}`
  for (const path of ['', '/rejects', '/data.parquet', '/parts/0.parquet', '/datapackage.json']) {
    await client.get(self + path)
  }
  for (const path of ['/original', '/data.csv']) assert.equal((await client.get(self + path)).toString(), 'a,b\n1,2\n')
  assert.match((await client.get(`${self}/rows`)).toString(), /\[\[1,2\]\]/)
  const { status, body: said } = await client.askJson(`${self}/query`, Buffer.from('{"sql":"FROM data"}'))
  assert.equal(status, 200, said.toString())
}

test('a data directory that vanishes makes the service unready, and it recovers when that is back', async () => {
  const dataDir = join(scratch.path, 'vanishing')
  await using service = await RunningService.start(dataDir, flags)
  const client = new Client(service.url)
  const { id } = await client.upload('a,b\n1,2\n')
  await rename(dataDir, `${dataDir}-away`)
  assert.equal(refusalOf(await client.ask('GET', '/readyz')).status, 500)
  assert.equal(refusalOf(await client.ask('POST', '/qas/uploadCsv', body)).status, 500)
  assert.equal((await client.ask('GET', '/healthz')).status, 200)
  await rename(`${dataDir}-away`, dataDir)
  assert.equal((await client.ask('GET', '/readyz')).status, 200)
  assert.deepEqual(await client.datasetIds(), [id])
  await isWhole(client, id)
  await isWhole(client, jsonOf<UploadAnswer>(await client.ask('POST', '/qas/uploadCsv', body)).id)
})

test('an upload survives a converter that is stopped: its time ends, and another does its work', async (t) => {
  if (!seesProcesses) return t.skip('this system does not show processes')
  const limits = ['--converters', '1', '--convert-time-max', '3s']
  await using service = await RunningService.start(join(scratch.path, 'stopped'), [...flags, ...limits])
  const client = new Client(service.url)
  await until('converter, reader and waiting query have been started', () => service.children().length === 3)
  const [converter] = service.children()
  // It answers once, so that what is measured is not its start.
  await client.upload('a,b\n1,2\n')
  process.kill(converter!, 'SIGSTOP')
  const answer = await client.ask('POST', '/qas/uploadCsv', body)
  assert.equal(answer.status, 200, answer.body.toString())
  await isWhole(client, jsonOf<UploadAnswer>(answer).id)
  assert.ok(!service.children().includes(converter!))
})

test(`the same bytes many times at once, and the service killed after it, are one whole dataset (SEED=${seed})`, async (t) => {
  if (!seesProcesses) return t.skip('this system does not show processes')
  t.diagnostic(JSON.stringify(await sendAtOnce(join(scratch.path, 'at-once'), { seed, rounds: 1, kills: true })))
})
