// DuckDB alone: a process that converts CSV files to Parquet with DuckDB's defaults, one per line of standard input.
import { rmSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { DuckDBInstance } from '@duckdb/node-api'

const connection = await (await DuckDBInstance.create(':memory:')).connect()
for await (const path of createInterface({ input: process.stdin })) {
  const target = `${path}.parquet`
  const started = performance.now()
  await connection.run(`COPY (FROM read_csv('${path}')) TO '${target}' (FORMAT parquet)`)
  const ms = performance.now() - started
  rmSync(target)
  process.stdout.write(`${JSON.stringify({ ms })}\n`)
}
process.exit(0)
