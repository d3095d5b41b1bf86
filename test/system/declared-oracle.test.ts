// Declared oracle: tests that columns are read and checked as declared, over random schemas and files, each with the SQL
// that once did it. CASES=20000 tries as many; SEED=17 FROM=900 CASES=1 replays one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FieldType, fieldTypes } from '../../src/core/table-schema.ts'
import { DeclaredOracle } from '../support/declared-oracle/declared-oracle.ts'
import { seed } from '../support/samples.ts'

const from = Number(process.env.FROM ?? 0)
const count = Number(process.env.CASES ?? 1_500)
const differencesMax = 3

const bounds = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']
const ordered: readonly FieldType[] = ['integer', 'number', 'date', 'time', 'datetime', 'year', 'yearmonth']

/** What must occur: each rule of each type, broken and kept, and each type of a column. */
const wanted = fieldTypes.flatMap((type) => {
  const isJson = type === 'object' || type === 'array'
  const rules = [
    'required',
    ...(ordered.includes(type) ? bounds : []),
    ...(isJson ? [] : ['enum']),
    ...(type === 'string' ? ['categories', 'pattern', 'minLength', 'maxLength'] : []),
    ...(type === 'integer' ? ['categories'] : []),
  ]
  const broken = [
    ...(type === 'any' ? [] : ['type']),
    ...(/^(integer|number|date|datetime)$/.test(type) ? ['range'] : []),
  ]
  return [
    `${type} null`,
    ...rules.map((rule) => `${type} ${rule} kept`),
    ...[...rules, ...broken].map((rule) => `${type} ${rule} broken`),
  ]
})
const outcomes = ['number', 'decimal', 'nearest number'].map((type) => `number as ${type}`)
const moments = ['timestamp', 'timestamptz', 'text'].map((type) => `datetime as ${type}`)

test('declared columns of random files are read and checked as by SQL', async (t) => {
  t.diagnostic(`SEED=${seed}`)
  using oracle = await DeclaredOracle.open()
  const found: string[] = []
  const isMissing = (what: string) => !oracle.counts.has(what)
  const missing = () => [...wanted, ...outcomes, ...moments].filter(isMissing)
  // Some further cases if those so far lack something: what random cases have depends on the seed.
  const isDone = (tried: number) => tried >= count && (count < 1_000 || tried >= 20 * count || missing().length === 0)
  for (let tried = 0; !isDone(tried) && found.length < differencesMax; tried++) {
    const difference = await oracle.difference(seed, from + tried)
    if (difference !== null) found.push(difference)
  }
  assert.deepEqual(found, [])
  if (count < 1_000) return
  assert.deepEqual(missing(), [])
})
