// Tests of the service as a process: its output, how it stops, and its errors if it cannot start.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { exitCodes } from './exit-codes.ts'

const url = 'http://127.0.0.1:9'
const listening = `({ url: '${url}', close: async () => {} })`
const neverClosing = `({ url: '${url}', close: () => new Promise((resolve) => setTimeout(resolve, 1e6)) })`

test('serve() prints its address, and exits with 0 on SIGTERM and SIGINT', async (t) => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const { child, lines } = start(t, `async () => ${listening}`)
    assert.equal(await lines.next(), `Listening on ${url}`)
    assert.equal(await lines.next(), `Try:  curl -F file=@your.csv ${url}/qas/uploadCsv`)
    child.kill(signal)
    assert.match((await lines.next()) ?? '', new RegExp(`^${signal}: letting uploads finish`))
    assert.deepEqual(await once(child, 'exit'), [exitCodes.ok, null])
  }
})

test('serve() shows how to send a key if authentication is on', async (t) => {
  const { child, lines } = start(t, `async () => ${listening}`, { argv: ['--keys', 'keys.json'] })
  await lines.next()
  assert.equal(await lines.next(), `Try:  curl -H "Authorization: Bearer $KEY" -F file=@your.csv ${url}/qas/uploadCsv`)
  child.kill('SIGTERM')
  await once(child, 'exit')
})

test('serve() warns of a size that is probably meant in megabytes, and starts', async (t) => {
  const { child, lines } = start(t, `async () => ${listening}`, { argv: ['--max-file-size', '10'] })
  assert.match((await lines.next()) ?? '', /^csv-upload: Warning: --max-file-size: 10 is a number of bytes/)
  assert.equal(await lines.next(), `Listening on ${url}`)
  child.kill('SIGTERM')
  await once(child, 'exit')
})

test('serve() exits immediately on a second signal', async (t) => {
  const { child, lines } = start(t, `async () => ${neverClosing}`, { msPerClockReading: 500 })
  await lines.next()
  child.kill('SIGTERM')
  await lines.until(/^SIGTERM: /)
  child.kill('SIGINT')
  assert.deepEqual(await once(child, 'exit'), [exitCodes.interrupted, null])
})

test('serve() treats signals within half a second as one', async (t) => {
  // The app closes on the second signal, and serve() receives that signal right after: exiting immediately would show as
  // another exit code.
  const closesOnSecond = `async () => {
    const second = new Promise((resolve) => process.on('SIGTERM', resolve))
    return { url: '', close: () => second }
  }`
  const { child, lines } = start(t, closesOnSecond, { msPerClockReading: 499 })
  await lines.next()
  child.kill('SIGINT')
  await lines.until(/^SIGINT: /)
  child.kill('SIGTERM')
  assert.deepEqual(await once(child, 'exit'), [exitCodes.ok, null])
})

test('serve() exits when the process that launched it is gone', async (t) => {
  const { child, lines } = start(t, `async () => ${neverClosing}`, { launched: true })
  await lines.next()
  child.disconnect()
  assert.deepEqual(await once(child, 'exit'), [exitCodes.failed, null])
})

test('serve() reports in one line why it could not start', async (t) => {
  const inUse = `Object.assign(new Error('listen EADDRINUSE: address already in use 127.0.0.1:8080'), { syscall: 'listen' })`
  const locked = `new ServiceError('DATA_DIRECTORY_IN_USE', { dir: './data', owner: 'process 7' })`
  const denied = `new Error('Cannot keep file', { cause: new Error('EACCES: permission\\n denied') })`
  const unmakable = `new ServiceError('STORE_FAILED', undefined, Object.assign(new Error('EACCES'), { code: 'EACCES', errno: -13, syscall: 'mkdir', path: '/srv/x' }))`
  const cases = [
    [unmakable, [], exitCodes.failed, /^csv-upload: Cannot create \/srv\/x: permission denied; choose another --data$/],
    [
      inUse,
      [],
      exitCodes.network,
      /^csv-upload: Cannot listen: .* in use 127.0.0.1:8080; choose another --host or --port$/,
    ],
    [locked, [], exitCodes.locked, /^csv-upload: .*\.\/data.*process 7/],
    [denied, [], exitCodes.failed, /^csv-upload: Cannot keep file \(EACCES: permission denied\)$/],
    [
      inUse,
      ['--port', 'x'],
      exitCodes.usage,
      /^csv-upload: Cannot use --port: given "x", expected .* \(see csv-upload serve --help\)$/,
    ],
  ] as const
  for (const [error, argv, code, line] of cases) {
    const { child, lines } = start(t, `async () => { throw ${error} }`, { argv })
    const exit = once(child, 'exit')
    assert.match((await lines.next()) ?? '', line)
    assert.equal(await lines.next(), undefined)
    assert.deepEqual(await exit, [code, null])
  }
})

/** Runs serve() in a separate process, with an app created by that JavaScript text. */
function start(
  t: TestContext,
  startApp: string,
  options: { argv?: readonly string[]; msPerClockReading?: number; launched?: boolean } = {},
) {
  const script = `
    import { serve } from ${JSON.stringify(new URL('./serve.ts', import.meta.url).href)}
    import { ServiceError } from ${JSON.stringify(new URL('../core/errors.ts', import.meta.url).href)}
    let nowMs = 0
    performance.now = () => (nowMs += ${options.msPerClockReading ?? 0})
    setInterval(() => {}, 1e6)
    process.exit(await serve(${JSON.stringify(options.argv ?? [])}, ${startApp}, (line) => console.error(line)))`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'ignore', 'pipe', ...(options.launched ? (['ipc'] as const) : [])],
  })
  t.after(() => child.kill('SIGKILL'))
  return { child, lines: linesOf(child) }
}

function linesOf(child: ChildProcess) {
  const iterator = createInterface({ input: child.stderr! })[Symbol.asyncIterator]()
  const next = async (): Promise<string | undefined> => {
    const { value, done } = await iterator.next()
    return done ? undefined : value
  }
  const until = async (pattern: RegExp): Promise<void> => {
    for (let line = await next(); line === undefined || !pattern.test(line); line = await next()) {
      assert.notEqual(line, undefined, `ended before a line like ${pattern}`)
    }
  }
  return { next, until }
}
