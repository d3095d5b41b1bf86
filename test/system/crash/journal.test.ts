// Tests of journals on failing disks: a line that was added is found again, whatever has failed before.
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { findCommand } from '../../../src/engine/sandbox/spawn-child.ts'
import { scratchDir } from '../../support/running-service.ts'
import { FaultyCalls, whyNoFaultyCalls } from './faulty-calls.ts'
import type { JournalOrder } from './journal-writer.ts'

const program = join(import.meta.dirname, 'journal-writer.ts')
const prlimit = findCommand('prlimit')

/** Starts a writer; returns what gives it an order and resolves to its outcome. */
async function writer(path: string, options: Parameters<typeof fork>[2]) {
  const child = fork(program, [path], options)
  const next = async () => String((await once(child, 'message'))[0])
  assert.equal(await next(), 'ready')
  return {
    order: async (order: JournalOrder) => {
      const said = next()
      child.send(order)
      return await said
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

test('a line that was cut short by a full disk does not damage the next one', {
  skip: prlimit === undefined ? 'prlimit is not here' : false,
}, async () => {
  await using scratch = await scratchDir()
  const path = join(scratch.path, 'journal')
  // Without a cache of compiled code, whose files would be limited too.
  const limited = { execPath: prlimit ?? '', execArgv: ['--fsize=100', process.execPath], env: {} }
  await using journal = await writer(path, limited)
  assert.equal(await journal.order({ add: 'first' }), 'durable')
  assert.equal(await journal.order({ add: 'x'.repeat(200) }), 'failed')
  assert.equal(await journal.order({ add: 'second' }), 'durable')
  assert.equal(await readFile(path, 'utf8'), 'first\nsecond\n')
})

test('a line is added to a replaced journal only once its new name is durable', async (t) => {
  const why = whyNoFaultyCalls()
  if (why !== null) return t.skip(why)
  await using scratch = await scratchDir()
  using calls = new FaultyCalls(scratch.path)
  const path = join(scratch.path, 'journal')
  await using journal = await writer(path, { env: { ...process.env, ...calls.environment } })
  assert.equal(await journal.order({ add: 'first' }), 'durable')
  // The first sync is that of the new file, the second that of the directory.
  for (const order of [{ replace: ['other'] }, { add: 'second' }]) {
    calls.arm({ kind: 'sync', role: 'service', fault: 'EIO', at: 2 })
    assert.equal(await journal.order(order), 'failed')
    assert.equal(calls.disarm().path, '')
    assert.equal(await readFile(path, 'utf8'), 'other\n')
  }
  assert.equal(await journal.order({ add: 'third' }), 'durable')
  assert.equal(await readFile(path, 'utf8'), 'other\nthird\n')
})
