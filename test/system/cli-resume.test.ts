// Tests of continued uploads: over broken connections, after Ctrl-C, after a restart, but not if a file has changed.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { appendFile, mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { startProxy } from '../support/breaking-proxy.ts'
import { Client } from '../support/client.ts'
import { runCommand as run, startCommand } from '../support/command.ts'
import { RunningService, scratchDir } from '../support/running-service.ts'
import { createRandom, csvText, seed } from '../support/samples.ts'
import { ownService } from '../support/shared-service.ts'

const { service, dir: scratch } = await ownService()
const cwd = join(scratch, 'files')
const stateDir = join(scratch, 'state')
await mkdir(cwd)
const kept = join(stateDir, 'csv-upload', 'unfinished-sends')

const content = Buffer.from(csvText('id,name,value', 600_000, (i) => `${i},name ${i},${i / 8}`))
await writeFile(join(cwd, 'large.csv'), content)

function command(url: string, ...args: readonly string[]) {
  return run(args, { environment: { CSV_UPLOAD_URL: url, XDG_STATE_HOME: stateDir }, cwd })
}

/** Sends until enough bytes have arrived, then interrupts with Ctrl-C. Returns the output. */
async function interrupted(url: string, name: string) {
  const environment = { CSV_UPLOAD_URL: url, XDG_STATE_HOME: stateDir }
  const { child, ended } = startCommand(['send', name], { environment, cwd })
  const client = new Client(service.url)
  for (;;) {
    const [upload] = JSON.parse((await client.get('/qas/uploads?limit=1')).toString()).uploads
    if (upload?.phase === 'receiving' && upload.fileName === name && upload.bytes.received > 4_000_000) break
  }
  child.kill('SIGINT')
  return await ended
}

test(`send continues over connections that break, and sends hardly more than the file (SEED=${seed})`, async (t) => {
  const random = createRandom(seed)
  const breaksMin = 8
  await using proxy = await startProxy(service.url, () => {
    if (proxy.breaks() >= breaksMin) return {}
    // In the head or body of a request, or in the response; never so late that the file arrives before all breaks.
    const upBytes = random(3) === 0 ? 1 + random(600) : 300_000 + random(900_000)
    return { upBytes, ...(random(4) === 0 && { downBytes: 1 + random(300) }) }
  })
  const { code, stdout, stderr } = await command(proxy.url, 'send', 'large.csv', '--json', '--retries', '12')
  assert.equal(code, 0, stderr)
  const { receipt } = JSON.parse(stdout)
  assert.equal(receipt.file.sha256, createHash('sha256').update(content).digest('hex'))
  assert.equal(receipt.file.name, 'large.csv')
  assert.ok((await new Client(service.url).get(`${receipt.links.self}/original`)).equals(content))
  const ratio = proxy.upBytes() / content.length
  t.diagnostic(`${proxy.breaks()} breaks, ${ratio.toFixed(3)} times the bytes`)
  assert.equal(proxy.breaks(), breaksMin)
  assert.ok(ratio < 1.2, `${ratio}`)
  assert.match(stderr, /: trying again in \d/)
  assert.deepEqual(await readdir(kept), [])
})

test('Ctrl-C says how to continue, and --resume sends only the rest', async () => {
  await writeFile(
    join(cwd, 'one.csv'),
    csvText('id,one', 900_000, (i) => `${i},value ${i}`),
  )
  await using slow = await startProxy(service.url, () => ({ delayMs: 4 }))
  const first = await interrupted(slow.url, 'one.csv')
  const hint = 'To continue one.csv: csv-upload send --resume\ncsv-upload send: interrupted\n'
  assert.deepEqual(first, { code: 130, stdout: '', stderr: hint })
  const [name = ''] = await readdir(kept)
  const mode = (await stat(join(kept, name))).mode & 0o777
  assert.equal(mode, 0o600)

  const others = await command(service.url, 'send', '--resume')
  assert.equal(others.code, 0)
  assert.equal(
    others.stderr,
    `There are uploads to continue for another server: csv-upload send --resume --url ${slow.url}/\nNothing to continue.\n`,
  )
  const before = slow.upBytes()
  const { code, stdout, stderr } = await command(slow.url, 'send', '--resume', 'one.csv')
  assert.deepEqual([code, stderr], [0, ''])
  assert.match(stdout, /^[0-9a-f]{32} {2}\S+one\.csv {2}900,001 records = 1 header \+ 900,000 rows,/)
  const { size } = await stat(join(cwd, 'one.csv'))
  assert.ok(slow.upBytes() - before < size - 3_000_000)
  assert.deepEqual(await readdir(kept), [])
  assert.equal((await command(slow.url, 'send', '--resume')).stderr, 'Nothing to continue.\n')
})

