// Child: the program of one converter process. It alone touches DuckDB, takes one job at a time and keeps nothing between.
import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { DuckDBInstance, type JS } from '@duckdb/node-api'
import type { Segment, TargetColumn } from './convert.ts'
import { convertSql, misfitMessage } from './convert-sql.ts'
import type { AnswerMessage, JobKind, JobMessage, Jobs } from './job.ts'
import { type ProfileRow, profileSql } from './profile-sql.ts'
import { withReadable } from './readable-segment.ts'
import { describeSql, mergeSql, rowsSql } from './rows-sql.ts'
import { bufferBytesUsual, identifier } from './sql.ts'

type Work = { readonly [Kind in JobKind]: (job: Jobs[Kind]['job']) => Promise<Jobs[Kind]['answer']> }

const connection = await connect()

const work: Work = {
  async profile({ segment }) {
    const rows = await reading(segment, (readable, bufferBytes) => select(profileSql(readable, bufferBytes)))
    // The statement gives these columns.
    return rows as unknown as readonly ProfileRow[]
  },

  async convert({ segment, columns, toPath }) {
    try {
      const rows = await reading(segment, (readable, bufferBytes) =>
        select(convertSql(readable, columns, toPath, bufferBytes)),
      )
      const { records, nulls } = copyOutcome(rows[0], columns)
      if (records !== segment.records) throw new Error(`${records} records read, wanted ${segment.records}`)
      return { part: { ...(await sync(toPath)), records }, nulls }
    } catch (error) {
      if (isMisfit(error)) return null
      throw error
    }
  },

  async rows({ slices, columns }) {
    const first = slices[0]
    if (first === undefined) return '[]'
    const typeOf = new Map((await select(describeSql(first.path))).map(([name, type]) => [name, type]))
    const wanted = columns.map((name) => ({ name, type: String(typeOf.get(name)) }))
    const rows: string[] = []
    for (const { path, offset, limit } of slices) {
      for (const [row] of await select(rowsSql(path, wanted, offset, limit))) rows.push(String(row))
    }
    return `[${rows.join(',')}]`
  },

  async merge({ paths, toPath }) {
    await select(mergeSql(paths, toPath))
    return null
  },
}

process.on('message', (message: JobMessage) => {
  // Each kind names the work for its own job; the compiler cannot follow that through the index.
  const run = work[message.kind] as (job: JobMessage) => Promise<Jobs[JobKind]['answer']>
  run(message).then(
    (answer) => reply({ kind: 'answer', answer, residentBytes: process.memoryUsage.rss() }),
    (error: unknown) =>
      reply({
        kind: 'failure',
        isDiskFull: isDiskFull(error),
        problem: String(error),
        residentBytes: process.memoryUsage.rss(),
      }),
  )
})

// Without its parent it has nobody to work for, and nothing to tidy up.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))

function reply(message: AnswerMessage): void {
  process.send?.(message)
}

async function connect() {
  const instance = await DuckDBInstance.create(':memory:', {
    threads: '1',
    memory_limit: process.argv[2] ?? '256MB',
    // Nothing is spilled: what does not fit in memory fails.
    temp_directory: '',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
    allow_persistent_secrets: 'false',
    enable_external_file_cache: 'false',
  })
  const made = await instance.connect()
  await made.run("SET TimeZone = 'UTC'")
  return made
}

async function select(sql: string): Promise<JS[][]> {
  const reader = await connection.runAndReadAll(sql)
  return reader.getRowsJS()
}

/** Reads in small pieces first; a record longer than a piece makes that fail, and then the segment is read as one. */
async function reading<Result>(
  segment: Segment,
  read: (readable: Segment, bufferBytes: number) => Promise<Result>,
): Promise<Result> {
  return withReadable(segment, async (readable) => {
    const bufferBytesMax = readable.bytes + 64
    try {
      return await read(readable, Math.min(bufferBytesUsual, bufferBytesMax))
    } catch (error) {
      if (isMisfit(error) || isDiskFull(error) || bufferBytesMax <= bufferBytesUsual) throw error
      return read(readable, bufferBytesMax)
    }
  })
}

function isMisfit(error: unknown): boolean {
  return error instanceof Error && error.message === misfitMessage
}

/** DuckDB has no codes, but passes on what the system calls ENOSPC; Node names the code in the message too. */
function isDiskFull(error: unknown): boolean {
  return error instanceof Error && /No space left on device|ENOSPC|EDQUOT|Disk quota exceeded/.test(error.message)
}

/** Of the row that COPY … RETURN_STATS gives: file name, count, bytes, footer bytes, statistics by quoted column name. */
function copyOutcome(row: readonly JS[] | undefined, columns: readonly TargetColumn[]) {
  // DuckDB documents a map of maps of text; the binding gives a map as a list of entries.
  const statistics = row?.[4] as unknown as readonly { key: string; value: readonly { key: string; value: string }[] }[]
  const byName = new Map(statistics.map(({ key, value }) => [key, value]))
  const nulls = columns.map(({ name }) => {
    const count = byName.get(identifier(name))?.find(({ key }) => key === 'null_count')?.value
    if (count === undefined) throw new Error(`Cannot tell the nulls of column ${name}`)
    return Number(count)
  })
  return { records: Number(row?.[1]), nulls }
}

/** Makes a written file durable and tells its bytes. */
async function sync(path: string): Promise<{ bytes: number; sha256: string }> {
  await using file = await open(path, 'r+')
  await file.datasync()
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of file.createReadStream({ highWaterMark: 1_048_576, autoClose: false })) {
    hash.update(chunk)
    bytes += chunk.length
  }
  return { bytes, sha256: hash.digest('hex') }
}
