// Crashes: readers that die or hang at work cost a second try, or that one request; others continue.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { findCommand } from '../../src/engine/sandbox/spawn-child.ts'
import { Client } from '../support/client.ts'
import { isAlive, RunningService, scratchDir, seesProcesses } from '../support/running-service.ts'
import { until } from '../support/until.ts'
import { flags } from './service-kills.ts'

const scratch = await scratchDir()
after(() => scratch[Symbol.asyncDispose]())

const noProcesses = 'this system does not show processes'

/** A service whose one reader and waiting query have been started. */
async function startWith(name: string, more: readonly string[] = []) {
  const service = await RunningService.start(join(scratch.path, name), [...flags, '--converters', '1', ...more])
  return { service, client: new Client(service.url), ...(await service.startChildren()) }
}

test('a reader that dies or hangs during a request costs only a second try', async (t) => {
  if (!seesProcesses) return t.skip(noProcesses)
  const { service, client, reader, query } = await startWith('reader', ['--convert-time-max', '15s'])
  await using _ = service
  const { links } = await client.upload('a,b\n1,2\n')
  const rows = async () => JSON.parse((await client.get(links.rows)).toString()).rows
  assert.deepEqual(await rows(), [[1, 2]])
  process.kill(reader, 'SIGSEGV')
  assert.deepEqual(await rows(), [[1, 2]])
  await until(
    'another reader has started',
    () => service.children().length === 2 && !service.children().includes(reader),
  )
  const next = service.children().find((child) => child !== query) ?? 0
  process.kill(next, 'SIGSTOP')
  assert.deepEqual(await rows(), [[1, 2]])
})

test('children that hang end when their service is killed', async (t) => {
  if (!seesProcesses) return t.skip(noProcesses)
  if (findCommand('setpriv') === undefined)
    return t.skip('this system has no setpriv, which ties a child to its parent')
  const { service, reader, query } = await startWith('hanging')
  await using _ = service
  const children = [reader, query]
  // The programs before it confine the child, and finally tie it to its parent.
  await until('the program of each runs', () => children.every(runsProgram))
  // Stopped processes cannot be notified.
  for (const child of children) process.kill(child, 'SIGSTOP')
  await service[Symbol.asyncDispose]()
  await until('the children have ended', () => !children.some(isAlive))
})

function runsProgram(pid: number): boolean {
  return readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0')[0]?.endsWith('/node') ?? false
}