test('--resume continues after the service was killed and restarted', async () => {
  await writeFile(
    join(cwd, 'two.csv'),
    csvText('id,two', 900_000, (i) => `${i},value ${i}`),
  )
  await using other = await scratchDir()
  const first = await RunningService.start(join(other.path, 'data'))
  // Slow, so that it is killed before it is complete.
  await using slow = await startProxy(first.url, () => ({ delayMs: 4 }))
  const environment = { CSV_UPLOAD_URL: slow.url, XDG_STATE_HOME: stateDir }
  const { ended } = startCommand(['send', 'two.csv', '--retries', '0'], { environment, cwd })
  const client = new Client(first.url)
  const received = async () => JSON.parse((await client.get('/qas/uploads')).toString()).uploads[0]?.bytes.received ?? 0
  while ((await received()) < 1_000_000);
  await first[Symbol.asyncDispose]()
  const broken = await ended
  assert.equal(broken.code, 5)
  assert.match(broken.stderr, /^two\.csv: Cannot .*\nTo continue two\.csv: csv-upload send --resume\n$/)
  await using _again = await RunningService.start(join(other.path, 'data'), ['--port', String(first.port)])
  const { code, stdout } = await command(slow.url, 'send', '--resume', '--json')
  assert.equal(code, 0)
  assert.equal(JSON.parse(stdout).receipt.records.accepted, 900_000)
})

test('a file is not continued after any change to it', async () => {
  const text = csvText('id,text', 900_000, (i) => `${i},value ${i}`)
  await using slow = await startProxy(service.url, () => ({ delayMs: 4 }))
  const changes: readonly [string, RegExp, (path: string) => Promise<void>][] = [
    ['longer.csv', /it had \d+ bytes and has \d+/, (path) => appendFile(path, 'x')],
    ['touched.csv', /it was written to/, (path) => utimes(path, 1, 1)],
  ]
  for (const [name, reason, change] of changes) {
    const path = join(cwd, name)
    await writeFile(path, text)
    assert.equal((await interrupted(slow.url, name)).code, 130)
    await change(path)
    const { code, stderr } = await command(slow.url, 'send', '--resume')
    assert.equal(code, 1)
    assert.match(stderr, /\.csv: Cannot continue: the file has changed since its upload began/)
    assert.match(stderr, reason)
    assert.deepEqual(await readdir(kept), [])
  }
})

test('an upload that the service has forgotten starts again; a cancelled one does not', async () => {
  await writeFile(
    join(cwd, 'three.csv'),
    csvText('id,three', 900_000, (i) => `${i},value ${i}`),
  )
  await using slow = await startProxy(service.url, () => ({ delayMs: 4 }))
  await interrupted(slow.url, 'three.csv')
  const [name = ''] = await readdir(kept)
  const record = await readFile(join(kept, name), 'utf8')
  // From before a restart of the service.
  const id = name.replace('.json', '')
  const never = id.replace(/.{4}$/, 'ffff')
  await writeFile(join(kept, `${never}.json`), record.replace(id, never))
  await new Client(service.url).ask('DELETE', `/qas/uploads/${id}`)
  const { code, stdout } = await command(slow.url, 'send', '--resume', '--json')
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.equal(lines.find(({ ok }) => ok)?.receipt.records.accepted, 900_000, stdout)
  const failed = lines.find(({ ok }) => !ok)
  assert.deepEqual([failed.error.exception, failed.canContinue], ['csvupload.UploadCancelledException', undefined])
  assert.deepEqual([code, await readdir(kept)], [1, []])
})
