// Tests of the locked table: attacks on an engine that runs as the user of the tests, so that only its own locks protect it.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { escapes, looks } from '../../../test/system/query-attacks.ts'
import { openDuckDb } from '../duckdb/duckdb.ts'
import { connectReadOnly, lockIn, openForOne, readOnlyStatement } from './locked-table.ts'

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
  const engine = await openForOne({ memoryBytesMax: 256_000_000, spillBytesMax: 1_000_000 })
  const findUses = await lockIn(engine, { files: ['in/0'], columns: ['id', 'name'] })
  /** Runs a statement on a connection of its own, as a query does. */
  const run = async (sql: string): Promise<string> => {
    const connection = await connectReadOnly(engine)
    const result = await (await readOnlyStatement(connection, findUses, sql)).run()
    const text = JSON.stringify(await result.getRowsJson())
    connection.closeSync()
    return text
  }
  /** The same without the check of the statement; resolves to the problem if there is one. */
  const runAnything = async (sql: string): Promise<string> => {
    const connection = await connectReadOnly(engine)
    const text = await connection.runAndReadAll(sql).then((reader) => JSON.stringify(reader.getRowsJson()), String)
    connection.closeSync()
    return text
  }
  return { run, runAnything }
}

test('readOnlyStatement() and lockIn() withstand every statement that tries to get out', async (t) => {
  const { run, runAnything } = await open(t)
  const list = escapes({ canary, other, dir, part: other })
  assert.ok(list.length >= 98)
  const before = snapshot()
  for (const sql of list) await assert.rejects(run(sql), (error) => !String(error).includes(secret), sql.slice(0, 100))
  for (const sql of looks) assert.ok(!(await run(sql).catch(String)).includes(secret), sql)
  assert.deepEqual(snapshot(), before)
  assert.equal(await run('SELECT count(*) FROM data'), '[["9"]]')
  // The lock backs up the statement check, and the list of files backs up the lock.
  assert.match(await runAnything('SET threads = 2'), /the configuration has been locked/)
  assert.match(await runAnything(`COPY (SELECT 1) TO '${dir}/x.csv'`), /Permission Error/)
})

/** What a statement that got past the check could leave behind, and a statement that would see it. */
const remains = [
  ['CREATE TEMP TABLE kept AS SELECT 1', 'FROM kept'],
  ['CREATE TEMP VIEW data AS SELECT 1', 'FROM data ORDER BY ALL DESC LIMIT 1'],
  ['CREATE TEMP SEQUENCE kept', "SELECT nextval('kept')"],
  ['CREATE TEMP MACRO kept() AS 1', 'SELECT kept()'],
  ['CREATE TABLE kept AS SELECT 1', 'FROM kept'],
  ['CREATE SEQUENCE kept', "SELECT nextval('kept')"],
  ['CREATE MACRO kept() AS 1', 'SELECT kept()'],
  ["CREATE TYPE kept AS ENUM ('a')", "SELECT 'a'::kept"],
  ['CREATE SCHEMA kept', "SELECT count(*) FROM duckdb_schemas() WHERE schema_name = 'kept'"],
  ['CREATE OR REPLACE VIEW data AS SELECT 1', 'FROM data ORDER BY ALL DESC LIMIT 1'],
  ['DROP VIEW data', 'SELECT count(*) FROM data'],
  ["ATTACH ':memory:' AS kept", "SELECT count(*) FROM duckdb_databases() WHERE database_name = 'kept'"],
  ['PREPARE kept AS SELECT 1', 'EXECUTE kept'],
  ['SET VARIABLE kept = 1', "SELECT getvariable('kept')"],
  ['SET threads = 2', "SELECT current_setting('threads')"],
  ["SET TimeZone = 'Asia/Tokyo'", "SELECT current_setting('TimeZone'), '2026-01-01 00:00:00+00'::TIMESTAMPTZ::VARCHAR"],
  ['PRAGMA enable_profiling', "SELECT current_setting('enable_profiling')"],
  ['BEGIN TRANSACTION', 'SELECT count(*) FROM data'],
  ['SELECT * FROM nowhere', 'SELECT count(*) FROM data'],
] as const

test('connectReadOnly() shows a statement nothing of those before it', async (t) => {
  const { runAnything } = await open(t)
  const inUtc = "SELECT current_setting('TimeZone')"
  assert.equal(await runAnything(inUtc), '[["UTC"]]')
  for (const [leaving, looking] of remains) {
    const before = await runAnything(looking)
    await runAnything(leaving)
    assert.equal(await runAnything(looking), before, leaving)
  }
})

test('connectReadOnly() starts random numbers anew, whatever an earlier statement has set', async (t) => {
  const { run } = await open(t)
  const drawn = new Set<string>()
  for (let i = 0; i < 3; i++) {
    await run('SELECT setseed(0.5)')
    drawn.add(await run('SELECT random()'))
  }
  assert.equal(drawn.size, 3)
})

function snapshot(): readonly string[] {
  return readdirSync(scratch, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => `${path} ${readFileSync(path).toString('base64')}`)
    .toSorted()
}
