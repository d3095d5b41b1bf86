// Tests of the directory lock: one owner at a time, with real processes that are killed.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { isServiceError } from '../../core/errors.ts'
import { lockDirectory } from './directory-lock.ts'

/** Takes the lock of the given directory, prints whether it succeeded, and keeps it until its input ends. */
const holderProgram = `
import { lockDirectory } from ${JSON.stringify(new URL('./directory-lock.ts', import.meta.url))}
try {
  const lock = await lockDirectory(process.argv[1])
  process.stdin.resume().on('end', () => lock[Symbol.asyncDispose]())
  console.log('holds')
} catch (error) {
  console.log(error.message)
}`

async function emptyDirectory(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'lock-'))
  t.after(() => rm(dir, { recursive: true }))
  return dir
}

/** Starts a holder; `said` is its first line. */
function startHolder(t: TestContext, dir: string): { readonly child: ChildProcess; readonly said: Promise<string> } {
  const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', holderProgram, dir], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  return { child, said: once(child.stdout!.setEncoding('utf8'), 'data').then(([text]) => text.trim()) }
}

/** The complete message, as shown to the person who starts the second process. */
const refusal = (dir: string, pid: number | undefined) =>
  `Cannot open data directory '${dir}': it is in use by process ${pid} on ${hostname()}; stop it or choose another directory`

test('lockDirectory() refuses a second owner in this process until the first releases it', async (t) => {
  const dir = await emptyDirectory(t)
  const first = await lockDirectory(dir)
  for (let attempt = 0; attempt < 2; attempt += 1) {
    await assert.rejects(
      lockDirectory(dir),
      (error) =>
        isServiceError(error, 'DATA_DIRECTORY_IN_USE') &&
        error.details.dir === dir &&
        error.message === refusal(dir, process.pid),
    )
  }
  // The failed attempts must not have cost the first its lock, as closing a file does with POSIX locks.
  const other = startHolder(t, dir)
  assert.equal(await other.said, refusal(dir, process.pid))
  await first[Symbol.asyncDispose]()
  assert.deepEqual(await readdir(dir), ['lock'])
  await (await lockDirectory(dir))[Symbol.asyncDispose]()
})

test('lockDirectory() refuses while another process lives and succeeds immediately after kill -9', async (t) => {
  const dir = await emptyDirectory(t)
  for (let round = 0; round < 3; round += 1) {
    const { child, said } = startHolder(t, dir)
    assert.equal(await said, 'holds')
    await assert.rejects(lockDirectory(dir), { message: refusal(dir, child.pid) })
    child.kill('SIGKILL')
    await once(child, 'exit')
    await (await lockDirectory(dir))[Symbol.asyncDispose]()
  }
})

test('lockDirectory() has exactly one winner when many start at once', async (t) => {
  const dir = await emptyDirectory(t)
  for (let round = 0; round < 2; round += 1) {
    const holders = Array.from({ length: 6 }, () => startHolder(t, dir))
    const said = await Promise.all(holders.map((holder) => holder.said))
    assert.equal(said.filter((text) => text === 'holds').length, 1, said.join('\n'))
    const winner = holders[said.indexOf('holds')]!.child
    for (const text of said) assert.ok(text === 'holds' || text.startsWith('Cannot open data directory'), text)
    winner.kill('SIGKILL')
    await once(winner, 'exit')
  }
})
