// Tests of query errors: which parts of DuckDB's messages reach the caller.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusalOf } from './query-error.ts'

const dir = '/somewhere/data/query/7'
const outside = /it uses something other than the table data/

test('refusalOf() passes on the problem of a statement, and its position', () => {
  const place = '\n\nLINE 1: SELECT nme FROM data\n               ^'
  assert.deepEqual(refusalOf(new Error(`Binder Error: Referenced column "nme" not found!${place}`), dir), {
    code: 'QUERY_FAILED',
    problem: `Binder Error: Referenced column "nme" not found!${place}`,
  })
  const parser = refusalOf(new Error(`Failed to extract statements: Parser Error: syntax error at or near "x"`), dir)
  assert.equal(parser.problem, 'Parser Error: syntax error at or near "x"')
})

test('refusalOf() names the one table if another is requested', () => {
  const place = '\n\nLINE 1: SELECT * FROM people\n                      ^'
  for (const hint of ['', '\nDid you mean "pg_views or pg_type"?']) {
    const error = new Error(`Catalog Error: Table with name people does not exist!${hint}${place}`)
    const problem = `Catalog Error: Table with name people does not exist! The only table is called data.${place}`
    assert.deepEqual(refusalOf(error, dir), { code: 'QUERY_FAILED', problem })
  }
})

test('refusalOf() reveals nothing outside the dataset', () => {
  for (const text of [
    'IO Error: Cannot open file "/somewhere/data/datasets/5f/data/part-00000.parquet": No such file or directory',
    'Permission Error: Cannot access file "/etc/passwd" - file system operations are disabled by configuration',
    'HTTP Error: Unable to connect to URL',
    'Invalid Configuration Error: Cannot change configuration option "threads" - the configuration has been locked',
    'Missing Extension Error: /root/.duckdb/extensions is empty',
  ]) {
    const { code, problem } = refusalOf(new Error(text), dir)
    assert.equal(code, 'QUERY_FAILED')
    assert.match(problem, outside)
    assert.doesNotMatch(problem, /somewhere|passwd|URL|threads|root/)
  }
  for (const text of ['INTERNAL Error: stack trace at /build/x.cpp', 'FATAL Error: x', 'something else', '']) {
    assert.deepEqual(refusalOf(new Error(text), dir).problem, 'the engine failed on it')
  }
  const refusal = refusalOf(
    new Error(`Invalid Input Error: No magic bytes found at end of file '${dir}/part-0.parquet'`),
    dir,
  )
  assert.equal(refusal.problem, "Invalid Input Error: No magic bytes found at end of file '…/part-0.parquet'")
})

test('refusalOf() distinguishes a lack of memory from everything else', () => {
  for (const text of [
    'Out of Memory Error: failed to allocate data of size 2.0 GiB (1.0 MiB/244.1 MiB used)',
    'std::bad_alloc',
    'Invalid Error: std::bad_alloc',
  ]) {
    assert.deepEqual(refusalOf(new Error(text), dir), {
      code: 'QUERY_TOO_LARGE',
      problem: 'it needs more memory than a query may have',
    })
  }
})

test('refusalOf() shortens lists of candidates, but keeps the position', () => {
  const place = '\n\nLINE 1: SELECT a + b\n                 ^'
  const { problem } = refusalOf(new Error(`Binder Error: No function matches${' x'.repeat(1_000)}${place}`), dir)
  assert.equal(problem.length, 'Binder Error: '.length + 500 + 1 + place.length)
  assert.ok(problem.endsWith(`…${place}`))
})

test('refusalOf() distinguishes a query that needs too much disk space from one that accesses files', () => {
  for (const message of [
    'IO Error: Could not write file "out/duckdb_temp_storage_DEFAULT-0.tmp": File too large',
    'IO Error: Could not write file "out/duckdb_temp_storage_DEFAULT-0.tmp": No space left on device',
    'IO Error: failed to offload data block of size 256.0 KiB (976.5 MiB/976.5 MiB used).\nmax_temp_directory_size',
  ]) {
    assert.equal(refusalOf(new Error(message), '/x').code, 'QUERY_TOO_LARGE', message)
  }
  assert.equal(
    refusalOf(new Error('IO Error: Could not write file "/etc/x": Permission denied'), '/x').code,
    'QUERY_FAILED',
  )
})
