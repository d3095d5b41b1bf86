// Query main: the program of a query child. It locks the engine to the files of its first job, and runs one statement after
// the other, each on a connection of its own.
import './keep-bom.ts'
import type { DuckDBConnection, DuckDBPreparedStatement } from '../duckdb/duckdb.ts'
import { listenToParent, readyText, sendToParent, spentText } from '../sandbox/frames.ts'
import { createResultWriter, type ResultWriter, typeName } from './format-result.ts'
import { connectReadOnly, lockIn, openForOne, RefusalError, readOnlyStatement } from './locked-table.ts'
import { leavesEngineIntact, refusalOf } from './query-error.ts'
import { growthBytesMax, pieceBytesMax, type QueryJob, type QuerySettings, type Verdict } from './query-job.ts'
import type { FindUses } from './statement-uses.ts'

/** Bytes buffered before the first write. Earlier errors are reported; a later one can only cut the result off. */
const pieceCharacters = 65_536
/** Some DuckDB functions ignore its memory limit, so the child checks its own memory this often. Milliseconds. */
const memoryLookMs = 50

// From the service, which has the same version.
const settings = JSON.parse(process.argv[2] ?? '{}') as QuerySettings
const engine = await openForOne(settings)

const idleBytes = process.memoryUsage.rss()
let findUses: FindUses | null = null

listenToParent((message) => {
  const job = message as QueryJob // of the service, which is of the same version and sends the next when this is ready
  // Its output says how it ended.
  run(job).then(takeAnother, end)
})
sendToParent(readyText)

function end(): void {
  process.kill(process.pid, 'SIGKILL')
}

function takeAnother(mayStay: boolean): void {
  sendToParent(mayStay ? readyText : spentText)
}

/** Resolves to whether nothing speaks against another job. */
async function run(job: QueryJob): Promise<boolean> {
  findUses ??= await lockIn(engine, job)
  // Now, since `now()` is when its transaction has begun.
  const connection = await connectReadOnly(engine)
  const beforeBytes = process.memoryUsage.rss()
  let mostBytes = beforeBytes
  const look = () => {
    mostBytes = Math.max(mostBytes, process.memoryUsage.rss())
    if (mostBytes > beforeBytes + settings.memoryBytesMax) end()
  }
  const looking = setInterval(look, memoryLookMs)
  const isIntact = await answer(job, connection, findUses)
  clearInterval(looking)
  connection.closeSync()
  look()
  return isIntact && mostBytes <= idleBytes + growthBytesMax(settings)
}

/** Resolves to whether the engine is as it was: not after a truncated result, and not after some errors. */
async function answer(job: QueryJob, connection: DuckDBConnection, findUses: FindUses): Promise<boolean> {
  const output = new ResultOutput()
  try {
    const statement = await readOnlyStatement(connection, findUses, job.sql)
    const isComplete = await writeResponse(statement, job, output)
    // Left to the collector, results of a few MB made a child grow by 160 MB, with this by 100.
    statement.destroySync()
    return isComplete
  } catch (error) {
    if (output.hasBegun) throw error
    const refusal = error instanceof RefusalError ? error.refusal : refusalOf(error, process.cwd())
    writeVerdict({ kind: 'refused', ...refusal })
    return leavesEngineIntact(refusal)
  }
}

/** Resolves to whether the result is complete. */
async function writeResponse(
  statement: DuckDBPreparedStatement,
  job: QueryJob,
  output: ResultOutput,
): Promise<boolean> {
  const result = await statement.stream()
  const columns = result.columnNames().map((name, i) => ({ name, type: typeName(String(result.columnType(i))) }))
  const writer = createResultWriter(job.format, columns)
  output.add(writer.head())
  let rowCount = 0
  for (let chunk = await result.fetchChunk(); chunk !== null && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
    for (let row = 0; row < chunk.rowCount; row++) {
      if (rowCount === job.rowsMax) return truncate(writer, output, `it returns more than ${job.rowsMax} rows`)
      const text = writer.row(chunk.getRowValues(row), rowCount === 0)
      const bytes = Buffer.byteLength(text)
      if (output.bytes + bytes > job.bytesMax) {
        const problem = `it returns more than ${job.bytesMax} bytes`
        if (rowCount === 0) throw new RefusalError('QUERY_TOO_LARGE', problem)
        return truncate(writer, output, problem)
      }
      output.add(text, bytes)
      rowCount += 1
    }
  }
  output.end(writer.tail(false) ?? '')
  return true
}

/** Ends a truncated result, if its format can say so. */
function truncate(writer: ResultWriter, output: ResultOutput, problem: string): false {
  const tail = writer.tail(true)
  if (tail === null) throw new RefusalError('QUERY_TOO_LARGE', `${problem}; only JSON can be truncated there`)
  output.end(tail)
  return false
}

/** Buffers the result and writes it in large pieces, the verdict first. */
class ResultOutput {
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
    // The empty piece marks a complete result.
    sendToParent('')
  }

  #flush(): void {
    if (!this.hasBegun) writeVerdict({ kind: 'begun' })
    this.hasBegun = true
    // It blocks while nobody reads. That is the back-pressure; there is nothing else to do meanwhile.
    const bytes = Buffer.from(this.#pieces.join(''))
    for (let start = 0; start < bytes.length; start += pieceBytesMax) {
      sendToParent(bytes.subarray(start, start + pieceBytesMax))
    }
    this.#pieces = []
    this.#characters = 0
  }
}

function writeVerdict(verdict: Verdict): void {
  sendToParent(JSON.stringify(verdict))
}
