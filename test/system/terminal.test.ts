// Tests of the command line on a real pseudo-terminal: progress, colours, no control sequences from files; completion
// in real shells.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdir, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { noTerminal, runCommand, runOnTerminal } from '../support/command.ts'
import { csvText } from '../support/samples.ts'
import { ownService } from '../support/shared-service.ts'

const service = await ownService()
const cwd = dirname(service.dataDir)
const environment = { CSV_UPLOAD_URL: service.url }
const esc = '\x1b'

test('on a terminal, an upload shows its progress on one line, and a coloured receipt', async (t) => {
  if (noTerminal !== null) return t.skip(noTerminal)
  const line = `${'x'.repeat(90)},1\n`
  await writeFile(join(cwd, 'large.csv'), `text,n\n${line.repeat(400_000)}1\n`)
  const { code, screen } = await runOnTerminal(['send', 'large.csv'], { environment, cwd })
  assert.equal(code, 0, screen)
  const drawn = screen.split('\r').filter((part) => part.endsWith(`${esc}[K`))
  assert.ok(
    drawn.some((part) => /^large\.csv {2}sending {2}\d+ % of 35\.\d MB/.test(part)),
    screen,
  )
  assert.ok(drawn.every((part) => part.length <= 79 + `${esc}[K`.length))
  assert.ok(screen.includes(`\r${esc}[K${esc}[1m`), 'the receipt does not begin on a cleared line')
  assert.ok(screen.includes(`${esc}[33m1 rejected${esc}[39m`))
})

test('in a pipe, with NO_COLOR or --quiet there is no progress and no colour', async (t) => {
  if (noTerminal !== null) return t.skip(noTerminal)
  await writeFile(
    join(cwd, 'small.csv'),
    csvText('a,b', 100, (i) => `${i},${i}`),
  )
  const piped = await runCommand(['send', 'small.csv'], { environment, cwd })
  assert.ok(!(piped.stdout + piped.stderr).includes(esc))
  const plain = await runOnTerminal(['send', 'small.csv', '--quiet'], {
    environment: { ...environment, NO_COLOR: '1' },
    cwd,
  })
  assert.ok(!plain.screen.includes(esc), plain.screen)
  const forced = await runCommand(['send', 'small.csv'], { environment: { ...environment, FORCE_COLOR: '1' }, cwd })
  assert.ok(forced.stdout.startsWith(`${esc}[1m`))
})

test('the contents and name of a file never move the cursor of a terminal', async (t) => {
  if (noTerminal !== null) return t.skip(noTerminal)
  const evil = `${esc}[2Jtitle\x07`
  const name = `${evil}.csv`
  await writeFile(join(cwd, name), `a${evil},b\n1,${evil}\n2,x\n3,y\n4,${evil},3\n`)
  const { stdout } = await runCommand(['send', name, '--json'], { environment, cwd })
  const { id } = JSON.parse(stdout).receipt
  const plain = { environment: { ...environment, NO_COLOR: '1', CI: '1' }, cwd }
  const commands = [
    ['send', name],
    ['list'],
    ['show', id],
    ['rows', id],
    ['rejects', id],
    ['get', id, '-o', '-'],
    ['rows', id, '--columns', evil],
  ]
  for (const args of commands) {
    const { screen } = await runOnTerminal(args, plain)
    assert.doesNotMatch(screen, /(?![\r\n\t])\p{Cc}/u, args.join(' '))
    assert.match(screen, /\[2Jtitle/, args.join(' '))
  }
  const parquet = await runOnTerminal(['get', id, '--as', 'parquet', '-o', '-'], plain)
  assert.deepEqual([parquet.code, /Cannot write Parquet to a terminal/.test(parquet.screen)], [2, true])
})

test('an upload that waits for a server says so, and ends when there is none', async (t) => {
  if (noTerminal !== null) return t.skip(noTerminal)
  await writeFile(join(cwd, 'waits.csv'), 'a\n1\n')
  const leaving = createServer((socket) => {
    leaving.close()
    socket.destroy()
  }).listen(0, '127.0.0.1')
  t.after(() => leaving.close())
  await once(leaving, 'listening')
  const url = `http://127.0.0.1:${(leaving.address() as AddressInfo).port}`
  const { code, screen } = await runOnTerminal(['send', 'waits.csv', '--retries', '1'], {
    environment: { CSV_UPLOAD_URL: url },
    cwd,
  })
  assert.equal(code, 5)
  assert.match(screen, /waits\.csv {2}trying again in \d+ ms: Cannot get an answer from http:\/\/127\.0\.0\.1:/)
})

test('bash completes commands, options, values and files', async (t) => {
  if (spawnSync('bash', ['--version']).status !== 0) return t.skip('bash is not installed')
  const { stdout: script } = await runCommand(['completion', 'bash'])
  const complete = (...words: readonly string[]) => {
    const line = words.map((word) => `'${word}'`).join(' ')
    const ask = `COMP_WORDS=(csv-upload ${line}); COMP_CWORD=${words.length}; _csv_upload; printf '%s\\n' "\${COMPREPLY[@]}"`
    const { stdout, stderr } = spawnSync('bash', ['-c', `${script}\n${ask}`], { cwd, encoding: 'utf8' })
    assert.equal(stderr, '')
    return stdout.trimEnd().split('\n')
  }
  assert.deepEqual(complete('re').toSorted(), ['readings', 'rejects', 'restore'])
  assert.deepEqual(complete('send', '--di'), ['--dialect'])
  assert.deepEqual(complete('get', '0', '--as', 'da'), ['datapackage', 'dataset'])
  assert.deepEqual(complete('query', 'x', '--as', 'nd'), ['ndjson'])
  assert.ok((await readdir(cwd)).includes('small.csv'))
  assert.deepEqual(complete('send', 'smal'), ['small.csv'])
  assert.deepEqual(complete('completion', 'z'), ['zsh'])
})

test('zsh and fish read their scripts without errors', async (t) => {
  for (const [shell, flags] of [
    ['zsh', ['-fn']],
    ['fish', ['--no-execute']],
  ] as const) {
    const { stdout: script } = await runCommand(['completion', shell])
    assert.match(script, /datapackage/)
    if (spawnSync(shell, ['--version']).status !== 0) {
      t.diagnostic(`${shell} is not here`)
      continue
    }
    await writeFile(join(cwd, 'script'), script)
    const { status, stderr } = spawnSync(shell, [...flags, join(cwd, 'script')], { encoding: 'utf8' })
    assert.deepEqual([status, stderr], [0, ''])
  }
})
