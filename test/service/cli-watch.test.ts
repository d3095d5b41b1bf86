// Tests of csv-upload watch and uploads with a real service: an upload is watched to its end, over a broken connection,
// listed and cancelled.
import assert from 'node:assert/strict'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { startProxy } from '../support/breaking-proxy.ts'
import { runCommand as run, startCommand } from '../support/command.ts'
import { create, patch, tus } from '../support/resumable.ts'
import { ownService } from '../support/shared-service.ts'

const { service, client } = await ownService()
const dir = dirname(service.dataDir)
const content = Buffer.from('id,name\n1,Ada\n2\n3,Alan\n')
const command = (...args: readonly string[]) => run(args, { environment: { CSV_UPLOAD_URL: service.url }, cwd: dir })

/** Watches through a proxy that breaks the first connection; calls back when the first status is printed. */
async function watched(id: string, then: () => Promise<unknown>, ...args: readonly string[]) {
  await using proxy = await startProxy(service.url, (index) => (index === 0 ? { downBytes: 900 } : {}))
  const { child, ended } = startCommand(['watch', id, ...args], { environment: { CSV_UPLOAD_URL: proxy.url } })
  await new Promise((resolve) => child.stdout?.once('data', resolve))
  await then()
  const said = await ended
  assert.equal(proxy.breaks(), 1)
  return said
}

test('watch follows an upload over a broken connection to its end', async () => {
  const path = await create(client, content.length, { filename: 'seen.csv' })
  const id = path.split('/').at(-1)!
  const send = async () => {
    await patch(client, path, 0, content.subarray(0, 9))
    await patch(client, path, 9, content.subarray(9))
  }
  const { code, stdout, stderr } = await watched(id, send, '--json')
  assert.deepEqual([code, stderr], [0, ''])
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual([lines[0].phase, lines.at(-1).phase, lines.at(-1).records.accepted], ['receiving', 'done', 2])

  const shown = await command('watch', id)
  const text =
    /^[0-9a-f]{32} {2}seen\.csv {2}4 records = 1 header \+ 2 rows \+ 1 rejected, 23 B\n {2}1 × too_few_fields\n/
  assert.deepEqual([shown.code, shown.stderr], [0, ''])
  assert.match(shown.stdout, text)
})

test('watch exits with 1 and the reason if an upload fails or is unknown', async () => {
  const zip = Buffer.from('PK\x03\x04'.padEnd(40, 'x'))
  const path = await create(client, zip.length, { filename: 'zip.csv' })
  await patch(client, path, 0, zip)
  const failed = await command('watch', path.split('/').at(-1)!)
  assert.deepEqual([failed.code, failed.stdout], [1, ''])
  assert.match(failed.stderr, /^csv-upload watch: .* \(422\)\n$/)
  const unknown = await command('watch', '00000000-0000-7000-8000-000000000000', '--json')
  assert.equal(unknown.code, 1)
  assert.equal(JSON.parse(unknown.stderr).error.exception, 'csvupload.UploadNotFoundException')
  const prefix = await command('watch', '00000000-0000')
  assert.match(prefix.stderr, /Cannot find upload '00000000-0000': no upload has such an id/)
})

test('uploads lists uploads, newest first, and cancels by id or id prefix', async () => {
  const one = (await create(client, 100, { filename: 'one.csv' })).split('/').at(-1)!
  const two = (await create(client, 100, { filename: 'two.csv' })).split('/').at(-1)!
  const { code, stdout } = await command('uploads', '-n', '2')
  assert.equal(code, 0)
  const [head = '', first = '', second = '', ...more] = stdout.trimEnd().split('\n')
  assert.match(head, /^id +begun +phase +received +records +file$/)
  assert.match(first, new RegExp(`^${two} .*Z +receiving +0 B +- +two\\.csv$`))
  assert.deepEqual([second.startsWith(one), more], [true, []])
  const lines = (await command('uploads', 'list', '--json', '--all')).stdout.trimEnd().split('\n')
  assert.deepEqual(JSON.parse(lines[0] ?? '').links.self, `/qas/uploads/${two}`)

  const cancelled = await command('uploads', 'cancel', one.slice(0, 35), two)
  assert.deepEqual(cancelled, { code: 0, stdout: `cancelled ${one}\ncancelled ${two}\n`, stderr: '' })
  assert.equal((await client.ask('HEAD', `/qas/uploads/${one}`, undefined, tus)).status, 410)
  const ended = await command('uploads', 'cancel', one)
  assert.deepEqual(ended, { code: 0, stdout: `deleted the status of ended upload ${one}\n`, stderr: '' })
  const again = await command('uploads', 'cancel', '00000000-0000-7000-8000-000000000000', '--json')
  assert.deepEqual([again.code, JSON.parse(again.stdout).ok], [1, false])
})
