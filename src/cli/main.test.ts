// Tests of the command line as users see it: help, version, unknown commands.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { allOptions } from '../config/options.ts'
import { allCommands } from './commands.ts'
import { exitCodes } from './exit-codes.ts'

const entry = fileURLToPath(new URL('../bin/csv-upload.ts', import.meta.url))

test('csv-upload --help names every command, serve --help every option, on standard output', () => {
  const general = run('--help')
  assert.equal(general.status, exitCodes.ok)
  for (const { name, summary } of allCommands) assert.match(general.stdout, new RegExp(`^  ${name} +${summary}$`, 'm'))
  const serve = run('serve', '--port', '1', '--help')
  assert.equal(serve.status, exitCodes.ok)
  const unwrapped = serve.stdout.replaceAll(/\n {6}/g, ' ')
  for (const { flag, help } of allOptions)
    assert.ok(serve.stdout.includes(`${flag} <value>`) && unwrapped.includes(help), flag)
  assert.equal(general.stderr + serve.stderr, '')
})

test('every command has examples that name it, and help that matches its options', () => {
  for (const command of allCommands) {
    assert.ok(command.examples.length > 0, command.name)
    assert.ok(
      command.examples.every(([line]) => line.includes(`csv-upload ${command.name}`)),
      command.name,
    )
  }
  const { stdout, status } = run('help', 'send')
  assert.equal(status, exitCodes.ok)
  assert.match(stdout, /^Usage: csv-upload send <file\|pattern\|->…/)
  assert.match(stdout, /^ {2}-j, --jobs <count> {2}\(default: 4\)\n {6}Files sent at once\.$/m)
  assert.match(stdout, /^ {2}csv-upload send sales\.csv\n {6}One file\.$/m)
})

test('csv-upload treats -h, -V and help like the long forms, also after a command', () => {
  assert.equal(run('-h').stdout, run('--help').stdout)
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  assert.deepEqual([run('-V').stdout, run('--version').stdout], [`${version}\n`, `${version}\n`])
  assert.equal(run('rows', '-h').stdout, run('help', 'rows').stdout)
  assert.ok(
    run('help', 'verify')
      .stdout.split('\n')
      .every((line) => line.length <= 100),
  )
})

test('csv-upload never suggests a command that deletes', () => {
  for (const typed of ['rm1', 'mr', 'r', 'rmm']) {
    const { stderr, status } = run(typed)
    assert.doesNotMatch(stderr, /did you mean rm\?/, typed)
    assert.equal(status, exitCodes.usage)
  }
})

test('csv-upload suggests the command for what other programs call it, and nothing for what is far from all', () => {
  for (const [typed, meant] of [
    ['upload', '; did you mean send?'],
    ['ls', '; did you mean list?'],
    ['hlep', '; did you mean help?'],
    ['nonsense', ''],
    ['constructor', ''],
  ] as const) {
    const { stderr, status } = run(typed)
    assert.equal(stderr, `csv-upload: Cannot run '${typed}': no such command${meant} (see csv-upload --help)\n`)
    assert.equal(status, exitCodes.usage)
  }
})

test('csv-upload refuses an unknown command and no command', () => {
  const unknown = run('sever')
  assert.equal(unknown.status, exitCodes.usage)
  assert.equal(
    unknown.stderr,
    "csv-upload: Cannot run 'sever': no such command; did you mean serve? (see csv-upload --help)\n",
  )
  const none = run()
  assert.equal(none.status, exitCodes.usage)
  assert.match(none.stderr, /^Usage: csv-upload <command>/)
  assert.equal(none.stdout + unknown.stdout, '')
})

test('csv-upload reports an unknown command as JSON if it is asked to', () => {
  for (const args of [
    ['sever', '--json'],
    ['help', 'sever', '--json'],
  ]) {
    const { stderr, stdout, status } = run(...args)
    assert.deepEqual([status, stdout], [exitCodes.usage, ''])
    const message = "Cannot run 'sever': no such command; did you mean serve?"
    assert.equal(stderr, `${JSON.stringify({ error: { kind: 'usage', message } })}\n`)
  }
})

test('csv-upload says that options follow the command', () => {
  const why = "Cannot start with '--url': expected a command, then its options"
  assert.equal(run('--url', 'http://x', 'list').stderr, `csv-upload: ${why} (see csv-upload --help)\n`)
  const { error } = JSON.parse(run('--json', 'list').stderr)
  assert.deepEqual(error, {
    kind: 'usage',
    message: "Cannot start with '--json': expected a command, then its options",
  })
})

test('csv-upload reports output that cannot be written, and is silent if its reader is gone', () => {
  const ended = (line: string) =>
    spawnSync('sh', ['-c', line, process.execPath, entry], {
      encoding: 'utf8',
      env: { ...process.env, NODE_NO_WARNINGS: '1' },
    })
  // Waits until the reader is gone.
  const waits = 'trap "" PIPE; { while printf x 2>/dev/null; do :; done'
  const gone = ended(`${waits}; "$0" "$1" --help; echo "$?" >&2; } | exec true`)
  assert.equal(gone.stderr, `${exitCodes.outputClosed}\n`)
  if (!existsSync('/dev/full')) return
  for (const args of ['--version', 'help send']) {
    const full = ended(`"$0" "$1" ${args} >/dev/full`)
    assert.equal(full.status, exitCodes.failed)
    assert.match(full.stderr, /: Cannot write standard output: no space left on device\n$/)
  }
})

function run(...args: readonly string[]) {
  return spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', entry, ...args], { encoding: 'utf8' })
}
