// Tests of engines: ClickHouse makes a table of a dataset by the recipe of the docs, and finds the same values, counts, sums
// and extremes as the service. ENGINES_PYTHON names a Python that has chdb.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { run } from '../support/client-generators.ts'
import { codeBlocks } from '../support/code-blocks.ts'
import { RunningService, scratchDir } from '../support/running-service.ts'
import { canonicalInput, castAs, check, type Dialect, questions, reportOf, upload } from './engine-samples.ts'

const python = process.env.ENGINES_PYTHON ?? 'python3'
const isMissing = spawnSync(python, ['-c', 'import chdb']).status !== 0

const utc = "DateTime64(6, 'UTC')"
const typeNames = {
  integer: 'Int64',
  number: 'Float64',
  boolean: 'Bool',
  date: 'Date32',
  time: 'Time64(6)',
  timestamp: utc,
  timestamptz: utc,
}

const clickhouse: Dialect = {
  name: (name) => `\`${name}\``,
  text: (expression) => `toString(${expression})`,
  literal: (value, type) => {
    if (type === 'text') return `'${value.replace(/[\\']/g, '\\$&')}'`
    return castAs(typeNames)(canonicalInput(value, type), type)
  },
}

test('ClickHouse reads the same by the recipe of the docs', { skip: isMissing && 'no chdb' }, async () => {
  await using scratch = await scratchDir()
  await using service = await RunningService.start(join(scratch.path, 'data'), [])
  const made = await Promise.all([upload(service, 'small', 2_000), upload(service, 'large', 150_000)])
  const reported = await Promise.all(made.map((one) => reportOf(service, one)))
  const page = await readFile(join(import.meta.dirname, '../../docs/engines.md'), 'utf8')
  const [, section = ''] = /^## ClickHouse\n(.*?)^## /ms.exec(page) ?? []
  const [recipe, ...others] = codeBlocks(section)
  assert.ok(recipe !== undefined && others.length === 0)
  const tables = made.map(({ id, table }) =>
    recipe.code
      .trim()
      .replace(/;$/, '')
      .replace('TABLE people', `TABLE ${table}`)
      .replace('http://127.0.0.1:8080', service.url)
      .replace('<id>', id),
  )
  const path = join(scratch.path, 'statements.json')
  await writeFile(path, JSON.stringify([...tables, ...questions(clickhouse, made)]))
  const fixture = join(import.meta.dirname, 'fixtures/run_engine.py')
  const results = JSON.parse(await run(python, [fixture, path], scratch.path))
  check({ made, reported }, results.slice(made.length))
})
