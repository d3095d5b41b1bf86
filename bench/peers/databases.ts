// Databases: QuestDB and PostgreSQL as peers, each as a server with default settings.
import { chownSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { eventually, freePort, run, start, timed } from './commands.ts'
import type { Peer } from './peer.ts'

const questdbVersion = '9.1.1'
const questdbUrl = `https://repo1.maven.org/maven2/org/questdb/questdb/${questdbVersion}/questdb-${questdbVersion}.jar`

export const questdb: Peer = {
  name: 'QuestDB',
  how: `${questdbVersion}, \`curl -F data=@FILE …/imp\``,
  keeps: 'a table; bad rows are skipped',
  hashes: 'nothing',
  syncs: 'nothing',
  async open(directory) {
    const jar = join(directory, `questdb-${questdbVersion}.jar`)
    if (!existsSync(jar)) await run('curl', ['--fail', '--silent', '--show-error', '-o', jar, questdbUrl])
    const root = join(directory, 'questdb')
    rmSync(root, { recursive: true, force: true })
    mkdirSync(root, { recursive: true })
    const port = await freePort()
    const env = {
      ...process.env,
      QDB_HTTP_BIND_TO: `127.0.0.1:${port}`,
      QDB_HTTP_MIN_ENABLED: 'false',
      QDB_PG_ENABLED: 'false',
      QDB_LINE_TCP_ENABLED: 'false',
      QDB_TELEMETRY_ENABLED: 'false',
    }
    const server = start('java', ['-p', jar, '-m', 'io.questdb/io.questdb.ServerMain', '-d', root], { env, cwd: root })
    const url = `http://127.0.0.1:${port}`
    const sql = (query: string) =>
      run('curl', ['--fail', '--silent', '-G', '--data-urlencode', `query=${query}`, `${url}/exec`])
    try {
      await eventually(() => sql('SELECT 1'))
    } catch (error) {
      await server[Symbol.asyncDispose]()
      throw error
    }
    return {
      async take(path) {
        const ms = await timed(() =>
          run('curl', ['--fail', '--silent', '--show-error', '-F', `data=@${path}`, `${url}/imp?name=taken&fmt=json`]),
        )
        await sql('DROP TABLE taken')
        return ms
      },
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    }
  },
}

/** The types have to be declared. */
const table = `CREATE TABLE taken (id bigint, name text, email text, city text, amount numeric(9, 2), ratio double precision,
  active boolean, created_at timestamp)`

export const postgresql: Peer = {
  name: 'PostgreSQL',
  how: '`\\copy … FROM FILE CSV HEADER` into a table whose types are declared',
  keeps: 'a table, through a write-ahead log; one bad row ends it',
  hashes: 'pages, if checksums are on',
  syncs: 'its log',
  async open(directory) {
    const versions = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql') : []
    const bin = versions
      .map((one) => join('/usr/lib/postgresql', one, 'bin'))
      .find((one) => existsSync(join(one, 'postgres')))
    if (bin === undefined) throw new Error('no PostgreSQL server in /usr/lib/postgresql')
    const root = join(directory, 'postgresql')
    rmSync(root, { recursive: true, force: true })
    mkdirSync(root, { recursive: true, mode: 0o700 })
    // PostgreSQL refuses to run as root.
    const asUser = process.getuid?.() === 0 ? await postgresUser() : null
    if (asUser !== null) chownSync(root, asUser.uid, asUser.gid)
    const as = (command: string, args: readonly string[]): readonly [string, readonly string[]] =>
      asUser === null
        ? [command, args]
        : [
            'setpriv',
            ['--reuid', String(asUser.uid), '--regid', String(asUser.gid), '--clear-groups', command, ...args],
          ]
    await run(...as(join(bin, 'initdb'), ['-D', join(root, 'data'), '-U', 'bench', '--no-locale', '-E', 'UTF8']), root)
    const port = await freePort()
    const server = start(
      ...as(join(bin, 'postgres'), ['-D', join(root, 'data'), '-p', String(port), '-k', root, '-h', '']),
      { cwd: root },
    )
    const sql = (command: string) =>
      run('psql', [
        '-h',
        root,
        '-p',
        String(port),
        '-U',
        'bench',
        '-d',
        'postgres',
        '-q',
        '-v',
        'ON_ERROR_STOP=1',
        '-c',
        command,
      ])
    try {
      await eventually(() => sql('SELECT 1'))
    } catch (error) {
      await server[Symbol.asyncDispose]()
      throw error
    }
    return {
      async take(path) {
        await sql(table)
        const ms = await timed(() => sql(`\\copy taken FROM '${path}' CSV HEADER`))
        await sql('DROP TABLE taken; CHECKPOINT')
        return ms
      },
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    }
  },
}

async function postgresUser(): Promise<{ readonly uid: number; readonly gid: number }> {
  const [uid, gid] = await Promise.all(['-u', '-g'].map((flag) => run('id', [flag, 'postgres'])))
  return { uid: Number(uid), gid: Number(gid) }
}
