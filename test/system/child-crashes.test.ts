// Crashes: converters and readers that die or hang at work cost a second try, or that one request; others continue.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { findCommand } from '../../src/sandbox/spawn-child.ts'
import { type Answer, Client, jsonOf, refusalOf, type UploadAnswer } from '../support/client.ts'
import { isAlive, RunningService, scratchDir, seesProcesses } from '../support/running-service.ts'
import { until } from '../support/until.ts'
import { declaredBody, flags, isWhole } from './service-kills.ts'

const scratch = await scratchDir()
after(() => scratch[Symbol.asyncDispose]())

const noProcesses = 'this system does not show processes'

/** A service whose one converter, reader and waiting query have been started. */
async function startWith(name: string, more: readonly string[] = []) {
  const service = await RunningService.start(join(scratch.path, name), [...flags, '--converters', '1', ...more])
  return { service, client: new Client(service.url), ...(await service.startChildren()) }
}

const whole = async (client: Client, answer: Answer) => {
  assert.equal(answer.status, 200, answer.body.toString())
  await isWhole(client, jsonOf<UploadAnswer>(answer).id)
}

for (const signal of ['SIGSEGV', 'SIGBUS', 'SIGABRT', 'SIGILL'] as const) {
  test(`a converter that ends with ${signal} during an upload costs only a second try`, async (t) => {
    if (!seesProcesses) return t.skip(noProcesses)
    const { service, client, converter } = await startWith(signal)
    await using _ = service
    const sending = client.ask('POST', '/qas/uploadCsv', declaredBody)
    await until('the upload has begun', () => service.drafts().length > 0)
    process.kill(converter, signal)
    const other = client.send({ content: `a,b\n${signal},2\n` })
    await whole(client, await sending)
    await whole(client, await other)
    assert.ok(!isAlive(converter))
    await until('nothing unfinished is left', () => service.incoming().length === 0)
  })
}

test('an upload whose converters all die is refused and leaves nothing, and the next one is accepted', async (t) => {
  if (!seesProcesses) return t.skip(noProcesses)
  const { service, client, reader, query } = await startWith('all')
  await using _ = service
  let answer: Answer | null = null
  const sending = client.ask('POST', '/qas/uploadCsv', declaredBody).then((given) => {
    answer = given
  })
  // Each is killed as soon as it exists, long before it can have done anything.
  while (answer === null) {
    for (const child of service.children()) {
      if (child !== reader && child !== query) process.kill(child, 'SIGSEGV')
    }
    await sleep(5)
  }
  await sending
  assert.equal(refusalOf(answer).exception, 'csvupload.ConversionException')
  assert.deepEqual(await client.datasetIds(), [])
  assert.deepEqual(service.datasetDirs(), [])
  await until('nothing unfinished is left', () => service.incoming().length === 0)
  await whole(client, await client.ask('POST', '/qas/uploadCsv', declaredBody))
})

test('a reader that dies or hangs during a request costs only a second try', async (t) => {
  if (!seesProcesses) return t.skip(noProcesses)
  const { service, client, converter, reader, query } = await startWith('reader', ['--convert-time-max', '15s'])
  await using _ = service
  const { links } = await client.upload('a,b\n1,2\n')
  const rows = async () => JSON.parse((await client.get(links.rows)).toString()).rows
  assert.deepEqual(await rows(), [[1, 2]])
  process.kill(reader, 'SIGSEGV')
  assert.deepEqual(await rows(), [[1, 2]])
  await until(
    'another reader has started',
    () => service.children().length === 3 && !service.children().includes(reader),
  )
  const next = service.children().find((child) => child !== converter && child !== query) ?? 0
  process.kill(next, 'SIGSTOP')
  assert.deepEqual(await rows(), [[1, 2]])
})

test('children that hang end when their service is killed', async (t) => {
  if (!seesProcesses) return t.skip(noProcesses)
  if (findCommand('setpriv') === undefined)
    return t.skip('this system has no setpriv, which ties a child to its parent')
  const { service, converter, reader, query } = await startWith('hanging')
  await using _ = service
  const children = [converter, reader, query]
  // The programs before it confine the child, and finally tie it to its parent.
  await until('the program of each runs', () => children.every(runsProgram))
  // Stopped processes cannot be notified.
  for (const child of children) process.kill(child, 'SIGSTOP')
  service.kill('SIGKILL')
  await service.ended
  await until('the children have ended', () => !children.some(isAlive))
})

function runsProgram(pid: number): boolean {
  return readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0')[0]?.endsWith('/node') ?? false
}
