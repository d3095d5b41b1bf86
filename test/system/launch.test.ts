// Tests of the launcher: what npm start and csv-upload run, on the Node of the machine.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../../src/bin/csv-upload.ts', import.meta.url))
/** A launcher with these flags starts the service as on Windows and on older Nodes. */
const withoutExecve = ['--import=data:text/javascript,delete process.execve']
const script = (name: string) => fileURLToPath(new URL(`../../scripts/${name}`, import.meta.url))

test('run.mjs serve passes arguments, environment and exit code through', () => {
  const wrongFlag = run('run.mjs', ['serve', '--port', 'x'])
  assert.equal(wrongFlag.status, 2)
  assert.match(wrongFlag.stderr, /^csv-upload: Cannot use --port: given "x"/)
  const wrongVariable = run('run.mjs', ['serve'], { CSV_UPLOAD_PORT: 'y' })
  assert.equal(wrongVariable.status, 2)
  assert.match(wrongVariable.stderr, /^csv-upload: Cannot use CSV_UPLOAD_PORT: given "y"/)
})

test('run.mjs refuses unknown commands', () => {
  const { status, stderr } = run('run.mjs', ['sever'])
  assert.equal(status, 1)
  assert.match(stderr, /^Cannot run 'sever', expected one of serve, test, test:system, .*\n$/)
})

test('csv-upload.mjs runs the command line from any directory', () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  const { status, stdout, stderr } = run('csv-upload.mjs', ['--version'], {}, tmpdir())
  assert.deepEqual([status, stdout, stderr], [0, `${version}\n`, ''])
})

test('csv-upload.mjs caches compiled code for the next start', () => {
  const cacheUrl = new URL('../../build/compile-cache/', import.meta.url)
  assert.equal(run('csv-upload.mjs', ['--version']).status, 0)
  // Node uses a directory for each version, set of flags and user.
  const counts = readdirSync(cacheUrl).map((name) => readdirSync(new URL(`${name}/`, cacheUrl)).length)
  assert.ok(Math.max(...counts) > 10, `files: ${counts.join(', ')}`)
})

test('run.mjs serve starts without setting up again, and ends cleanly on SIGTERM and SIGINT', async (t) => {
  for (const [signal, flags] of [
    ['SIGTERM', []],
    ['SIGINT', []],
    ['SIGTERM', withoutExecve],
  ] as const) {
    const { child, firstLine } = await serve(t, process.execPath, [...flags, script('run.mjs'), 'serve'])
    const isInPlace = readFileSync(`/proc/${child.pid}/cmdline`, 'utf8').includes(program)
    assert.equal(isInPlace, flags !== withoutExecve)
    const url = /^Listening on (http:\/\/127\.0\.0\.1:\d+)$/.exec(firstLine)?.[1]
    assert.ok(url, firstLine)
    assert.equal((await fetch(`${url}/healthz`)).status, 200)
    child.kill(signal)
    assert.deepEqual(await once(child, 'exit'), [0, null])
  }
})

test('setUp() removes a link in place of node_modules, and nothing of what it leads to', (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'setup-'))
  t.after(() => rmSync(dir, { recursive: true }))
  const [checkout, other] = [join(dir, 'checkout'), join(dir, 'other')]
  for (const one of [join(checkout, 'scripts'), join(checkout, 'local'), other]) mkdirSync(one, { recursive: true })
  copyFileSync(script('setup.mjs'), join(checkout, 'scripts', 'setup.mjs'))
  const local = { name: 'local', version: '1.0.0' }
  const facts = { name: 'checkout', version: '1.0.0', engines: { node: '>=20' }, dependencies: { local: 'file:local' } }
  const packages = { '': facts, local, 'node_modules/local': { resolved: 'local', link: true } }
  for (const [path, content] of Object.entries({
    'local/package.json': local,
    'package.json': facts,
    'package-lock.json': { ...facts, lockfileVersion: 3, packages },
  }))
    writeFileSync(join(checkout, path), JSON.stringify(content))
  writeFileSync(join(other, 'kept'), '')
  symlinkSync(other, join(checkout, 'node_modules'), 'junction')
  const program = "import('./scripts/setup.mjs').then(({ setUp }) => setUp())"
  const { stderr } = spawnSync(process.execPath, ['--eval', program], { cwd: checkout, encoding: 'utf8' })
  // The scripts that build are not there.
  assert.match(stderr, /Cannot find module .*build-changed\.mjs/)
  assert.deepEqual(readdirSync(other), ['kept'])
  assert.ok(readdirSync(join(checkout, 'node_modules')).includes('local'))
})

test('npm start stops the service as SIGTERM does, although npm ends before it', async (t) => {
  const { child, ended, lines } = await serve(t, 'npm', ['start', '--'])
  child.kill('SIGTERM')
  await ended
  assert.ok(lines.some((line) => line.startsWith('SIGTERM: letting uploads finish')))
})

test('the service stops on a signal named over its channel, as Windows needs', async (t) => {
  const { child, ended } = await serve(t, process.execPath, [program, 'serve'], 'ipc')
  child.send('SIGTERM')
  assert.deepEqual(await once(child, 'exit'), [0, null])
  await ended
})

test('the service ends when its launcher or npm is killed', async (t) => {
  for (const [command, args] of [
    [process.execPath, [...withoutExecve, script('run.mjs'), 'serve']],
    ['npm', ['start', '--']],
  ] as const) {
    const { child, ended } = await serve(t, command, args)
    child.kill('SIGKILL')
    await ended
  }
})

test('the service ends if npm has ended before it listened', async (t) => {
  const environment = { STARTED_BY: '1' }
  const { child, lines } = await serve(t, process.execPath, [program, 'serve'], 'ignore', environment)
  assert.deepEqual(await once(child, 'exit'), [0, null])
  assert.ok(lines.some((line) => line.startsWith('SIGTERM: letting uploads finish')))
})

function run(name: string, args: readonly string[], environment: Record<string, string> = {}, cwd?: string) {
  const env = { ...process.env, ...environment }
  return spawnSync(process.execPath, [script(name), ...args], {
    encoding: 'utf8',
    env,
    ...(cwd === undefined ? {} : { cwd }),
  })
}

/** Starts the service on its own port and data directory; resolves when it listens. */
async function serve(
  t: TestContext,
  command: string,
  args: readonly string[],
  channel: 'ipc' | 'ignore' = 'ignore',
  environment: Record<string, string> = {},
) {
  const dir = mkdtempSync(join(tmpdir(), 'launch-'))
  const options = ['--port', '0', '--data', dir, '--log-level', 'silent']
  const cwd = fileURLToPath(new URL('../..', import.meta.url))
  const env = { ...process.env, ...environment }
  const child = spawn(command, [...args, ...options], { cwd, env, stdio: ['ignore', 'ignore', 'pipe', channel] })
  // Every process down to the service inherits the other end of the pipe, which closes when the last of them has ended.
  const ended = once(child.stderr!, 'close')
  t.after(async () => {
    child.kill('SIGKILL')
    await ended
    rmSync(dir, { recursive: true })
  })
  const lines: string[] = []
  const listening = Promise.withResolvers<void>()
  createInterface({ input: child.stderr! }).on('line', (line) => {
    lines.push(line)
    if (line.startsWith('Listening on ')) listening.resolve()
  })
  await Promise.race([listening.promise, ended])
  return { child, ended, lines, firstLine: lines[0] ?? '' }
}
