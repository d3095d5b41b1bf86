// Tests of resumable uploads with common clients, unmodified, over broken connections: tus-js-client, Uppy, tuspy.
import assert from 'node:assert/strict'
import { copyFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { type BreakingProxy, startProxy } from '../support/breaking-proxy.ts'
import { Client } from '../support/client.ts'
import { npmTools, pythonTools, run } from '../support/client-generators.ts'
import { RunningService, scratchDir } from '../support/running-service.ts'
import { createRandom, csvText, seed } from '../support/samples.ts'

const fixtures = join(import.meta.dirname, 'fixtures/resumable-clients')
const forNode = await npmTools('tus-node', ['tus-js-client@4.3.1', '@uppy/core@6.3.1', '@uppy/tus@6.0.0'])
const forPython = await pythonTools('tus-python', ['tuspy==1.1.0'])
const skipNode = 'missing' in forNode ? { skip: forNode.missing } : {}
const skipPython = 'missing' in forPython ? { skip: forPython.missing } : {}
const nodeDir = 'dir' in forNode ? forNode.dir : ''
const pythonDir = 'dir' in forPython ? forPython.dir : ''
const breaksMin = 6

describe(`a client for resumable uploads, over connections that break (SEED=${seed})`, () => {
  const random = createRandom(seed)
  let scratch: Awaited<ReturnType<typeof scratchDir>>
  let service: RunningService
  let client: Client
  let proxy: BreakingProxy
  let breaksBefore = 0
  let onlyInBodies = false

  before(async () => {
    scratch = await scratchDir()
    service = await RunningService.start(join(scratch.path, 'data'))
    client = new Client(service.url)
    for (const name of ['tus-js-client.mjs', 'uppy.mjs']) {
      if (nodeDir !== '') await copyFile(join(fixtures, name), join(nodeDir, name))
    }
    // The next uploads have six breaks: in the head or body of a request, or in the response.
    proxy = await startProxy(service.url, () => {
      if (proxy.breaks() - breaksBefore >= breaksMin) return {}
      const upBytes = !onlyInBodies && random(4) === 0 ? 1 + random(500) : 100_000 + random(600_000)
      return { upBytes, ...(!onlyInBodies && random(5) === 0 && { downBytes: 1 + random(200) }) }
    })
  })
  after(async () => {
    await proxy[Symbol.asyncDispose]()
    await service[Symbol.asyncDispose]()
    await scratch[Symbol.asyncDispose]()
  })

  /** A new file of six megabytes, and its bytes. */
  async function sample(name: string) {
    breaksBefore = proxy.breaks()
    const path = join(scratch.path, name)
    const content = Buffer.from(csvText('id,name,client', 150_000, (i) => `${i},name ${i},${name} ${i % 7}`))
    await writeFile(path, content)
    return { path, content, name }
  }

  async function kept(
    link: string,
    { content, name }: { readonly content: Buffer; readonly name: string },
    t: unknown,
  ) {
    const receipt = JSON.parse((await client.get(link)).toString())
    assert.deepEqual([receipt.records.accepted, receipt.file.name], [150_000, name])
    assert.ok((await client.get(`${link}/original`)).equals(content))
    ;(t as TestContext).diagnostic(`${proxy.breaks() - breaksBefore} breaks`)
  }

  /** The link to the dataset of an upload. If the last response was lost, the client does not know it. */
  async function linkOf(url: string): Promise<string> {
    const answer = await client.ask('GET', new URL(url).pathname, undefined, { prefer: 'wait=20' })
    return JSON.parse(answer.body.toString()).links.receipt
  }

  async function tusJs(path: string, stopAt = 0) {
    const state = join(scratch.path, 'urls.json')
    const args = ['tus-js-client.mjs', `${proxy.url}/qas/uploads`, path, state, String(stopAt)]
    return JSON.parse(await run(process.execPath, args, nodeDir))
  }

  it('tus-js-client by tus', skipNode, async (t) => {
    const file = await sample('tus-js.csv')
    const { url, error } = await tusJs(file.path)
    assert.equal(error, undefined)
    assert.equal(proxy.breaks() - breaksBefore, breaksMin)
    await kept(await linkOf(url), file, t)
  })

  it('tus-js-client, continued in another process', skipNode, async (t) => {
    const file = await sample('tus-js-again.csv')
    const first = await tusJs(file.path, 3_000_000)
    assert.ok(first.stoppedAt >= 3_000_000, JSON.stringify(first))
    const second = await tusJs(file.path)
    assert.deepEqual([second.error, second.resumed, second.url], [undefined, true, first.url])
    await kept(await linkOf(second.url), file, t)
  })

  it('tus-js-client gets the error record of a file that is not CSV', skipNode, async () => {
    breaksBefore = Number.NEGATIVE_INFINITY
    const path = join(scratch.path, 'picture.csv')
    await writeFile(path, Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(50_000)]))
    const { status, body } = await tusJs(path)
    assert.deepEqual([status, JSON.parse(body).status], [422, 422])
  })

  it('Uppy by its plugin for tus', skipNode, async (t) => {
    const file = await sample('uppy.csv')
    const printed = await run(process.execPath, ['uppy.mjs', `${proxy.url}/qas/uploads`, file.path], nodeDir)
    // It logs retries first.
    const { url, error } = JSON.parse(printed.trimEnd().split('\n').at(-1) ?? '')
    assert.equal(error, null)
    await kept(await linkOf(url), file, t)
  })

  it('tuspy with checksums, interrupted and then continued', skipPython, async (t) => {
    // It does not retry to create an upload, and Python takes an incomplete response head for a complete one.
    onlyInBodies = true
    const file = await sample('tuspy.csv')
    const python = async (stopAt: number) => {
      const args = [join(fixtures, 'tuspy.py'), `${proxy.url}/qas/uploads`, file.path, join(scratch.path, 'tuspy.json')]
      return JSON.parse(await run(join(pythonDir, 'bin/python'), [...args, String(stopAt)], scratch.path))
    }
    const first = await python(2_000_000)
    assert.deepEqual([first.from, first.link], [0, null])
    const second = await python(0)
    assert.deepEqual([second.url, second.from], [first.url, 2_000_000])
    await kept(await linkOf(second.url), file, t)
  })
})
