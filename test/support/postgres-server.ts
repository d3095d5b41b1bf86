// PostgreSQL server: a real server with an empty database. Uses that of the system, or installs one below build/.
import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { Client } from 'pg'
import { embeddedPostgres, type Tools } from './client-generators.ts'
import { freePort } from './free-port.ts'
import { until } from './until.ts'

export interface PostgresServer extends AsyncDisposable {
  /** URL of its only database, for its only user, who has no password. */
  readonly url: string
  /** Returns rows of values as texts, as the server writes them. */
  query(sql: string): Promise<readonly (readonly (string | null)[])[]>
  /** Ends the server like a crash; `start()` restarts it with all committed data. */
  kill(): Promise<void>
  start(): Promise<void>
}

/** Name of the one user, if a test creates it, who needs a password. */
export const userWithPassword = 'with_password'

/** PostgreSQL refuses to run as root, so as root it is run as nobody. */
const isRoot = process.getuid?.() === 0
const nobody = isRoot ? { uid: 65_534, gid: 65_534 } : {}

/** The server of a test, which is skipped if there is none. */
export async function openPostgres(t: TestContext): Promise<PostgresServer | null> {
  const database = await startPostgres()
  if ('missing' in database) {
    t.skip(database.missing)
    return null
  }
  t.after(() => database[Symbol.asyncDispose]())
  return database
}

/** Starts a server on a free loopback port, or says why there is none. Disposing removes everything. */
export async function startPostgres(): Promise<PostgresServer | { readonly missing: string }> {
  const programs = await findPrograms()
  if ('missing' in programs) return programs
  const dir = await mkdtemp(join(tmpdir(), 'postgres-'))
  if (isRoot) await chown(dir, 65_534, 65_534)
  const env = { PATH: process.env.PATH, LC_ALL: 'C' }
  const options = { ...nobody, env, cwd: dir }
  const flags = ['-U', 'test', '--auth=trust', '--no-sync', '-E', 'UTF8', '--locale=C']
  const made = spawnSync(join(programs.dir, 'initdb'), ['-D', join(dir, 'data'), ...flags], {
    ...options,
    encoding: 'utf8',
  })
  if (made.status === 0) {
    const rules = join(dir, 'data/pg_hba.conf')
    await writeFile(rules, `host all ${userWithPassword} all scram-sha-256\n${await readFile(rules, 'utf8')}`)
    return await running(programs.dir, dir, options)
  }
  await rm(dir, { recursive: true, force: true })
  return { missing: `no PostgreSQL: initdb fails: ${(made.stderr || String(made.error)).split('\n')[0]}` }
}

async function findPrograms(): Promise<Tools> {
  const version = (path: string) => Number(path.split('/').at(-3))
  const [newest] = globSync('/usr/lib/postgresql/*/bin/initdb').toSorted((a, b) => version(b) - version(a))
  return newest === undefined || process.env.TEST_POSTGRES === 'embedded'
    ? await embeddedPostgres()
    : { dir: dirname(newest) }
}

async function running(bin: string, dir: string, options: SpawnOptions): Promise<PostgresServer> {
  const port = await freePort()
  const url = `postgres://test@127.0.0.1:${port}/postgres`
  const settings = ['-h', '127.0.0.1', '-p', `${port}`, '-k', '', '-F', '-c', 'max_prepared_transactions=2']
  let child: ChildProcess | null = null
  const start = async () => {
    child = spawn(join(bin, 'postgres'), ['-D', join(dir, 'data'), ...settings], { ...options, stdio: 'ignore' })
    const { promise: ended, reject } = Promise.withResolvers<never>()
    child.once('exit', (code) => reject(new Error(`postgres ended with code ${code}`)))
    ended.catch(() => {})
    await Promise.race([answering(url), ended])
  }
  const kill = async () => {
    if (child === null || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    // Immediate shutdown: the next start recovers as after a crash. SIGKILL would leave child processes behind.
    child.kill('SIGQUIT')
    await ended
  }
  await start()
  return {
    url,
    query: (sql) => ask(url, sql),
    kill,
    start,
    [Symbol.asyncDispose]: async () => {
      await kill()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

async function ask(url: string, sql: string): Promise<readonly (readonly (string | null)[])[]> {
  const client = new Client({ connectionString: url, types: { getTypeParser: () => String } })
  try {
    await client.connect()
    return (await client.query({ text: sql, rowMode: 'array' })).rows
  } finally {
    await client.end()
  }
}

async function answering(url: string): Promise<void> {
  await until(`${url} answers`, () =>
    ask(url, 'SELECT 1').then(
      () => true,
      () => false,
    ),
  )
}
