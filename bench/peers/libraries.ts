// Libraries: DuckDB, chDB, sqlite-utils, and multer with csv-parse as peers: programs of a few lines.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LineProcess } from '../processes.ts'
import { eventually, freePort, nodeModules, python, run, start, timed } from './commands.ts'
import type { Peer } from './peer.ts'

export const duckdb: Peer = {
  name: 'DuckDB',
  how: 'in the version of the service, `COPY (FROM read_csv(FILE)) TO …`, in a running process',
  keeps: 'one Parquet file; one bad row ends it',
  hashes: 'nothing',
  syncs: 'nothing',
  async open() {
    const child = new LineProcess('duckdb-alone.ts')
    return {
      take: async (path) => (await child.ask<{ ms: number }>(path)).ms,
      [Symbol.asyncDispose]: async () => child.end(),
    }
  },
}

export const chdb: Peer = {
  name: 'ClickHouse (chDB)',
  how: "`INSERT INTO FUNCTION file(…, 'Parquet') SELECT * FROM file(FILE, 'CSVWithNames')`, a new process each time",
  keeps: 'one Parquet file; one bad row ends it',
  hashes: 'nothing',
  syncs: 'nothing',
  async open(directory) {
    const command = await python(directory, ['chdb'])
    const target = join(directory, 'chdb.parquet')
    return {
      async take(path) {
        const sql = `INSERT INTO FUNCTION file('${target}', 'Parquet') SELECT * FROM file('${path}', 'CSVWithNames')`
        const ms = await timed(() => run(command, ['-c', `import chdb; chdb.query(${JSON.stringify(sql)})`]))
        rmSync(target)
        return ms
      },
      async [Symbol.asyncDispose]() {},
    }
  },
}

export const sqliteUtils: Peer = {
  name: 'sqlite-utils',
  how: '`sqlite-utils insert DB taken FILE --csv`, which detects types, a new process each time',
  keeps: 'an SQLite table; one bad row ends it',
  hashes: 'nothing',
  syncs: 'the table',
  bytesMax: 200_000_000,
  async open(directory) {
    const command = await python(directory, ['sqlite-utils'])
    const target = join(directory, 'sqlite-utils.db')
    return {
      async take(path) {
        const ms = await timed(() =>
          run(command, ['-m', 'sqlite_utils', 'insert', target, 'taken', path, '--csv', '--silent']),
        )
        rmSync(target)
        return ms
      },
      async [Symbol.asyncDispose]() {},
    }
  },
}

/** As in many tutorials: the upload goes to disk, then every row becomes an object. */
const handler = `
import { createReadStream } from 'node:fs'
import { unlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
const [express, multer, { parse }] = ['express', 'multer', 'csv-parse'].map((name) => createRequire(import.meta.url)(name))
const [port, dest] = process.argv.slice(2)
const app = express()
app.post('/', multer({ dest }).single('file'), async (request, response) => {
  let rows = 0
  for await (const row of createReadStream(request.file.path).pipe(parse({ columns: true, cast: true }))) if (row) rows += 1
  await unlink(request.file.path)
  response.json({ rows })
})
app.listen(Number(port), '127.0.0.1')
`

export const multer: Peer = {
  name: 'multer + csv-parse',
  how: 'Express writes the file, csv-parse 7 reads its rows as objects (`columns`, `cast`) and discards them',
  keeps: 'the file; one bad row ends it',
  hashes: 'nothing',
  syncs: 'nothing',
  async open(directory) {
    const dir = await nodeModules(directory, ['express@5', 'multer@2', 'csv-parse@7.0.3'])
    writeFileSync(join(dir, 'handler.mjs'), handler)
    const port = await freePort()
    const server = start(process.execPath, [join(dir, 'handler.mjs'), String(port), join(dir, 'files')])
    const url = `http://127.0.0.1:${port}/`
    const send = (path: string) => run('curl', ['--fail', '--silent', '--show-error', '-F', `file=@${path}`, url])
    await eventually(() => fetch(url))
    return { take: (path) => timed(() => send(path)), [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
  },
}
