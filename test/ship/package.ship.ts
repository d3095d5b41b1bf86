// Trials of the package as people get it: packed, installed by npm at a path with a blank and an umlaut, and used there on
// several versions of Node. Where the registry cannot be reached, it stands beside the checkout's dependencies instead.
import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, it, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { until } from '../support/until.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const checkout = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
const nodeVersionMin = checkout.publishConfig.engines.node.replace('>=', '') as string
const optionalParts = ['@aws-sdk/client-s3', 'pg', 'pg-copy-streams']
const installedBytesMax = 160 * 1_000_000
const isWindows = process.platform === 'win32'

/** As in a person's shell: what npm told this run is not for the trials. */
const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)))

/** The environment with this Node first on the path. */
function onNode(node: string) {
  return { ...environment, PATH: [dirname(node), environment.PATH].join(delimiter) }
}

const pinnedNode = onNode(process.execPath)

/** The output and the exit code, whatever it is. */
async function run(command: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = pinnedNode) {
  const options = { cwd, env, shell: isWindows, maxBuffer: 64_000_000 }
  const ended = promisify(execFile)(command, args, options)
  return await ended.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code: code as number, stdout: String(stdout), stderr: String(stderr) }),
  )
}

const install = (dir: string, ...args: readonly string[]) =>
  run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error', ...args], dir)

/** A `csv-upload serve` that listens. Disposing ends it. */
class Served implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #lines: AsyncIterator<string>
  /** Every process down to the service holds the other end of the pipe. */
  readonly #allEnded: Promise<unknown>
  readonly ended: Promise<readonly unknown[]>
  url = ''

  private constructor(child: ChildProcess) {
    this.#child = child
    this.#lines = createInterface({ input: child.stderr! })[Symbol.asyncIterator]()
    this.#allEnded = once(child.stderr!, 'close')
    this.ended = once(child, 'exit')
  }

  static async start(command: readonly string[], data: string, env: NodeJS.ProcessEnv, cwd: string): Promise<Served> {
    const [program = '', ...args] = [...command, 'serve', '--port', '0', '--data', data, '--log-level', 'silent']
    const stdio = ['ignore', 'ignore', 'pipe'] as const
    const served = new Served(spawn(program, args, { cwd, env, stdio: [...stdio], shell: isWindows }))
    served.url = (await served.#said(/^Listening on (\S+)$/))[1]!
    return served
  }

  /** Resolves when it writes such a line to standard error. */
  async #said(wanted: RegExp): Promise<RegExpExecArray> {
    const others: string[] = []
    for (;;) {
      const { value, done } = await this.#lines.next()
      const found = wanted.exec(value ?? '')
      if (found !== null) return found
      if (done) throw new Error(`It ended without ${wanted}: ${others.join('\n')}`)
      others.push(value)
    }
  }

  async query(sql: string): Promise<unknown> {
    const form = new FormData()
    form.append('file', new Blob(['id,name\n1,Ada\n']), 'people.csv')
    const sent = await fetch(`${this.url}/qas/uploadCsv`, { method: 'POST', body: form })
    assert.equal(sent.status, 200)
    const { links } = (await sent.json()) as { readonly links: { readonly query: string } } // verified by test/api
    const body = JSON.stringify({ sql })
    const answer = await fetch(this.url + links.query, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    return ((await answer.json()) as { readonly rows: unknown }).rows
  }

  /** Sends SIGTERM while an upload is in progress, then the rest of the upload. Resolves to its status. */
  async stopDuringUpload(): Promise<number | undefined> {
    const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="slow.csv"\r\n\r\nn\n'
    const headers = { 'content-type': 'multipart/form-data; boundary=b' }
    const sent = request(`${this.url}/qas/uploadCsv`, { method: 'POST', headers })
    const answered = once(sent, 'response')
    sent.write(head + '1\n'.repeat(50_000))
    const isListed = async () => (await (await fetch(`${this.url}/qas/uploads`)).text()).includes('slow.csv')
    await until('the upload is in progress', isListed)
    this.#child.kill('SIGTERM')
    await this.#said(/^SIGTERM: letting uploads finish/)
    sent.end('2\n\r\n--b--\r\n')
    const [response] = await answered
    response.resume()
    await this.#allEnded
    return response.statusCode
  }

  async stop(): Promise<readonly unknown[]> {
    this.#child.kill('SIGTERM')
    return await this.ended
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#allEnded
  }
}

