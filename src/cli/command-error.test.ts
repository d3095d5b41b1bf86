// Tests of how failures end a command: exit code, line and document, and which requests are not repeated.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { ClientError, type Failure } from '../client/client-error.ts'
import { answer, heard, listen, record } from '../client/raw-servers.testing.ts'
import { ConfigError } from '../config/config.ts'
import { UsageError } from './command.ts'
import { Interrupted, outcomeOf } from './command-error.ts'
import { send } from './commands/send.ts'
import { exitCodeMeanings, exitCodes } from './exit-codes.ts'
import { OutputClosed, Terminal } from './terminal/terminal.ts'

test('outcomeOf() prints the position in a failed query on separate lines', () => {
  const message = 'Cannot run query: Binder Error: x\n\nLINE 1: SELECT \x1bnme\n               ^'
  const record = { timestamp: 1, status: 400, error: 'Bad Request', message, path: '/' }
  const lineOf = (exception: string) =>
    outcomeOf(
      new ClientError({ kind: 'refused', status: 400, message, record: { ...record, exception }, retryAfterMs: null }),
    ).line
  const lines = 'Cannot run query: Binder Error: x (400)\n\nLINE 1: SELECT \\x1bnme\n               ^'
  assert.equal(lineOf('csvupload.QueryFailedException'), lines)
  assert.equal(lineOf('csvupload.BadParameterException')?.includes('\n'), false)
})

test('outcomeOf() gives each failure its code, one printable line, and a document', () => {
  const refused = (status: number): Failure => {
    const whole = { timestamp: 1, status, error: 'E', exception: 'x.Y', message: 'no\x1b', path: '/' }
    return { kind: 'refused', status, message: whole.message, record: whole, retryAfterMs: null }
  }
  const cases: readonly [unknown, number, string | null, string][] = [
    [new ClientError(refused(401)), exitCodes.refusedKey, 'no\\x1b (401)', 'refused'],
    [new ClientError(refused(403)), exitCodes.refusedKey, 'no\\x1b (403)', 'refused'],
    [new ClientError(refused(404)), exitCodes.failed, 'no\\x1b (404)', 'refused'],
    [new ClientError({ kind: 'unreachable', message: 'm', isFinal: false }), exitCodes.network, 'm', 'unreachable'],
    [new ClientError({ kind: 'cut', message: 'm' }), exitCodes.network, 'm', 'cut'],
    [new ClientError({ kind: 'wrong', message: 'm' }), exitCodes.failed, 'm', 'wrong'],
    [new UsageError('u'), exitCodes.usage, 'u', 'usage'],
    [new ConfigError('c'), exitCodes.usage, 'c', 'usage'],
    [new Error('a\nb'), exitCodes.failed, 'a\\nb', 'failed'],
    [new Interrupted('i'), exitCodes.interrupted, 'interrupted', 'interrupted'],
    [new OutputClosed('o'), exitCodes.outputClosed, null, 'outputClosed'],
  ]
  for (const [failure, code, line, kind] of cases) {
    const outcome = outcomeOf(failure)
    assert.deepEqual([outcome.code, outcome.line, outcome.error.kind], [code, line, kind])
  }
  assert.deepEqual(outcomeOf(new ClientError(refused(404))).error, {
    kind: 'refused',
    message: 'no\x1b',
    status: 404,
    exception: 'x.Y',
    retryAfterMs: null,
  })
})

test('every exit code is a different number and has a meaning', () => {
  assert.equal(new Set(Object.values(exitCodes)).size, Object.keys(exitCodeMeanings).length)
})

test('send sends no more requests once a server has refused its key, and reports that for every file', async (t) => {
  const { url, connections } = await listen(t, (socket) => {
    heard(socket, () => answer(socket, '401 Unauthorized', record(401, 'who are you?'), 'Connection: close\r\n'))
  })
  const dir = mkdtempSync(join(tmpdir(), 'send-'))
  t.after(() => rmSync(dir, { recursive: true }))
  const files = ['a.csv', 'b.csv', 'c.csv'].map((name) => join(dir, name))
  for (const file of files) writeFileSync(file, 'a,b\n1,2\n')
  const [out, err] = [new PassThrough(), new PassThrough()]
  const environment = {
    url: url.href,
    key: 'k',
    keyFile: null,
    editor: null,
    stateDir: '/nowhere',
    isBuild: false,
    startedBy: null,
  }
  const terminal = new Terminal(out, err, environment, false)
  const code = await send.prepare([...files, '--jobs', '1']).run({ terminal, environment, signal: t.signal })
  assert.deepEqual([code, connections()], [exitCodes.refusedKey, 1])
  const lines = files.map((file) => `${file}: who are you? (401)\n`).join('')
  const written = Buffer.concat(await err.end().toArray())
  assert.equal(String(written), `${lines}0 files sent, 3 failed\n`)
  assert.equal(out.read(), null)
})
