// Tests of thread crashes: traps, hangs and memory blow-ups of WebAssembly cost a second try, or that one upload.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { Client } from '../support/client.ts'
import { RunningService, scratchDir } from '../support/running-service.ts'
import { until } from '../support/until.ts'

const scratch = await scratchDir()
after(() => scratch[Symbol.asyncDispose]())

const breaking = pathToFileURL(join(import.meta.dirname, 'fixtures', 'breaking-threads.ts')).href

/** Too large to be converted in the receiving thread. */
const large = `id,text\n${Array.from({ length: 20_000 }, (_, i) => `${i},text number ${i}`).join('\n')}\n`
const small = 'id,text\n1,a\n2,b\n'

/** Starts a service with planned faults, a word each. */
async function startWith(name: string, flags: readonly string[] = []) {
  const plan = join(scratch.path, `${name}.plan`)
  const environment = { NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import ${breaking}`, BREAKING_PLAN: plan }
  const service = await RunningService.start(join(scratch.path, name), flags, environment)
  const client = new Client(service.url)
  const lost = async () => {
    const metrics = (await client.get('/metrics')).toString()
    return Number(/children_lost_total\{pool="converter"\} (\d+)/.exec(metrics)?.[1] ?? 0)
  }
  return {
    service,
    client,
    lost,
    plan: (...words: readonly string[]) => writeFileSync(plan, words.join(' ')),
    path: plan,
  }
}

async function assertWhole(client: Client, content: string): Promise<void> {
  const receipt = await client.upload(content)
  assert.deepEqual(
    receipt.columns.map(({ type }) => type),
    ['integer', 'text'],
  )
  assert.ok((await client.get(receipt.links.csv)).equals(Buffer.from(content)))
  assert.equal((await client.allRows(receipt)).length, receipt.records.accepted)
}

/** The same records, as a different file. */
const another = (n: number) => `${large}${100_000 + n},another\n`

test('a trap, a hang and a blow-up in a thread cost only a second try each', async () => {
  const { service, client, lost, plan, path } = await startWith('second-try', ['--convert-time-max', '5s'])
  await using _ = service
  for (const [i, what] of ['trap', 'hang', 'grow'].entries()) {
    plan(what)
    const sending = assertWhole(client, another(i))
    // The receiving thread is free meanwhile.
    await assertWhole(client, `${small}${i},c\n`)
    await sending
    assert.equal(existsSync(path), false, `${what} has happened`)
    assert.equal(await lost(), i + 1, what)
  }
  // It grows by 16 MiB.
  const grown = Number(readFileSync(`${path}.grown`, 'utf8'))
  assert.ok(grown > 2 ** 30 - 2 ** 24 && grown <= 2 ** 30, `memory ends at ${grown} bytes, expected 1 GiB`)
  await until('nothing unfinished is left', () => service.incoming().length === 0)
})

for (const what of ['trap', 'hang'] as const) {
  test(`an upload that loses two threads to a ${what} is refused; the next one is accepted`, async () => {
    const { service, client, lost, plan } = await startWith(`two-${what}s`, ['--convert-time-max', '5s'])
    await using _ = service
    plan(what, what)
    const refusal = await client.refused({ content: large })
    assert.equal(refusal.exception, 'csvupload.ConversionException')
    assert.equal(await lost(), 2)
    assert.deepEqual(await client.datasetIds(), [])
    assert.deepEqual(service.datasetDirs(), [])
    await until('nothing unfinished is left', () => service.incoming().length === 0)
    await assertWhole(client, large)
  })
}

test('a trap in the receiving thread costs that upload, and its memory is not reused', async () => {
  const { service, client, plan } = await startWith('small')
  await using _ = service
  await assertWhole(client, small)
  plan('main-trap')
  const refusal = await client.refused({ content: `${small}3,c\n` })
  assert.equal(refusal.exception, 'csvupload.ConversionException')
  await until('nothing unfinished is left', () => service.incoming().length === 0)
  await assertWhole(client, `${small}3,c\n`)
})
