// Tests of faults around the service: of disks and descriptors. It continues, or says why not.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { chmod, chown, mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { canLimit } from '../../torture/floods.ts'
import { Client, jsonOf, refusalOf, type UploadResponse } from '../support/client.ts'
import { RunningService, scratchDir, seesProcesses } from '../support/running-service.ts'
import { csvText, seed } from '../support/samples.ts'
import { stillMsMax, until } from '../support/until.ts'
import { fillDisks, mountDisk, sendAtOnce } from './faults.ts'
import { body, flags, isWhole } from './service-kills.ts'

const scratch = await scratchDir()
after(() => scratch[Symbol.asyncDispose]())

/** A user without special rights, since file modes do not restrict root. */
const nobody = 65_534
const asAnother = ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups']
const canBeAnother = spawnSync('setpriv', [...asAnother.slice(1), 'true']).status === 0

const noMount = 'mounting a small file system takes root on Linux'

test('uploads to disks that fill up give a complete dataset, or nothing and an error record', async (t) => {
  const came = await fillDisks([0, 1_500_000, 3_000_000, 20_000_000])
  if (came === null) return t.skip(noMount)
  t.diagnostic(JSON.stringify(came))
  assert.ok(came.kept > 0 && came.refused > 0)
})

test('a read-only data directory stops uploads, not downloads, until it is writable again', async (t) => {
  await using disk = await mountDisk(128 * 1_048_576)
  if (disk === null) return t.skip(noMount)
  await using service = await RunningService.start(disk.path, flags)
  const client = new Client(service.url)
  const { id } = await client.upload('a,b\n1,2\n')
  // Bind mounts, since the whole disk cannot become read-only while the lock is open for writing.
  const places = ['incoming', 'datasets'].map((name) => join(disk.path, name))
  for (const place of places) {
    execFileSync('mount', ['--bind', place, place])
    execFileSync('mount', ['-o', 'remount,bind,ro', place])
  }
  await isUnavailable(client, /read-only/)
  await goesOn(client, id)
  // Computed without being cached, and read in place.
  assert.equal(JSON.parse((await client.get(`/qas/datasets/${id}/profile`)).toString()).num_examples, 1)
  assert.match((await client.get(`/qas/datasets/${id}/rejects.csv`)).toString(), /^record,text,/)
  assert.equal(refusalOf(await client.ask('GET', `/qas/datasets/${id}/data.ndjson`)).status, 503)
  for (const place of places) execFileSync('umount', ['--lazy', place])
  assert.equal((await client.ask('GET', '/readyz')).status, 200)
  await isWhole(client, jsonOf<UploadResponse>(await client.ask('POST', '/qas/uploadCsv', body)).id)
})

