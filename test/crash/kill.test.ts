// Kill: whatever moment a process dies at, what it acknowledged is kept and nothing half done is visible.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkPromises, type Promises, runWriter } from './crash.ts'
import { randomFrom, seed } from './random.ts'

const killCount = Number(process.env.KILLS ?? 30)

test(`kill -9 at ${killCount} random moments loses nothing acknowledged and leaves nothing half done`, async (t) => {
  t.diagnostic(`SEED=${seed}`)
  const random = randomFrom(seed)
  const dir = await mkdtemp(join(tmpdir(), 'kill-'))
  t.after(() => rm(dir, { recursive: true }))
  const all: Promises = new Map()
  for (let round = 0; round < killCount; round += 1) {
    // One in six dies while it starts, the others after so many words and a moment more.
    const isAtStart = random() < 1 / 6
    let wordsLeft = isAtStart ? 0 : Math.floor(random() * 60)
    const delayMs = random() * (isAtStart ? 150 : 5)
    const { promises, isWhole } = await runWriter({
      dir,
      first: round * 10_000,
      count: 10_000,
      atOnce: 1 + (round % 4),
      onLine(line, kill) {
        if ((line === null) !== isAtStart) return
        if (wordsLeft === 0) setTimeout(kill, delayMs)
        wordsLeft -= 1
      },
    })
    assert.equal(isWhole, false)
    for (const [number, state] of promises) all.set(number, state)
    await checkPromises(dir, promises, all.keys())
  }
  await checkPromises(dir, all)
  const keptCount = [...all.values()].filter((state) => state === 'kept').length
  assert.ok(
    keptCount > killCount,
    `only ${keptCount} datasets were acknowledged: the kills come too early to prove much`,
  )
  t.diagnostic(`${all.size} datasets begun, ${keptCount} kept`)
})
