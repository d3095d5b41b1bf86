// Tests of the command line as a person meets it.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { optionLines } from '../config/help.ts'
import { exitCodes } from './exit-codes.ts'

const entry = fileURLToPath(new URL('../bin/csv-upload.ts', import.meta.url))

test('csv-upload --help and serve --help print to standard output', () => {
  const general = run('--help')
  assert.equal(general.status, exitCodes.ok)
  assert.match(general.stdout, /^Usage:\n {2}csv-upload serve/)
  const serve = run('serve', '--port', '1', '--help')
  assert.equal(serve.status, exitCodes.ok)
  assert.ok(serve.stdout.includes(optionLines()))
  assert.equal(general.stderr + serve.stderr, '')
})

test('csv-upload --version prints the version of the package', () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  assert.deepEqual([run('--version').stdout, run('--version').status], [`${version}\n`, exitCodes.ok])
})

test('csv-upload refuses an unknown command and no command', () => {
  const unknown = run('sever')
  assert.equal(unknown.status, exitCodes.usage)
  assert.equal(unknown.stderr, "csv-upload: Cannot run 'sever': there is no such command (see csv-upload --help)\n")
  const none = run()
  assert.equal(none.status, exitCodes.usage)
  assert.match(none.stderr, /^Usage:/)
  assert.equal(none.stdout + unknown.stdout, '')
})

function run(...args: readonly string[]) {
  return spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', entry, ...args], { encoding: 'utf8' })
}
