// Query child: the program of one query. It waits, locks itself in with the files it was given, runs one statement, and ends.
import './whole-text.ts'
import { writeSync } from 'node:fs'
import { type DuckDBConnection, type DuckDBPreparedStatement, openDuckDb, StatementType } from '../duckdb/duckdb.ts'
import { type AnswerWriter, createAnswerWriter, typeName } from './answer-text.ts'
import type { QueryJob, QuerySettings, ReadyMessage, Refusal, Verdict } from './query-job.ts'
import { refusalOf } from './query-problem.ts'

const output = 1
/** What is gathered before it is written. A failure before that is told; one after it can only cut the answer off. */
const pieceCharacters = 65_536
/** Some of DuckDB's functions keep to none of its limits, and are too slow to stop for others. */
const memoryLookMs = 50

/** A refusal on its way up. */
class Refused extends Error {
  readonly refusal: Refusal

  constructor(code: Refusal['code'], problem: string) {
    super(problem)
    this.refusal = { code, problem }
  }
}

// The starter gives it as JSON; it is of the same version as this file.
const settings = JSON.parse(process.argv[2] ?? '{}') as QuerySettings
const connection = await openDuckDb({
  // What operators hold beyond it, and what functions and values take, is about as much again.
  memory_limit: `${Math.floor(settings.memoryBytesMax / 2_000)}KB`,
  temp_directory: 'spill',
  max_temp_directory_size: `${Math.floor(settings.spillBytesMax / 1_000)}KB`,
  max_expression_depth: '250',
  // None is of use here; as they are, they would name a directory of ours.
  home_directory: '.',
  extension_directory: '.',
  secret_directory: '.',
})
// What is first used is slow: the parser, the planner, one of each.
await connection.run("SELECT count(*) FROM (SELECT range AS a FROM range(2)) WHERE a > 0 AND a::VARCHAR LIKE 'x%'")

const idleBytes = process.memoryUsage.rss()
setInterval(() => {
  if (process.memoryUsage.rss() > idleBytes + settings.memoryBytesMax) process.kill(process.pid, 'SIGKILL')
}, memoryLookMs).unref()

// Without its parent it has nobody to work for, and nothing to tidy up.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
process.once('message', (job: QueryJob) => {
  run(job).then(
    () => process.exit(0),
    () => process.exit(1),
  )
})
process.send?.({ kind: 'ready' } satisfies ReadyMessage)

async function run(job: QueryJob): Promise<void> {
  const answer = new AnswerOutput()
  try {
    await lockIn(connection, job)
    const statement = await readOnlyStatement(connection, job.sql)
    await writeAnswer(statement, job, answer)
  } catch (error) {
    if (answer.hasBegun) throw error
    const refusal = error instanceof Refused ? error.refusal : refusalOf(error, process.cwd())
    write(verdictLine({ kind: 'refused', ...refusal }))
  }
}

/** After this nothing can be reached but the table and the directory for what does not fit in memory. */
async function lockIn(connection: DuckDBConnection, { files, columns }: QueryJob): Promise<void> {
  const list = `[${files.map((file) => `'${file}'`).join(', ')}]`
  const parts = `FROM read_parquet(${list}, hive_partitioning = false)`
  await connection.run(`CREATE VIEW data AS ${files.length > 0 ? parts : noRowsSql(columns)}`)
  if (files.length > 0) await connection.run(`SET allowed_paths = ${list}`)
  await connection.run('SET enable_external_access = false')
  await connection.run('SET lock_configuration = true')
}

/** A table without files has no types either. */
function noRowsSql(columns: readonly string[]): string {
  const nulls = columns.map((name) => `CAST(NULL AS VARCHAR) AS "${name.replaceAll('"', '""')}"`)
  return `SELECT ${nulls.join(', ')} WHERE false`
}

