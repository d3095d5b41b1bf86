// Tests of readers: PySpark, DuckDB, Polars, pyarrow and chDB read every value of downloaded Parquet as it was uploaded.
// ENGINES_PYTHON names a Python that has them; a missing one is skipped. Each reports a column of the table in docs/engines.md.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { engineSql } from '../../src/cli/engine-sql.ts'
import type { Column } from '../../src/core/receipt.ts'
import { run } from '../support/client-generators.ts'
import { RunningService, scratchDir } from '../support/running-service.ts'
import { canonical, upload } from './engine-samples.ts'

/** Packages of PyPI by module. */
const readers = {
  pyspark: 'pyspark==3.5.3',
  duckdb: 'duckdb==2.0.0',
  polars: 'polars==2.1.0',
  pyarrow: 'pyarrow==26.0.1',
  chdb: 'chdb==4.4.0',
}

interface Found {
  readonly version: string
  /** By form, in the order of the columns; a text says why a column cannot be read. */
  readonly forms: Readonly<
    Record<string, { readonly types: string[]; readonly values: (string | (string | null)[])[] }>
  >
}

const python = process.env.ENGINES_PYTHON ?? 'python3'
const fixture = join(import.meta.dirname, 'fixtures/read_values.py')
const recordCount = 60_000
/** Readers decode pages of some thousand values at a time, so that a fault may show only in a long part. */
const partRecordsMin = 20_000

const scratch = await scratchDir()
after(() => scratch[Symbol.asyncDispose]())
const { columns, cells, forms } = await uploadAndDownload()

for (const [reader, wanted] of Object.entries(readers)) {
  test(`${reader} reads every value as it was uploaded`, { skip: missing(reader, wanted) }, async (t) => {
    const [path, result] = [join(scratch.path, `${reader}.json`), join(scratch.path, `${reader}-result.json`)]
    await writeFile(path, JSON.stringify({ reader, columns, forms, sparkSchema: sparkSchema(), result }))
    await run(python, [fixture, path], scratch.path)
    const { version, forms: found }: Found = JSON.parse(await readFile(result, 'utf8'))
    const problems = Object.entries(found).flatMap(([form, { types, values }]) => {
      const order = recordsInOrder(values[0]!)
      return columns.map(({ name, type }, i) => {
        const problem = problemOf(order, values[i]!, i)
        t.diagnostic(`${reader} ${version} | ${form} | ${name}: ${type} | ${types[i]} | ${problem ?? 'as uploaded'}`)
        return problem === null ? [] : [`${form}, ${name} (${type}): ${problem}`]
      })
    })
    assert.deepEqual(problems.flat(), [])
  })
}

/** Why a reader is skipped; false if it is installed. */
function missing(module: string, wanted: string): string | false {
  if (module === 'pyspark' && spawnSync('java', ['-version']).status !== 0) return 'no Java, which Spark needs'
  return spawnSync(python, ['-c', `import ${module}`]).status !== 0 && `no ${module}: pip install ${wanted}`
}

/** Paths of the Parquet by form: as one file, and as parts. */
async function uploadAndDownload() {
  await using service = await RunningService.start(join(scratch.path, 'data'), [])
  const made = await upload(service, 'readers', recordCount)
  const address = `${service.url}/qas/datasets/${made.id}`
  assert.ok(
    made.parts.some(({ records }) => records >= partRecordsMin),
    'no part is long enough',
  )
  const download = async (name: string) => {
    const path = join(scratch.path, name.replace('/', '-'))
    await writeFile(path, Buffer.from(await (await fetch(`${address}/${name}`)).arrayBuffer()))
    return path
  }
  const ofParts = await Promise.all(made.parts.map((_, i) => download(`parts/${i}.parquet`)))
  return { ...made, forms: { 'data.parquet': [await download('data.parquet')], parts: ofParts } }
}

/** The columns as `csv-upload publish --as spark` prints them. */
function sparkSchema(): string {
  const table = { name: 't', columns: columns as readonly Pick<Column, 'name' | 'type'>[], url: 's3://b/', files: [] }
  const [, list = ''] = /\((.*)\) USING/s.exec(engineSql('spark', { ...table, endpoint: '' })) ?? []
  return list
}

/** Where each record was read: Spark reads files in any order. The first column counts records. */
function recordsInOrder(counts: string | readonly (string | null)[]): readonly number[] {
  if (typeof counts === 'string') throw new Error(`The numbers of the records cannot be read: ${counts}`)
  const places = new Map(counts.map((count, place) => [count, place]))
  assert.equal(counts.length, recordCount)
  return Array.from({ length: recordCount }, (_, i) => {
    const place = places.get(`${i}`)
    assert.ok(place !== undefined, `record ${i} was not read`)
    return place
  })
}

/** Null if every value of a column is the uploaded one. */
function problemOf(
  order: readonly number[],
  values: string | readonly (string | null)[],
  column: number,
): string | null {
  if (typeof values === 'string') return values
  const { type } = columns[column]!
  const inOneForm = (cell: string | null | undefined) => (typeof cell === 'string' ? canonical(cell, type) : cell)
  const wrong = cells.flatMap((record, i) => {
    return inOneForm(record[column]) === inOneForm(values[order[i]!]) ? [] : [i]
  })
  return wrong.length === 0 ? null : `${wrong.length} of ${recordCount} wrong, the first in record ${wrong[0]! + 1}`
}
