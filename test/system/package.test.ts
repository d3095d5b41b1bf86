// Tests of the package as published: packed, unpacked elsewhere beside its dependencies, and used without its sources.
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

describe('the package', () => {
  let dir: string
  let packageDir: string

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'csv-upload-package-'))
    const modules = join(dir, 'node_modules')
    packageDir = join(modules, 'csv-upload-service')
    await mkdir(packageDir, { recursive: true })
    const flags = ['pack', '--pack-destination', dir, '--loglevel=error']
    await run('npm', flags, { cwd: root, shell: process.platform === 'win32' })
    const [archive] = (await readdir(dir)).filter((name) => name.endsWith('.tgz'))
    await run('tar', ['-xzf', join(dir, archive ?? ''), '--strip-components=1', '-C', packageDir])
    // Uses the dependencies of the checkout, since installing would need a registry.
    for (const name of await readdir(join(root, 'node_modules'))) {
      if (!name.startsWith('.')) await symlink(join(root, 'node_modules', name), join(modules, name), 'junction')
    }
    await writeFile(join(dir, 'package.json'), '{"type":"module"}')
  })
  after(() => rm(dir, { recursive: true, force: true }))

  it('contains the compiled code, but no sources or tests', async () => {
    const names = await readdir(packageDir, { recursive: true })
    for (const name of [
      'dist/index.js',
      'dist/index.d.ts',
      'dist/engine/readers/reader-main.js',
      'build/scanner.wasm',
      'build/columns.wasm',
      'LICENSE',
    ]) {
      assert.ok(names.includes(name), name)
    }
    assert.deepEqual(
      names.filter((name) => /(^|\/)(src|test|bench|corpus|node_modules)\/|\.test\.|(?<!\.d)\.ts$/.test(name)),
      [],
    )
  })

  it('is a command', async () => {
    const program = join(packageDir, 'scripts/csv-upload.mjs')
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string }
    const { stdout } = await run(process.execPath, [program, '--version'], { cwd: dir })
    assert.equal(stdout, `${version}\n`)
    const args = [program, 'serve', '--port', '0', '--data', join(dir, 'served'), '--log-level', 'silent']
    const child = spawn(process.execPath, args, { cwd: dir, stdio: ['ignore', 'ignore', 'pipe'] })
    const ended = once(child, 'exit')
    try {
      let url: string | undefined
      for await (const line of createInterface({ input: child.stderr })) {
        url = /^Listening on (\S+)$/.exec(line)?.[1]
        if (url !== undefined) break
      }
      assert.ok(url)
      const form = new FormData()
      form.append('file', new Blob(['id,name\n1,Ada\n']), 'people.csv')
      const response = await fetch(`${url}/qas/uploadCsv`, { method: 'POST', body: form })
      const receipt = (await response.json()) as { readonly links: { readonly query: string } } // verified by test/api
      assert.equal(response.status, 200)
      // Conversion and query run separate programs, which must be found in the package, too.
      const headers = { 'content-type': 'application/json' }
      const body = '{"sql":"SELECT name FROM data"}'
      const answer = await fetch(url + receipt.links.query, { method: 'POST', headers, body })
      assert.deepEqual([answer.status, ((await answer.json()) as { rows: unknown }).rows], [200, [['Ada']]])
    } finally {
      child.kill('SIGTERM')
    }
    assert.deepEqual(await ended, [0, null])
  })

  it('is a library', async () => {
    const code = `
      import { ConfigError, createServer } from "csv-upload-service"
      const server = await createServer({ port: 0, data: ${JSON.stringify(join(dir, 'held'))}, logLevel: 'silent', converters: 1 })
      const form = new FormData()
      form.append('file', new Blob(['id,name\\n1,Ada\\n']), 'people.csv')
      const response = await fetch(server.url + '/qas/uploadCsv', { method: 'POST', body: form })
      const receipt = await response.json()
      await server.close()
      const refusal = await createServer({ maxFileSize: 'large' }).catch((error) => error)
      console.log(JSON.stringify([response.status, receipt.records.accepted, refusal instanceof ConfigError, refusal.message]))
    `
    await writeFile(join(dir, 'use.js'), code)
    const { stdout } = await run(process.execPath, ['use.js'], { cwd: dir })
    const [status, accepted, isConfigError, message] = JSON.parse(stdout) as unknown[]
    assert.deepEqual([status, accepted, isConfigError], [200, 1, true])
    assert.match(String(message), /^Cannot use --max-file-size: given "large", expected a size/)
  })

  it('is a Fastify plugin', async () => {
    const code = `
      import fastify from "fastify"
      import { csvUpload } from "csv-upload-service"
      const app = fastify()
      app.get('/mine', () => 'mine')
      await app.register(csvUpload, { data: ${JSON.stringify(join(dir, 'plugged'))}, converters: 1 })
      const url = await app.listen({ port: 0 })
      const form = new FormData()
      form.append('file', new Blob(['id,name\\n1,Ada\\n']), 'people.csv')
      const sent = await fetch(url + '/qas/uploadCsv', { method: 'POST', body: form })
      const { links } = await sent.json()
      const rows = await (await fetch(url + links.rows)).json()
      const none = await (await fetch(url + '/qas/datasets/' + '0'.repeat(32))).json()
      const mine = await (await fetch(url + '/mine')).text()
      await app.close()
      const prefixed = await fastify().register(csvUpload, { prefix: '/a' }).then(() => null, (error) => error.message)
      console.log(JSON.stringify([sent.status, rows.rows, Object.keys(none).length, mine, prefixed]))
    `
    await writeFile(join(dir, 'plug.js'), code)
    const { stdout } = await run(process.execPath, ['plug.js'], { cwd: dir })
    const [status, rows, fieldCount, mine, prefixed] = JSON.parse(stdout) as unknown[]
    assert.deepEqual([status, rows, fieldCount, mine], [200, [[1, 'Ada']], 6, 'mine'])
    assert.match(String(prefixed), /^Cannot use --prefix: there is no such option/)
  })

  it('has types', async () => {
    const right = `
      import fastify from "fastify"
      import { createServer, csvUpload, type RunningApp, type ServerOptions } from "csv-upload-service"
      await fastify().register(csvUpload, { data: './data' })
      const options: ServerOptions = { port: 0, maxFileSize: '200MB', shutdownGrace: '1s' }
      export const server: RunningApp = await createServer(options)
    `
    const wrong = `
      import { createServer } from "csv-upload-service"
      export const server: number = await createServer({ maxFileSise: '200MB' })
    `
    await writeFile(join(dir, 'right.ts'), right)
    await writeFile(join(dir, 'wrong.ts'), wrong)
    const compiler = join(root, 'node_modules/typescript/bin/tsc')
    const flags = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--module',
      'nodenext',
      '--target',
      'esnext',
      '--types',
      'node',
    ]
    await run(process.execPath, [compiler, ...flags, 'right.ts'], { cwd: dir })
    const { stdout } = await run(process.execPath, [compiler, ...flags, 'wrong.ts'], { cwd: dir }).catch(
      (error) => error,
    )
    assert.match(stdout, /maxFileSise/)
    assert.match(stdout, /RunningApp/)
  })
})
