// Tests of the locked table: attacks on an engine that runs as the user of the tests, so that only its own locks protect it.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { escapes, looks } from '../../../test/system/query-attacks.ts'
import { openDuckDb } from '../duckdb/duckdb.ts'
import { lockIn, openForOne, readOnlyStatement } from './locked-table.ts'

const scratch = mkdtempSync(join(tmpdir(), 'locked-'))
const [own, others, dir] = ['own', 'others', 'open'].map((name) => join(scratch, name)) as [string, string, string]
const back = process.cwd()
after(() => rmSync(scratch, { recursive: true }))

const secret = 'canary-91ab'
const canary = join(dir, 'canary.txt')
const other = join(others, '0')

async function open(t: TestContext) {
  for (const path of [join(own, 'out'), join(own, 'in'), others, dir]) mkdirSync(path, { recursive: true })
  writeFileSync(canary, secret)
  const outside = await openDuckDb({})
  await outside.run(`COPY (SELECT '${secret}' AS id) TO '${other}' (FORMAT parquet)`)
  await outside.run(`COPY (SELECT range AS id, 'n' || range AS name FROM range(9)) TO '${own}/in/0' (FORMAT parquet)`)
  process.chdir(own)
  // Not at the end of the file: tests of other files run in this process, too.
  t.after(() => process.chdir(back))
  const connection = await openForOne({ memoryBytesMax: 256_000_000, spillBytesMax: 1_000_000 })
  await lockIn(connection, { files: ['in/0'], columns: ['id', 'name'] })
  const run = async (sql: string): Promise<string> => {
    const result = await (await readOnlyStatement(connection, sql)).run()
    return JSON.stringify(await result.getRowsJson())
  }
  return { run, connection }
}

test('readOnlyStatement() and lockIn() withstand every statement that tries to get out', async (t) => {
  const { run, connection } = await open(t)
  const list = escapes({ canary, other, dir, part: other })
  assert.ok(list.length >= 98)
  const before = snapshot()
  for (const sql of list) await assert.rejects(run(sql), (error) => !String(error).includes(secret), sql.slice(0, 100))
  for (const sql of looks) assert.ok(!(await run(sql).catch(String)).includes(secret), sql)
  assert.deepEqual(snapshot(), before)
  assert.equal(await run('SELECT count(*) FROM data'), '[["9"]]')
  // The lock backs up the statement check, and the list of files backs up the lock.
  await assert.rejects(connection.run('SET threads = 2'), /the configuration has been locked/)
  await assert.rejects(connection.run(`COPY (SELECT 1) TO '${dir}/x.csv'`), /Permission Error/)
})

function snapshot(): readonly string[] {
  return readdirSync(scratch, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => `${path} ${readFileSync(path).toString('base64')}`)
    .toSorted()
}
