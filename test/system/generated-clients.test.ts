// Tests of generated clients: generators' clients for the OpenAPI document compile, and work with the running service.
import assert from 'node:assert/strict'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { npmTools, pythonTools, run } from '../support/client-generators.ts'
import { RunningService, scratchDir } from '../support/running-service.ts'

const users = join(import.meta.dirname, 'fixtures/generated-clients')
const forNode = await npmTools('node', [
  ...['@hey-api/openapi-ts@0.95.0', '@redocly/cli@2.77.0', 'openapi-fetch@0.17.0', 'openapi-typescript@7.13.0'],
  // The generators do not run with later versions.
  'typescript@5.9.3',
])
const forPython = await pythonTools('python', ['openapi-python-client==0.29.1', 'httpx==0.28.1'])

describe('a client generated from /openapi.json', () => {
  let scratch: Awaited<ReturnType<typeof scratchDir>>
  let service: RunningService
  let document: string

  before(async () => {
    scratch = await scratchDir()
    service = await RunningService.start(join(scratch.path, 'data'), ['--converters', '1'])
    document = join(scratch.path, 'openapi.json')
    const response = await fetch(`${service.url}/openapi.json`)
    await writeFile(document, await response.text())
  })
  after(async () => {
    await service[Symbol.asyncDispose]()
    await scratch[Symbol.asyncDispose]()
  })

  const skipNode = 'missing' in forNode ? { skip: forNode.missing } : {}
  const nodeDir = 'dir' in forNode ? forNode.dir : ''
  const bin = (name: string) => join(nodeDir, 'node_modules/.bin', name)

  it('comes from a document without errors and warnings of redocly', skipNode, async () => {
    const printed = await run(bin('redocly'), ['lint', document], scratch.path)
    assert.match(printed, /Your API description is valid/)
    assert.doesNotMatch(printed, /warning/i)
  })

  it('by openapi-typescript, with openapi-fetch, uploads, pages, queries and downloads', skipNode, async () => {
    const dir = join(nodeDir, 'openapi-fetch')
    await mkdir(dir, { recursive: true })
    await run(bin('openapi-typescript'), [document, '-o', join(dir, 'schema.d.ts')], dir)
    await compileAndRun(dir, 'openapi-fetch')
  })

  it('by @hey-api/openapi-ts uploads, pages, queries and downloads', skipNode, async () => {
    const dir = join(nodeDir, 'hey-api')
    await mkdir(dir, { recursive: true })
    await run(bin('openapi-ts'), ['-i', document, '-o', join(dir, 'generated')], dir)
    await compileAndRun(dir, 'hey-api')
  })

  const skipPython = 'missing' in forPython ? { skip: forPython.missing } : {}

  it('by openapi-python-client uploads, pages, queries and downloads', skipPython, async () => {
    const bin = join('dir' in forPython ? forPython.dir : '', 'bin')
    const generated = join(scratch.path, 'generated')
    const config = join(scratch.path, 'config.json')
    // Turns off formatting by programs that may not be installed. The generator knows no lines of JSON.
    const overrides = { 'application/x-ndjson': 'application/json' }
    await writeFile(config, JSON.stringify({ post_hooks: [], content_type_overrides: overrides }))
    const args = ['generate', '--path', document, '--output-path', generated, '--config', config, '--fail-on-warning']
    await run(join(bin, 'openapi-python-client'), args, scratch.path)
    const user = join(users, 'python_client.py')
    const printed = await run(join(bin, 'python'), [user, service.url], scratch.path, { PYTHONPATH: generated })
    assert.equal(printed, 'ok\n')
  })

  /** Compiles a program with the client that it uses, as strictly as TypeScript can, and runs it. */
  async function compileAndRun(dir: string, name: string): Promise<void> {
    await copyFile(join(users, `${name}.ts`), join(dir, `${name}.ts`))
    const target = ['--target', 'es2022', '--lib', 'es2023,dom,dom.iterable', '--module', 'nodenext']
    await run(bin('tsc'), [...target, '--strict', '--skipLibCheck', '--outDir', join(dir, 'out'), `${name}.ts`], dir)
    assert.equal(await run(process.execPath, [join(dir, 'out', `${name}.js`), service.url], dir), 'ok\n')
  }
})