describe('the package', () => {
  let dir: string
  let app: string
  let archive: string
  let command: string
  /** Why there is no registry; null if there is one. */
  let withoutRegistry: string | null = null

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'csv-upload ü-'))
    const packed = await run('npm', ['pack', '--pack-destination', dir, '--loglevel=error'], root)
    assert.equal(packed.code, 0, packed.stderr)
    archive = join(dir, (await readdir(dir)).find((name) => name.endsWith('.tgz')) ?? '')
    app = join(dir, 'app')
    await mkdir(app)
    await writeFile(join(app, 'package.json'), '{"type":"module"}')
    command = join(app, 'node_modules', '.bin', isWindows ? 'csv-upload.cmd' : 'csv-upload')
    const installed = await install(app, archive)
    if (installed.code === 0) return
    withoutRegistry = `npm could not install: ${installed.stderr.split('\n')[0]}`
    const packageDir = join(app, 'node_modules', 'csv-upload-service')
    await mkdir(packageDir, { recursive: true })
    await mkdir(dirname(command))
    await run('tar', ['-xzf', archive, '--strip-components=1', '-C', packageDir], dir)
    for (const name of await readdir(join(root, 'node_modules'))) {
      const isOther = !name.startsWith('.') && !name.startsWith('node-')
      if (isOther) await symlink(join(root, 'node_modules', name), join(app, 'node_modules', name), 'junction')
    }
    await symlink(join(packageDir, 'scripts', 'csv-upload.mjs'), command)
  })
  after(() => rm(dir, { recursive: true, force: true }))

  /** A Node of a version, from the registry; null if it cannot be had, after saying so. */
  async function nodeOf(version: string, t: TestContext): Promise<NodeJS.ProcessEnv | null> {
    const name = `node-${process.platform.replace('win32', 'win')}-${process.arch}`
    const home = join(dir, `node-${version}`)
    await mkdir(home, { recursive: true })
    await writeFile(join(home, 'package.json'), '{}')
    const { code } = withoutRegistry === null ? await install(home, `${name}@${version}`) : { code: 1 }
    if (code === 0) return onNode(join(home, 'node_modules', name, 'bin', 'node'))
    t.skip(`left out: there is no ${name}@${version} to be had`)
    return null
  }

  it('brings the compiled code and neither sources nor Node, and states the minimum', async (t) => {
    const installed = await readdir(join(app, 'node_modules'))
    assert.deepEqual(
      installed.filter((name) => name.startsWith('node-') || name === 'pg'),
      withoutRegistry === null ? [] : ['pg'],
    )
    const packageDir = join(app, 'node_modules', 'csv-upload-service')
    const names = await readdir(packageDir, { recursive: true })
    for (const name of ['dist/index.d.ts', 'build/scanner.wasm', 'build/columns.wasm', 'LICENSE', 'README.md'])
      assert.ok(names.includes(name), name)
    assert.deepEqual(
      names.filter((name) => /(^|\/)(src|test|bench|corpus|node_modules)\/|\.test\.|(?<!\.d)\.ts$/.test(name)),
      [],
    )
    const manifest = JSON.parse(await readFile(join(packageDir, 'package.json'), 'utf8'))
    assert.deepEqual(manifest.engines, { node: `>=${nodeVersionMin}` })
    assert.deepEqual([manifest.optionalDependencies, manifest.scripts, manifest.private], Array(3).fill(undefined))
    assert.deepEqual(Object.keys(manifest.peerDependencies), optionalParts)
    if (withoutRegistry !== null) return t.diagnostic(`left out: the size, since ${withoutRegistry}`)
    let bytes = 0
    for (const entry of await readdir(join(app, 'node_modules'), { recursive: true, withFileTypes: true }))
      if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size
    assert.ok(bytes < installedBytesMax, `${bytes} bytes`)
  })

  for (const version of [`${nodeVersionMin}.0`, 'pinned'])
    it(`serves on Node ${version}, ends on SIGTERM, and finishes an upload in progress`, async (t) => {
      const env = version === 'pinned' ? pinnedNode : await nodeOf(version, t)
      if (env === null) return
      const data = join(dir, `data-${version}`)
      await using first = await Served.start([command], data, env, app)
      assert.deepEqual(await first.query('SELECT name FROM data'), [['Ada']])
      assert.deepEqual(await first.stop(), [0, null])
      await using second = await Served.start([command], data, env, app)
      assert.equal(await second.stopDuringUpload(), 200)
      assert.deepEqual(await second.ended, [0, null])
    })

  it('finishes an upload in progress when npx gets SIGTERM', async (t) => {
    if (isWindows) return t.skip('Windows has no SIGTERM')
    await using served = await Served.start(['npx', 'csv-upload'], join(dir, 'data-npx'), pinnedNode, app)
    assert.equal(await served.stopDuringUpload(), 200)
  })

  for (const version of ['20', '22'])
    it(`says in one line on Node ${version} which one it needs`, async (t) => {
      const env = await nodeOf(version, t)
      if (env === null) return
      const wanted = `: expected Node ${nodeVersionMin} or newer`
      const served = await run(command, ['serve'], app, env)
      assert.equal(served.code, 1)
      assert.match(served.stderr, new RegExp(`^Cannot run on Node ${version}[.0-9]+ .*${wanted}\n$`))
      for (const code of ['require("csv-upload-service")', 'import("csv-upload-service")']) {
        const used = await run('node', ['--eval', code], app, env)
        assert.match(used.stderr, new RegExp(`Error: Cannot load csv-upload-service on Node ${version}.*${wanted}\n`))
      }
    })

  it('names what to install where an optional part is missing', async (t) => {
    const bare = join(dir, 'bare')
    await mkdir(bare)
    if (withoutRegistry === null) {
      await writeFile(join(bare, 'package.json'), '{}')
      const { code, stderr } = await install(bare, '--omit=optional', archive)
      assert.equal(code, 0, stderr)
    } else {
      t.diagnostic(`left out: --omit=optional by npm itself, since ${withoutRegistry}`)
      await cp(join(app, 'node_modules'), join(bare, 'node_modules'), { recursive: true, dereference: true })
      for (const name of await readdir(join(bare, 'node_modules', '@duckdb')))
        if (/-(linux|darwin|win32)-/.test(name))
          await rm(join(bare, 'node_modules', '@duckdb', name), { recursive: true })
    }
    const bareCommand = join(bare, 'node_modules', '.bin', 'csv-upload')
    const withoutDuckDb = await run(bareCommand, ['serve', '--data', join(dir, 'never')], bare)
    assert.equal(withoutDuckDb.code, 1)
    const binding = `@duckdb/node-bindings-${process.platform}-${process.arch}`
    assert.equal(
      withoutDuckDb.stderr,
      `csv-upload: Cannot start without the package ${binding}: install again without --omit=optional\n`,
    )
    if (withoutRegistry !== null) return
    for (const [name, ...flags] of [
      ['@aws-sdk/client-s3', '--store', 's3://bucket', '--s3-endpoint', 'http://127.0.0.1:9'],
      ['pg', '--copy-target', 'a=postgres://u@127.0.0.1/d'],
    ]) {
      const { code, stderr } = await run(command, ['serve', '--data', join(dir, 'parts'), ...flags], app)
      const line = `csv-upload: Cannot do this without the package ${name}: run npm install ${name}\n`
      assert.deepEqual([code, stderr.split('\n').slice(-2).join('\n')], [1, line])
    }
  })
  /** What a program prints, as JSON. */
  async function printed(name: string, code: string): Promise<readonly unknown[]> {
    await writeFile(join(app, name), code)
    const { stdout, stderr } = await run('node', [name], app)
    return JSON.parse(stdout || JSON.stringify([stderr])) as unknown[]
  }

  for (const [name, load] of [
    ['use.mjs', 'import { ConfigError, createServer } from "csv-upload-service"'],
    ['use.cjs', 'const { ConfigError, createServer } = require("csv-upload-service")'],
  ] as const)
    it(`is a library: ${load}`, async () => {
      const [status, accepted, isConfigError, message] = await printed(
        name,
        `${load}
        async function use() {
          const server = await createServer({ port: 0, data: ${JSON.stringify(join(dir, name))}, logLevel: 'silent', converters: 1 })
          const form = new FormData()
          form.append('file', new Blob(['id,name\\n1,Ada\\n']), 'people.csv')
          const response = await fetch(server.url + '/qas/uploadCsv', { method: 'POST', body: form })
          const receipt = await response.json()
          await server.close()
          const refusal = await createServer({ maxFileSize: 'large' }).catch((error) => error)
          console.log(JSON.stringify([response.status, receipt.records?.accepted, refusal instanceof ConfigError, refusal.message]))
        }
        use()`,
      )
      assert.deepEqual([status, accepted, isConfigError], [200, 1, true])
      assert.match(String(message), /^Cannot use --max-file-size: given "large", expected a size/)
    })

  it('is a Fastify plugin', async () => {
    const code = `
      import fastify from "fastify"
      import { csvUpload } from "csv-upload-service"
      const app = fastify()
      app.get('/mine', () => 'mine')
      await app.register(csvUpload, { prefix: '/a', data: ${JSON.stringify(join(dir, 'plugged'))}, converters: 1 })
      const url = await app.listen({ port: 0 })
      const form = new FormData()
      form.append('file', new Blob(['id,name\\n1,Ada\\n']), 'people.csv')
      const sent = await fetch(url + '/a/qas/uploadCsv', { method: 'POST', body: form })
      const { links } = await sent.json()
      const rows = await (await fetch(url + links.rows)).json()
      const none = await (await fetch(url + '/a/qas/datasets/' + '0'.repeat(32))).json()
      const mine = await (await fetch(url + '/mine')).text()
      await app.close()
      console.log(JSON.stringify([sent.status, rows.rows, Object.keys(none).length, mine]))
    `
    const [status, rows, fieldCount, mine] = await printed('plug.mjs', code)
    assert.deepEqual([status, rows, fieldCount, mine], [200, [[1, 'Ada']], 6, 'mine'])
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
    await writeFile(join(app, 'right.ts'), right)
    await writeFile(join(app, 'wrong.ts'), wrong)
    const compiler = join(root, 'node_modules/typescript/bin/tsc')
    const flags = '--noEmit --strict --skipLibCheck --module nodenext --target esnext'.split(' ')
    // Those of Node are a development dependency.
    const types = ['--typeRoots', join(root, 'node_modules/@types'), '--types', 'node']
    const accepted = await run('node', [compiler, ...flags, ...types, 'right.ts'], app)
    assert.equal(accepted.code, 0, accepted.stdout)
    const { stdout } = await run('node', [compiler, ...flags, ...types, 'wrong.ts'], app)
    assert.match(stdout, /maxFileSise/)
    assert.match(stdout, /RunningApp/)
  })
})