/** What may be run, out of everything that can be: one statement, of the kind that only reads. */
async function readOnlyStatement(connection: DuckDBConnection, sql: string): Promise<DuckDBPreparedStatement> {
  // DuckDB takes SQL to its first NUL, and has no words for a text without a statement.
  if (sql.includes('\0')) throw new Refused('QUERY_FAILED', 'it holds a NUL character')
  const statements = await connection.extractStatements(sql).catch((error: unknown) => {
    if (String(error).includes('Error in native callback')) throw new Refused('QUERY_FAILED', 'it holds no statement')
    throw error
  })
  if (statements.count !== 1) {
    const isPivot = /\bpivot/i.test(sql) ? '; a PIVOT that does not list its values with IN (…) counts as two' : ''
    throw new Refused('QUERY_NOT_READ_ONLY', `it is ${statements.count} statements, wanted one${isPivot}`)
  }
  const statement = await statements.prepare(0)
  const { statementType } = statement
  if (statementType !== StatementType.SELECT) {
    const kind = StatementType[statementType] ?? 'other'
    const wanted = 'SELECT, FROM, WITH, VALUES, TABLE, DESCRIBE, SUMMARIZE, SHOW or PIVOT'
    throw new Refused('QUERY_NOT_READ_ONLY', `it is a statement of the kind ${kind}, wanted ${wanted}`)
  }
  return statement
}

async function writeAnswer(statement: DuckDBPreparedStatement, job: QueryJob, answer: AnswerOutput): Promise<void> {
  const result = await statement.stream()
  const columns = result.columnNames().map((name, i) => ({ name, type: typeName(String(result.columnType(i))) }))
  const writer = createAnswerWriter(job.format, columns)
  answer.add(writer.head())
  let rowCount = 0
  for (let chunk = await result.fetchChunk(); chunk !== null && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
    for (let row = 0; row < chunk.rowCount; row++) {
      if (rowCount === job.rowsMax) return end(writer, answer, `it gives more than ${job.rowsMax} rows`)
      const text = writer.row(chunk.getRowValues(row), rowCount === 0)
      const bytes = Buffer.byteLength(text)
      if (answer.bytes + bytes > job.bytesMax) {
        const problem = `it gives more than ${job.bytesMax} bytes`
        if (rowCount === 0) throw new Refused('QUERY_TOO_LARGE', problem)
        return end(writer, answer, problem)
      }
      answer.add(text, bytes)
      rowCount += 1
    }
  }
  answer.end(writer.tail(false) ?? '')
}

/** Ends an answer that leaves rows out, where its format can say so. */
function end(writer: AnswerWriter, answer: AnswerOutput, problem: string): void {
  const tail = writer.tail(true)
  if (tail === null) throw new Refused('QUERY_TOO_LARGE', `${problem}; JSON can be cut off there, other formats cannot`)
  answer.end(tail)
}

/** Gathers the answer and writes it in large pieces, the verdict first. */
class AnswerOutput {
  hasBegun = false
  bytes = 0
  #pieces: string[] = []
  #characters = 0

  add(text: string, bytes = Buffer.byteLength(text)): void {
    this.bytes += bytes
    this.#characters += text.length
    this.#pieces.push(text)
    if (this.#characters >= pieceCharacters) this.#flush()
  }

  end(text: string): void {
    this.add(text)
    this.#flush()
  }

  #flush(): void {
    if (!this.hasBegun) write(verdictLine({ kind: 'begun' }))
    this.hasBegun = true
    write(this.#pieces.join(''))
    this.#pieces = []
    this.#characters = 0
  }
}

function verdictLine(verdict: Verdict): string {
  return `${JSON.stringify(verdict)}\n`
}

/** Waits while nobody reads: that is the back-pressure, and nothing else is to be done here meanwhile. */
function write(text: string): void {
  const bytes = Buffer.from(text)
  let written = 0
  while (written < bytes.length) written += writeSync(output, bytes, written)
}
