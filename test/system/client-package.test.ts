// Tests of the client package: small, without dependencies, and works with a running service.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { RunningService, scratchDir } from '../support/running-service.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)
const packageBytesMax = 15 * 1_048_576

test('the client package is small, has no dependencies, and sends, lists, gets and queries', async () => {
  await run(process.execPath, [join(root, 'scripts/build-client.mjs')], { cwd: root })
  await using scratch = await scratchDir()
  // In a directory from which the service and its dependencies cannot be found.
  const packageDir = join(scratch.path, 'csv-upload-client')
  await mkdir(packageDir)
  await run('cp', ['-R', `${join(root, 'build', 'client')}/.`, packageDir])

  const names = await readdir(packageDir, { recursive: true })
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(packageDir, name))).size))
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  assert.ok(bytes < packageBytesMax, `${bytes} bytes`)
  const manifest = JSON.parse(await readFile(join(packageDir, 'package.json'), 'utf8'))
  assert.equal(manifest.dependencies, undefined)

  await using service = await RunningService.start(join(scratch.path, 'data'))
  await writeFile(join(scratch.path, 'people.csv'), 'id,name\n007,Ada\n')
  const command = (...args: readonly string[]) =>
    run(process.execPath, [join(packageDir, manifest.bin['csv-upload']), ...args], {
      cwd: scratch.path,
      env: { PATH: process.env.PATH, CSV_UPLOAD_URL: service.url },
    })
  const sent = await command('send', 'people.csv', '--json')
  const { id } = JSON.parse(sent.stdout).receipt
  assert.match((await command('list')).stdout, new RegExp(`^id .*\\n${id} `))
  assert.equal((await command('get', id, '-o', '-')).stdout, 'id,name\n007,Ada\n')
  assert.equal((await command('query', id.slice(0, 8), 'SELECT name FROM data')).stdout, 'name\nAda\n')
  await assert.rejects(command('serve'), /csv-upload-client lacks the service; install csv-upload-service/)
})