test('a completely full disk stops uploads; stored datasets can be read, queried and deleted', async (t) => {
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

test('a disk that stops responding keeps uploads waiting, not downloads; they complete when it responds', async (t) => {
  await using disk = await mountDisk(128 * 1_048_576, 'ext4')
  if (disk === null) return t.skip(noMount)
  await using service = await RunningService.start(join(disk.path, 'data'), flags)
  const client = new Client(service.url)
  const { id, links } = await client.upload('a,b\n1,2\n')
  // The service is idle for a while, since it must not rely on how the disk responded before.
  await sleep(200)
  using frozen = disk.freeze()
  let isAnswered = false
  const contents = ['a,b\n3,4\n', csvText('id,name', 100_000, (i) => `${i},name ${i}`)]
  const answers = Promise.all(contents.map((content) => client.send({ content }))).finally(() => {
    isAnswered = true
  })
  // With a limit: a service that waits for the disk as a whole would never respond, and the disk would stay frozen.
  const read = async (path: string) =>
    await (await fetch(service.url + path, { signal: AbortSignal.timeout(stillMsMax()) })).text()
  await until('an upload is seen', async () => /"phase"/.test(await read('/qas/uploads')))
  for (let turn = 0; turn < 20; turn += 1) {
    await read('/healthz')
    assert.equal(await read(`${links.self}/original`), 'a,b\n1,2\n')
    await sleep(10)
  }
  assert.match(await read('/readyz'), /has not responded for 10 seconds/)
  assert.equal(isAnswered, false)
  frozen.thaw()
  for (const answer of await answers) await isWhole(client, jsonOf<UploadResponse>(answer).id)
  await isWhole(client, id)
})

/** Asserts that a dataset can be viewed, downloaded and queried although nothing can be written. */
async function goesOn(client: Client, id: string): Promise<void> {
  const self = `/qas/datasets/${id}`
  for (const path of ['', '/rejects', '/data.parquet', '/parts/0.parquet', '/datapackage.json']) {
    await client.get(self + path)
  }
  for (const path of ['/original', '/data.csv']) assert.equal((await client.get(self + path)).toString(), 'a,b\n1,2\n')
  assert.match((await client.get(`${self}/rows`)).toString(), /\[\[1,2\]\]/)
  // More than once, since the children for later queries are started when nothing can be written any more.
  for (let i = 0; i < 4; i++) {
    const { status, body: said } = await client.askJson(`${self}/query`, Buffer.from('{"sql":"FROM data"}'))
    assert.equal(status, 200, said.toString())
  }
}

/** Asserts that the service is not ready and refuses uploads, for this reason. Reads may fail, but are never wrong. */
async function isUnavailable(client: Client, reason: RegExp): Promise<void> {
  for (const answer of [await client.ask('GET', '/readyz'), await client.ask('POST', '/qas/uploadCsv', body)]) {
    const { status, exception, message } = refusalOf(answer)
    assert.deepEqual([status, exception], [503, 'csvupload.StoreUnavailableException'], message)
    assert.match(message, reason)
    assert.ok(Number(answer.headers['retry-after']) > 0)
  }
  assert.equal((await client.ask('GET', '/healthz')).status, 200)
}

test('a service whose data directory vanishes is not ready until the directory is back', async () => {
  const dataDir = join(scratch.path, 'vanishing')
  await using service = await RunningService.start(dataDir, flags)
  const client = new Client(service.url)
  const { id } = await client.upload('a,b\n1,2\n')
  await rename(dataDir, `${dataDir}-away`)
  await isUnavailable(client, /is gone/)
  for (const path of ['', `/${id}`, `/${id}/original`, `/${id}/rows`]) {
    assert.equal(refusalOf(await client.ask('GET', `/qas/datasets${path}`)).status, 503, path)
  }
  await rename(`${dataDir}-away`, dataDir)
  assert.equal((await client.ask('GET', '/readyz')).status, 200)
  assert.deepEqual(await client.datasetIds(), [id])
  await isWhole(client, id)
  await isWhole(client, jsonOf<UploadResponse>(await client.ask('POST', '/qas/uploadCsv', body)).id)
})

test('a data directory without write permission stops uploads, not downloads, until it has it again', async (t) => {
  const isRoot = process.getuid?.() === 0
  if (isRoot && !canBeAnother)
    return t.skip('root is never refused access, and this system has no setpriv to run as another user')
  if (process.platform === 'win32') return t.skip('Windows has no file modes')
  // In a place that another user can reach.
  await chmod(scratch.path, 0o755)
  const dataDir = join(scratch.path, 'denied')
  await mkdir(dataDir)
  if (isRoot) await chown(dataDir, nobody, nobody)
  await using service = await RunningService.start(dataDir, flags, {}, isRoot ? asAnother : [])
  const client = new Client(service.url)
  const { id } = await client.upload('a,b\n1,2\n')
  const places = ['incoming', 'datasets'].map((name) => join(dataDir, name))
  for (const place of places) await chmod(place, 0o500)
  await isUnavailable(client, /denied/)
  await goesOn(client, id)
  for (const place of places) await chmod(place, 0o700)
  await chmod(dataDir, 0o000)
  await isUnavailable(client, /denied/)
  assert.equal(refusalOf(await client.ask('GET', '/qas/datasets')).status, 503)
  await chmod(dataDir, 0o700)
  assert.equal((await client.ask('GET', '/readyz')).status, 200)
  await isWhole(client, jsonOf<UploadResponse>(await client.ask('POST', '/qas/uploadCsv', body)).id)
})

test('without descriptors, uploads and downloads are told to retry, and then accepted', async (t) => {
  if (!seesProcesses || !canLimit) return t.skip('this system does not show or limit processes')
  await using service = await RunningService.start(join(scratch.path, 'descriptors'), flags)
  const client = new Client(service.url)
  const { id } = await client.upload('a,b\n1,2\n')
  const limit = (count: string) => {
    const limited = spawnSync('prlimit', ['--pid', String(service.pid), `--nofile=${count}`])
    assert.equal(limited.status, 0, String(limited.stderr))
  }
  // Leaves enough for the connection of each request, but hardly for a file.
  let refusedCount = 0
  const asJson = { 'content-type': 'application/json' }
  for (const spare of [0, 1, 2, 3, 4]) {
    limit(`${service.descriptors().length + spare}:`)
    const requests: readonly Parameters<Client['ask']>[] = [
      ['GET', `/qas/datasets/${id}/original`],
      ['GET', `/qas/datasets/${id}/data.ndjson`],
      ['POST', `/qas/datasets/${id}/query`, Buffer.from('{"sql":"FROM data"}'), asJson],
      ['GET', '/qas/datasets'],
      ['POST', '/qas/uploadCsv', body],
      ['GET', '/readyz'],
    ]
    for (const [method, path, ...sent] of requests) {
      const answer = await client.ask(method, path, ...sent).catch(() => null)
      // If there is no descriptor even for the connection, it is closed.
      if (answer === null || answer.status === 200) continue
      const { status, exception } = refusalOf(answer)
      assert.deepEqual([status, exception], [503, 'csvupload.TooManyOpenFilesException'], `${path} with ${spare}`)
      assert.ok(Number(answer.headers['retry-after']) > 0)
      refusedCount += 1
    }
  }
  assert.ok(refusedCount > 0, 'nothing was ever refused')
  limit('1024:')
  assert.equal((await client.ask('GET', '/readyz')).status, 200)
  await isWhole(client, id)
  await isWhole(client, jsonOf<UploadResponse>(await client.ask('POST', '/qas/uploadCsv', body)).id)
})

test(`the same bytes many times at once, then a kill, give one complete dataset (SEED=${seed})`, async (t) => {
  if (!seesProcesses) return t.skip('this system does not show processes')
  t.diagnostic(JSON.stringify(await sendAtOnce(join(scratch.path, 'at-once'), { seed, rounds: 1, kills: true })))
})
