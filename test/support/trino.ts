// Trino: runs a coordinator and a worker in separate processes, over an S3 server, from an unpacked trino-server.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './free-port.ts'
import type { S3Server } from './s3-server.ts'

const { TRINO_HOME: home = '', TRINO_JAVA_HOME: javaHome = process.env.JAVA_HOME ?? '' } = process.env
const javaVersionMin = 24
const plugins = ['hive', 'iceberg']

/** Why tests are skipped if Trino is not available; undefined if it is. */
export const noTrino: string | undefined = missing()

/** Rows as in Trino's protocol, and the cost of the query. */
export interface TrinoResponse {
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  readonly rows: readonly (readonly unknown[])[]
  readonly stats: { readonly processedRows: number; readonly physicalInputBytes: number }
}

export interface Trino extends AsyncDisposable {
  /** @param catalog `hive` or `iceberg`, with the schema `uploads`. @throws {Error} with the name of Trino's error */
  run(catalog: string, sql: string): Promise<TrinoResponse>
}

/**
 * Starts both, with 1.5 GB of memory each, in a time zone other than UTC, so that dependence on it shows. The
 * catalogs `hive` and `iceberg` are over the bucket.
 */
export async function startTrino(s3: S3Server): Promise<Trino> {
  const dir = await mkdtemp(join(tmpdir(), 'trino-'))
  await using started = new AsyncDisposableStack()
  started.defer(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }))
  await mkdir(join(dir, 'plugin'))
  for (const plugin of plugins) await symlink(join(home, 'plugin', plugin), join(dir, 'plugin', plugin))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  for (const [name, own] of [
    ['coordinator', port],
    ['worker', await freePort()],
  ] as const) {
    const node = await startNode(dir, name, { own, coordinator: port }, s3)
    started.defer(() => stop(node))
  }
  const run = (catalog: string, sql: string) => runStatement(url, catalog, sql)
  await bothActive(run, dir)
  for (const catalog of ['hive', 'iceberg']) {
    await run(catalog, `CREATE SCHEMA ${catalog}.uploads WITH (location = 's3://${s3.bucket}/warehouse/${catalog}')`)
  }
  const running = started.move()
  return { run, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

function missing(): string | undefined {
  const wanted = `TRINO_HOME names no unpacked trino-server`
  if (home === '' || !existsSync(join(home, 'bin', 'launcher'))) return `no Trino: ${wanted}`
  const { stderr } = spawnSync(join(javaHome, 'bin', 'java'), ['-version'], { encoding: 'utf8' })
  const version = Number(/version "(\d+)/.exec(stderr ?? '')?.[1] ?? 0)
  if (version >= javaVersionMin) return undefined
  return `no Java for Trino: TRINO_JAVA_HOME names Java ${version || 'nowhere'}, expected ${javaVersionMin} or newer`
}

interface Ports {
  readonly own: number
  readonly coordinator: number
}

/** The process is the JVM, because the launcher replaces itself. */
async function startNode(dir: string, name: string, ports: Ports, s3: S3Server): Promise<ChildProcess> {
  const etc = join(dir, name)
  await mkdir(join(etc, 'catalog'), { recursive: true })
  for (const [file, lines] of Object.entries(configuration(dir, name, ports, s3))) {
    await writeFile(join(etc, file), `${lines.join('\n')}\n`)
  }
  const log = join(dir, `${name}.log`)
  const shell = `exec "$0" run --etc-dir "$1" --data-dir "$1/data" > "$2" 2>&1`
  const env = { ...process.env, JAVA_HOME: javaHome }
  return spawn('sh', ['-c', shell, join(home, 'bin', 'launcher'), etc, log], { env, stdio: 'ignore' })
}

function configuration(dir: string, name: string, { own, coordinator }: Ports, s3: S3Server) {
  const files = [
    'fs.native-s3.enabled=true',
    `s3.endpoint=${s3.endpoint}`,
    's3.region=us-east-1',
    's3.path-style-access=true',
    's3.aws-access-key=test',
    's3.aws-secret-key=test-secret',
    'fs.native-local.enabled=true',
    `local.location=${dir}`,
  ]
  return {
    'node.properties': ['node.environment=test', `node.id=${name}`, `plugin.dir=${join(dir, 'plugin')}`],
    'jvm.config': ['-Xmx1500M', '-XX:+ExitOnOutOfMemoryError', '-Duser.timezone=Asia/Kathmandu'],
    'config.properties': [
      `coordinator=${name === 'coordinator'}`,
      ...(name === 'coordinator' ? ['node-scheduler.include-coordinator=false'] : []),
      `http-server.http.port=${own}`,
      `discovery.uri=http://127.0.0.1:${coordinator}`,
      'node.internal-address=127.0.0.1',
      'query.max-memory-per-node=400MB',
      'memory.heap-headroom-per-node=300MB',
    ],
    'catalog/hive.properties': [
      'connector.name=hive',
      'hive.metastore=file',
      'hive.metastore.catalog.dir=local:///hive',
      // As the docs require.
      'hive.timestamp-precision=MICROSECONDS',
      'hive.parquet.time-zone=UTC',
      ...files,
    ],
    'catalog/iceberg.properties': [
      'connector.name=iceberg',
      'iceberg.catalog.type=TESTING_FILE_METASTORE',
      'hive.metastore.catalog.dir=local:///iceberg',
      'iceberg.add-files-procedure.enabled=true',
      ...files,
    ],
  }
}

async function bothActive(run: Trino['run'], dir: string): Promise<void> {
  const sql = "SELECT count(*) FROM system.runtime.nodes WHERE state = 'active'"
  for (const until = Date.now() + 300_000; Date.now() < until; await sleep(500)) {
    const count = await run('system', sql).then(
      ({ rows }) => rows[0]?.[0],
      () => 0,
    )
    if (count === 2) return
  }
  throw new Error(`Trino has not started:\n${(await readFile(join(dir, 'coordinator.log'), 'utf8')).slice(-4_000)}`)
}

async function stop(node: ChildProcess): Promise<void> {
  if (node.exitCode !== null || node.signalCode !== null) return
  const ended = new Promise((resolve) => node.once('exit', resolve))
  node.kill('SIGKILL')
  await ended
}

/** Follows the client protocol: https://trino.io/docs/476/develop/client-protocol.html */
async function runStatement(url: string, catalog: string, sql: string): Promise<TrinoResponse> {
  const headers = {
    'X-Trino-User': 'test',
    'X-Trino-Catalog': catalog,
    'X-Trino-Schema': 'uploads',
    'X-Trino-Time-Zone': 'UTC',
    'X-Trino-Client-Capabilities': 'PARAMETRIC_DATETIME',
  }
  const rows: unknown[][] = []
  let columns: TrinoResponse['columns'] = []
  let response = await fetch(`${url}/v1/statement`, { method: 'POST', body: sql, headers })
  for (;;) {
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
    const page = JSON.parse(await response.text(), keepDigits)
    if (page.error) throw new Error(`${page.error.errorName}: ${page.error.message}`)
    columns = page.columns ?? columns
    rows.push(...(page.data ?? []))
    if (page.nextUri === undefined) return { columns, rows, stats: page.stats }
    response = await fetch(page.nextUri, { headers })
  }
}

/** Returns integers beyond 2^53 as text. */
function keepDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const isRounded = typeof value === 'number' && /^-?\d{16,}$/.test(context?.source ?? '')
  return isRounded ? context?.source : value
}
