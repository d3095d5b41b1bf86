// S3 server: versitygw, a real S3 server over a directory. Uses that of the system, or builds it once below build/.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { goProgram } from './client-generators.ts'
import { freePort } from './free-port.ts'
import { assertAllSwept } from './swept-bucket.ts'
import { until } from './until.ts'

const modulePath = 'github.com/versity/versitygw/cmd/versitygw'
const version = 'v1.8.0'
const server = await findServer()

/** Why tests are skipped if the server is not available; undefined if it is. */
export const noS3Server: string | undefined = server.missing

export interface S3Server extends AsyncDisposable {
  /** URL of its root. */
  readonly endpoint: string
  /** Name of an existing bucket. */
  readonly bucket: string
  /** Its objects are the files `<root>/<bucket>/<key>`. */
  readonly root: string
  /** Kills the server; `start()` restarts it with its data. */
  kill(): Promise<void>
  start(): Promise<void>
}

const bucket = 'datasets'

/**
 * Starts a server on a free port; credentials go into the environment of this process. Disposing removes all data: if
 * the server still runs then, the bucket must hold exactly what its receipts name once everything is swept.
 */
export async function startS3Server(): Promise<S3Server> {
  process.env.AWS_ACCESS_KEY_ID = 'test'
  process.env.AWS_SECRET_ACCESS_KEY = 'test-secret'
  const dir = await mkdtemp(join(tmpdir(), 's3-server-'))
  const root = join(dir, 'data')
  for (const path of [root, join(dir, 'meta'), join(root, bucket)]) await mkdir(path)
  const port = await freePort()
  let child: ChildProcess | null = null
  const start = async () => {
    child = spawn(server.path!, ['--port', `127.0.0.1:${port}`, 'posix', '--sidecar', join(dir, 'meta'), root], {
      env: { ...process.env, ROOT_ACCESS_KEY: 'test', ROOT_SECRET_KEY: 'test-secret' },
      stdio: 'ignore',
    })
    const { promise: ended, reject } = Promise.withResolvers<never>()
    child.once('exit', (code) => reject(new Error(`versitygw ended with code ${code}`)))
    ended.catch(() => {})
    await Promise.race([answering(`http://127.0.0.1:${port}/`), ended])
  }
  const kill = async () => {
    if (child === null || child.exitCode !== null) return
    const ended = new Promise((resolve) => child?.once('exit', resolve))
    child.kill('SIGKILL')
    await ended
  }
  await start()
  const endpoint = `http://127.0.0.1:${port}`
  return {
    endpoint,
    bucket,
    root,
    kill,
    start,
    [Symbol.asyncDispose]: async () => {
      try {
        const { exitCode, signalCode } = child ?? {}
        if (exitCode === null && signalCode === null) await assertAllSwept(endpoint, bucket)
      } finally {
        await kill()
        await rm(dir, { recursive: true, force: true })
      }
    },
  }
}

/** The path of the program, or why there is none. */
async function findServer(): Promise<{ readonly path?: string; readonly missing?: string }> {
  const installed = join(homedir(), 'go', 'bin', 'versitygw')
  if (existsSync(installed)) return { path: installed }
  if (spawnSync('versitygw', ['--version']).status === 0) return { path: 'versitygw' }
  const built = await goProgram(modulePath, version)
  return 'missing' in built ? built : { path: join(built.dir, 'versitygw') }
}

async function answering(url: string): Promise<void> {
  await until(`${url} answers`, () =>
    fetch(url).then(
      () => true,
      () => false,
    ),
  )
}
