// System calls: kills at every single one that changes what is on disk, and the order in which they make a promise true.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { checkPromises, runWriter } from './crash.ts'
import { crashSample } from './crash-sample.ts'

/** Published, recorded and removed; it has a part and no rejects. */
const number = 5

const skip =
  spawnSync('strace', ['-f', '-o', '/dev/null', '-e', 'trace=fsync', 'true']).status === 0
    ? false
    : 'strace is not there or may not trace'

async function emptyDirectory(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'system-calls-'))
  t.after(() => rm(dir, { recursive: true }))
  return dir
}

// The names that a processor does not have are marked with a question mark. strace counts calls by thread, and the
// writer does them all in its one file thread.
for (const calls of ['fsync', '?rename,?renameat,?renameat2', '?mkdir,?mkdirat', '?unlink,?rmdir,?unlinkat']) {
  test(`kill -9 at every ${calls.replaceAll('?', '')} loses nothing acknowledged`, { skip }, async (t) => {
    let callIndex = 0
    for (let isWhole = false; !isWhole; ) {
      callIndex += 1
      assert.ok(callIndex < 100, 'the writer never comes to its end')
      const dir = await emptyDirectory(t)
      const strace = ['strace', '-f', '-qq', '-o', '/dev/null']
      const inject = `inject=${calls}:signal=SIGKILL:when=${callIndex}`
      const under = [...strace, '-e', `trace=${calls}`, '-e', inject]
      const ended = await runWriter({ dir, first: number, count: 1, atOnce: 1, under })
      await checkPromises(dir, ended.promises)
      isWhole = ended.isWhole
    }
    t.diagnostic(`${callIndex - 1} kills`)
    assert.ok(callIndex > 3, 'strace did not count the calls')
  })
}

test('every file is synced before the move, and the move before the promise', { skip }, async (t) => {
  const dir = await emptyDirectory(t)
  const traceDir = await emptyDirectory(t)
  const trace = join(traceDir, 'trace')
  const under = ['strace', '-f', '-y', '-s', '300', '-o', trace, '-e', 'trace=fsync,?rename,?renameat,?renameat2,write']
  await runWriter({ dir, first: 4, count: 1, atOnce: 1, under })
  const steps = parseTrace(await readFile(trace, 'utf8'))
  const positionOf = (step: string, from = 0) => {
    const position = steps.indexOf(step, from)
    assert.notEqual(position, -1, `no '${step}' after step ${from} of\n${steps.join('\n')}`)
    return position
  }

  const dataset = join(dir, 'datasets', crashSample(4).receipt.id)
  const moved = steps.findIndex((step) => step.startsWith('move ') && step.endsWith(` ${dataset}`))
  const draft = steps[moved]?.split(' ')[1] ?? assert.fail(`no move to ${dataset} in\n${steps.join('\n')}`)
  const names = (await readdir(dataset, { recursive: true })).map((name) => join(draft, name))
  assert.ok(names.includes(join(draft, 'receipt.json')))
  for (const path of [draft, ...names]) assert.ok(positionOf(`sync ${path}`) < moved, path)
  const synced = Math.max(...['datasets', 'incoming'].map((name) => positionOf(`sync ${join(dir, name)}`, moved)))

  const recorded = steps.findIndex(
    (step) => step.startsWith('move ') && dirname(step.split(' ')[2]!) === join(dir, 'uploads'),
  )
  assert.ok(recorded > synced)
  assert.ok(positionOf(`sync ${steps[recorded]?.split(' ')[1]}`) < recorded)
  assert.ok(positionOf('say kept 4') > positionOf(`sync ${join(dir, 'uploads')}`, recorded))
})

/**
 * The steps in the order they began: `sync <path>`, `move <from> <to>`, `say <words>`. All syncs and moves are made by
 * one thread, so each had ended when the next began.
 */
function parseTrace(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    const sync = /^\d+ +fsync\(\d+<([^>]+)>/.exec(line)
    if (sync !== null) return `sync ${sync[1]}`
    const move = /^\d+ +rename\w*\((?:\w+(?:<[^>]+>)?, )?"([^"]+)", (?:\w+(?:<[^>]+>)?, )?"([^"]+)"/.exec(line)
    if (move !== null) return `move ${move[1]} ${move[2]}`
    const said = /^\d+ +write\(1<[^>]*>, "(\w+ \d+)\\n"/.exec(line)
    return said === null ? [] : `say ${said[1]}`
  })
}
