// Tests of interrupted commands: by Ctrl-C, a closed pipe or a killed server. They end properly and leave nothing.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { commandsIn, startCommand } from '../support/command.ts'
import { RunningService, scratchDir } from '../support/running-service.ts'
import { csvText } from '../support/samples.ts'
import { ownService } from '../support/shared-service.ts'
import { until } from '../support/until.ts'

const service = await ownService()
const environment = { CSV_UPLOAD_URL: service.url }
const cwd = dirname(service.dataDir)

const { sent } = commandsIn(cwd, environment)

test('all files are sent although the server is killed and restarted meanwhile', async () => {
  await using other = await scratchDir()
  await Promise.all(Array.from({ length: 40 }, (_, i) => writeFile(join(other.path, `${i}.csv`), `id\n${i}\n`)))
  const first = await RunningService.start(join(other.path, 'data'))
  const { child, ended } = startCommand(['send', '*.csv', '-j', '2', '--json', '--retries', '20'], {
    environment: { CSV_UPLOAD_URL: first.url },
    cwd: other.path,
  })
  await once(child.stdout!, 'data')
  await first[Symbol.asyncDispose]()
  await using again = await RunningService.start(join(other.path, 'data'), ['--port', String(first.port)])
  const { code, stdout, stderr } = await ended
  assert.equal(code, 0, stderr)
  const ids = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).receipt.id)
  assert.equal(new Set(ids).size, 40)
  assert.deepEqual(again.datasetDirs().toSorted(), ids.toSorted())
  assert.match(stderr, /: trying again in \d/)
})

test('Ctrl-C while sending exits with 130, and the service keeps nothing', async () => {
  const options = { environment, cwd, input: 'a,b\n'.repeat(1_000_000), holdsInput: true }
  const { child, ended } = startCommand(['send', '-'], options)
  await until('the upload has begun', () => service.drafts().length > 0)
  child.kill('SIGINT')
  assert.deepEqual(await ended, { code: 130, stdout: '', stderr: 'csv-upload send: interrupted\n' })
  await until('nothing is left of it', () => service.incoming().length === 0)
})

test('Ctrl-C while downloading exits with 130 and leaves no file; a closed pipe exits with 141', async () => {
  const { id } = await sent(
    'large.csv',
    csvText('id,text', 400_000, (i) => `${i},${'x'.repeat(50)}`),
  )
  await mkdir(join(cwd, 'half'))
  const { child, ended } = startCommand(['get', id, '--as', 'csv', '-o', '-'], { environment, cwd })
  ended.catch(() => {})
  child.stdout?.destroy()
  assert.deepEqual(await once(child, 'exit'), [141, null])

  const saving = startCommand(['get', id, '--as', 'csv', '-o', 'half/large.csv'], { environment, cwd })
  const timer = setInterval(async () => {
    if ((await readdir(join(cwd, 'half'))).length > 0) saving.child.kill('SIGINT')
  }, 1)
  const { code } = await saving.ended
  clearInterval(timer)
  // On a fast machine, the download may be complete before the signal.
  assert.deepEqual(await readdir(join(cwd, 'half')), code === 130 ? [] : ['large.csv'])
})
