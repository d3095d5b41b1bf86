// The launcher as a person uses it: what npm start and csv-upload run, on the Node of the machine.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'

const script = (name: string) => fileURLToPath(new URL(`../../scripts/${name}`, import.meta.url))

test('run.mjs serve passes arguments, environment and exit code through', () => {
  const wrongFlag = run('run.mjs', ['serve', '--port', 'x'])
  assert.equal(wrongFlag.status, 2)
  assert.match(wrongFlag.stderr, /^csv-upload: Cannot use --port: given "x"/)
  const wrongVariable = run('run.mjs', ['serve'], { CSV_UPLOAD_PORT: 'y' })
  assert.equal(wrongVariable.status, 2)
  assert.match(wrongVariable.stderr, /^csv-upload: Cannot use CSV_UPLOAD_PORT: given "y"/)
})

test('run.mjs refuses a command it does not know', () => {
  const { status, stderr } = run('run.mjs', ['sever'])
  assert.deepEqual([status, stderr], [1, "Cannot run 'sever', wanted one of serve, test, bench, docs, format\n"])
})

test('csv-upload.mjs runs the command line from any directory', () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  const { status, stdout, stderr } = run('csv-upload.mjs', ['--version'], {}, tmpdir())
  assert.deepEqual([status, stdout, stderr], [0, `${version}\n`, ''])
})

test('run.mjs serve serves without setting up again, and ends in good order on SIGTERM and SIGINT', async (t) => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const { launcher, nextLine } = serve(t)
    const url = /^Listening on (http:\/\/127\.0\.0\.1:\d+)$/.exec((await nextLine()) ?? '')?.[1]
    assert.ok(url)
    assert.equal((await fetch(`${url}/healthz`)).status, 200)
    launcher.kill(signal)
    assert.deepEqual(await once(launcher, 'exit'), [0, null])
  }
})

test('the service ends when its launcher is killed', async (t) => {
  const { launcher, nextLine, ended } = serve(t)
  await nextLine()
  launcher.kill('SIGKILL')
  // Both hold the other end of standard error: it ends when the last of them has.
  await ended
})

function run(name: string, args: readonly string[], environment: Record<string, string> = {}, cwd?: string) {
  const env = { ...process.env, ...environment }
  return spawnSync(process.execPath, [script(name), ...args], {
    encoding: 'utf8',
    env,
    ...(cwd === undefined ? {} : { cwd }),
  })
}

/** Runs what `npm start` runs, on a port and a data directory of its own. */
function serve(t: TestContext) {
  const dir = mkdtempSync(join(tmpdir(), 'launch-'))
  const args = [script('run.mjs'), 'serve', '--port', '0', '--data', dir, '--log-level', 'silent']
  const launcher = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(launcher.stderr, 'close')
  t.after(async () => {
    launcher.kill('SIGKILL')
    await ended
    rmSync(dir, { recursive: true })
  })
  const lines = createInterface({ input: launcher.stderr })[Symbol.asyncIterator]()
  return { launcher, ended, nextLine: async () => (await lines.next()).value as string | undefined }
}
