// Tests of system calls: kills at each one that changes the disk, and their order before a promise.
import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { isTraceable, runWriter } from './crash.ts'
import { crashSample } from './crash-sample.ts'
import { changingCalls, killAtEveryCall } from './kills.ts'

const skip = isTraceable ? false : 'strace is not there or may not trace'

async function emptyDirectory(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'system-calls-'))
  t.after(() => rm(dir, { recursive: true }))
  return dir
}

for (const calls of changingCalls) {
  test(`kill -9 at every ${calls.replaceAll('?', '')} loses nothing acknowledged`, { skip }, async (t) => {
    const kills = await killAtEveryCall(calls)
    t.diagnostic(`${kills} kills`)
    assert.ok(kills >= 3, 'strace did not count the calls')
  })
}

test('every file is synced before a move, and the move before the promise', { skip }, async (t) => {
  const dir = await emptyDirectory(t)
  const traceDir = await emptyDirectory(t)
  const trace = join(traceDir, 'trace')
  const under = ['strace', '-f', '-y', '-s', '300', '-o', trace, '-e', 'trace=fsync,?rename,?renameat,?renameat2,write']
  await runWriter({ dir, first: 4, count: 2, atOnce: 1, under })
  const steps = parseTrace(await readFile(trace, 'utf8'))
  const find = (what: string, from: number, matches: (step: string) => boolean): number => {
    const position = steps.findIndex((step, index) => index >= from && matches(step))
    assert.notEqual(position, -1, `no ${what} after step ${from} of\n${steps.join('\n')}`)
    return position
  }
  const sync = (path: string, from = 0) => find(`sync ${path}`, from, (step) => step === `sync ${path}`)
  const bothSynced = (from: number) => Math.max(sync(join(dir, 'datasets'), from), sync(join(dir, 'incoming'), from))

  // Dataset 4 is published and recorded.
  const dataset = join(dir, 'datasets', crashSample(4).receipt.id)
  const moved = find('publish', 0, (step) => step.startsWith('move ') && step.endsWith(` ${dataset}`))
  const draft = steps[moved]!.split(' ')[1]!
  const names = (await readdir(dataset, { recursive: true })).map((name) => join(draft, name))
  assert.ok(names.includes(join(draft, 'receipt.json')))
  for (const path of [draft, ...names]) assert.ok(sync(path) < moved, path)
  assert.ok(names.some((path) => path.startsWith(`${join(draft, 'uploads')}/`)))
  const said = (words: string) => find(words, 0, (step) => step === `say ${words}`)
  assert.ok(bothSynced(moved) < said('kept 4'))

  // Then dataset 5 is removed.
  const gone = join(dir, 'datasets', crashSample(5).receipt.id)
  const removed = find('removal', 0, (step) => step.startsWith(`move ${gone} ${join(dir, 'incoming')}/`))
  assert.ok(bothSynced(removed) < said('removed 5'))
})

/**
 * The steps in the order in which they began: `sync <path>`, `move <from> <to>`, `say <words>`. One thread makes all
 * syncs and moves, so each had ended when the next began.
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
