// Tests of unique and primaryKey: random tables in many segments, against a map over the records that a plain reader reads.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Random, randomFrom } from '../../src/core/random.testing.ts'
import { Client, jsonOf, type UploadResponse } from '../support/client.ts'
import { seed } from '../support/samples.ts'
import { sharedService, smallSegments } from '../support/shared-service.ts'
import { assertVerified } from '../support/verified.ts'

const service = await sharedService(smallSegments)
const client = new Client(service.url)

/** A value as it may be written, and what equal values have in common. */
type WrittenValue = readonly [text: string, value: string | null]
interface FieldJson {
  readonly name: string
  readonly type: string
  readonly format?: string
}
type Field = { readonly json: FieldJson; readonly write: (random: Random, among: number) => WrittenValue }

function integer(random: Random, among: number): WrittenValue {
  const value = random(among) - Math.floor(among / 2)
  const sign = value < 0 ? '-' : random(8) === 0 ? '+' : ''
  return [`${sign}${random(4) === 0 ? '00' : ''}${Math.abs(value)}`, `${value}`]
}

function text(random: Random, among: number): WrittenValue {
  const value = `${random(3) === 0 ? '0' : ''}${random(among)}${random(5) === 0 ? '"é' : ''}`
  const isQuoted = value.includes('"') || random(4) === 0
  return [isQuoted ? `"${value.replaceAll('"', '""')}"` : value, value]
}

/** Beyond 2^53, where doubles are not told apart. */
function number(random: Random, among: number): WrittenValue {
  const value = 9007199254740992n + BigInt(random(among))
  const forms = [`${value}`, `${value}.0`, `${value}e0`, `${value}0e-1`, `  ${value}`, `${value} `]
  return [forms[random(forms.length)]!, `${value}`]
}

function date(random: Random, among: number): WrittenValue {
  const day = new Date(Date.UTC(2024, 0, 1 + random(among)))
  const [year, month, date] = [day.getUTCFullYear(), day.getUTCMonth() + 1, day.getUTCDate()]
  const padded = (one: number) => (random(2) === 0 ? `${one}` : `${one}`.padStart(2, '0'))
  return [`${padded(date)}.${padded(month)}.${year}`, day.toISOString()]
}

const fields: readonly Field[] = [
  { json: { name: 'id', type: 'integer' }, write: integer },
  { json: { name: 'code', type: 'string' }, write: text },
  { json: { name: 'long', type: 'number' }, write: number },
  { json: { name: 'day', type: 'date', format: '%d.%m.%Y' }, write: date },
]

interface Key {
  readonly rule: string
  readonly columns: readonly number[]
}

/** The rejects of a table: a plain loop over the records in the order of the file. */
function rejectsOf(records: readonly (readonly WrittenValue[])[], keys: readonly Key[], lines: readonly number[]) {
  const holders = keys.map(() => new Map<string, number>())
  const names = [...fields.map(({ json }) => json.name), 'other']
  return records.flatMap((record, i) => {
    const missing = keys.find(({ rule }) => rule === 'primaryKey')?.columns.filter((c) => record[c]![1] === null)
    if (missing !== undefined && missing.length > 0) {
      const column = Math.min(...missing)
      return [{ line: lines[i], column: column + 1, message: `${names[column]}: no value, required by the schema` }]
    }
    if (record[4]![1] === 'bad') return [{ line: lines[i], column: 5, message: 'other: "bad" violates pattern [^b].*' }]
    const own = keys.map(({ columns }) => {
      const values = columns.map((column) => record[column]![1])
      return values.includes(null) ? null : JSON.stringify(values)
    })
    const broken = own.findIndex((key, k) => key !== null && holders[k]!.has(key))
    for (const [k, key] of own.entries()) if (key !== null && !holders[k]!.has(key)) holders[k]!.set(key, i)
    if (broken < 0) return []
    const { rule, columns } = keys[broken]!
    const first = holders[broken]!.get(own[broken]!)!
    const plain = ([text]: WrittenValue) => text.replace(/^"(.*)"$/, '$1').replaceAll('""', '"')
    const isSame = record.every((one, c) => plain(one) === plain(records[first]![c]!))
    const values = columns.map((column) => JSON.stringify(plain(record[column]!))).join(', ')
    const other = `line ${lines[first]} has the same, and is ${isSame ? '' : 'not '}equal in every field`
    const message = `${columns.map((column) => names[column]).join(', ')}: ${values} violates ${rule}: ${other}`
    return [{ line: lines[i], column: columns[0]! + 1, message }]
  })
}

function tableOf(random: Random, count: number, among: number) {
  const records: (readonly WrittenValue[])[] = []
  for (let i = 0; i < count; i++) {
    if (records.length > 0 && random(30) === 0) records.push(records[random(records.length)]!)
    else {
      const own = fields.map(({ write }): WrittenValue => (random(40) === 0 ? ['', null] : write(random, among)))
      records.push([
        ...own,
        random(25) === 0 ? ['bad', 'bad'] : [`"${'x'.repeat(400)}${random(3) === 0 ? '\n' : ''}"`, 'x'],
      ])
    }
  }
  const lines: number[] = []
  let line = 2
  let content = `${fields.map(({ json }) => json.name).join()},other\n`
  for (const record of records) {
    if (random(50) === 0) {
      content += '\n'
      line++
    }
    lines.push(line)
    const row = `${record.map(([text]) => text).join()}\n`
    content += row
    line += row.split('\n').length - 1
  }
  return { records, lines, content }
}

const keySets: readonly (readonly Key[])[] = [
  [{ rule: 'primaryKey', columns: [0] }],
  [{ rule: 'primaryKey', columns: [1, 0] }],
  [{ rule: 'unique', columns: [2] }],
  [{ rule: 'unique', columns: [3] }],
  [
    { rule: 'primaryKey', columns: [0, 3] },
    { rule: 'unique', columns: [1] },
    { rule: 'unique', columns: [2] },
  ],
]

for (const [i, keys] of keySets.entries()) {
  const what = keys.map(({ rule, columns }) => `${rule} of ${columns.map((c) => fields[c]?.json.name).join(', ')}`)
  test(`the second and later records with a key are rejected: ${what.join('; ')} (SEED=${seed})`, async () => {
    const random = randomFrom(seed + i)
    const count = 4_000
    const { records, lines, content } = tableOf(random, count, keys.length === 1 ? 2 * count : 8 * count)
    const unique = keys.filter(({ rule }) => rule === 'unique').flatMap(({ columns }) => columns)
    const primary = keys.find(({ rule }) => rule === 'primaryKey')?.columns.map((c) => fields[c]!.json.name)
    const declared = fields.map(({ json }, c) => ({
      ...json,
      ...(unique.includes(c) && { constraints: { unique: true } }),
    }))
    const other = { name: 'other', constraints: { pattern: '[^b](.|\n)*' } }
    const schema = { fields: [...declared, { ...other, type: 'string' }], ...(primary && { primaryKey: primary }) }
    const receipt = await client.upload({ content, schema, dialect: { header: true } })
    const found = (await client.allRejects(receipt)).map(({ line, column, message }) => ({
      line,
      column,
      message: message.replace('[^b](.|\n)*', '[^b].*'),
    }))
    const wanted = rejectsOf(records, keys, lines)
    const differs = wanted.findIndex((one, at) => JSON.stringify(one) !== JSON.stringify(found[at]))
    assert.deepEqual([differs, found[differs], found.length], [-1, wanted[differs], wanted.length])
    assert.equal(receipt.records.accepted, count - found.length)
    assert.ok(receipt.parts.length > 3, 'several segments')
    await assertVerified(join(service.dataDir, 'datasets', receipt.id))
  })
}

test('records are equal in every field if nothing but quotes differs', async () => {
  const schema = { fields: [{ name: 'id' }, { name: 'x' }, { name: 'y' }], primaryKey: 'id' }
  const content = 'id,x,y\n1,"a,b",c\n1,a,"b,c"\n1,"a,b","c"\n'
  const rejects = await client.allRejects(await client.upload({ content, schema }))
  const how = rejects.map(({ line, message }) => `${line}: ${message.split(', and is ')[1]}`)
  assert.deepEqual(how, ['3: not equal in every field', '4: equal in every field'])
})

test('corrected records have keys, too, and those that repeat one are refused', async () => {
  const schema = { fields: [{ name: 'id', type: 'integer' }, { name: 'v' }], primaryKey: 'id' }
  const receipt = await client.upload({ content: 'id,v\n1,a\n01,a\n2,c\nx,d\n5,e\n6,f\n', schema })
  const messages = async (id: string) => {
    const answer = await client.ask('GET', `/qas/datasets/${id}/rejects`)
    const { rejects } = jsonOf<{ readonly rejects: readonly { readonly record: number; readonly message: string }[] }>(
      answer,
    )
    return rejects.map(({ record, message }) => [record, message])
  }
  assert.deepEqual(await messages(receipt.id), [
    [3, 'id: "01" violates primaryKey: line 2 has the same, and is not equal in every field'],
    [5, 'id: "x" violates type integer'],
  ])
  const correct = async (text: string) => {
    const headers = { 'content-type': 'text/csv' }
    const answer = await client.ask('POST', `/qas/datasets/${receipt.id}/corrections`, Buffer.from(text), headers)
    assert.equal(answer.status, 200, answer.body.toString())
    return jsonOf<UploadResponse & { readonly corrected: { readonly firstRefused: readonly unknown[] } }>(answer)
  }
  const corrected = await correct('record,text\r\n3,"5,a"\r\n5,"2,c"\r\n')
  const message = 'id: "2" violates primaryKey: line 4 has the same, and is equal in every field'
  assert.deepEqual(corrected.corrected.firstRefused, [{ record: 5, column: 1, reason: 'constraint', message }])
  assert.deepEqual(await messages(corrected.id), [
    [5, 'id: "x" violates type integer'],
    [6, 'id: "5" violates primaryKey: an earlier record has the same, and is not equal in every field'],
  ])
  const rows = await client.allRows(corrected)
  assert.deepEqual(
    rows.map(([id]) => id),
    [1, 5, 2, 6],
  )
  await assertVerified(join(service.dataDir, 'datasets', corrected.id))
})

test('a correction whose key a refused one has given back is refused, too', async () => {
  const receipt = await client.upload({
    content: 'id,u,t\n1,a,x\n1,b,y\n1,c,z\n2,d,w\n',
    schema: {
      fields: [{ name: 'id', type: 'integer' }, { name: 'u', constraints: { unique: true } }, { name: 't' }],
      primaryKey: 'id',
    },
  })
  assert.equal(receipt.records.rejected, 2)
  const path = `/qas/datasets/${receipt.id}/corrections`
  const text = 'record,text\r\n3,"5,a,y"\r\n4,"6,b,z"\r\n'
  const answer = await client.ask('POST', path, Buffer.from(text), { 'content-type': 'text/csv' })
  assert.equal(answer.status, 200, answer.body.toString())
  const { corrected } = jsonOf<{ readonly corrected: { readonly firstRefused: readonly { record: number }[] } }>(answer)
  assert.deepEqual(
    corrected.firstRefused.map(({ record }) => record),
    [3, 4],
  )
})

test('a type is decided by records that repeat no key', async () => {
  const fields = [{ name: 'id', type: 'integer', constraints: { unique: true } }]
  const records = Array.from({ length: 9_000 }, (_, i) => `${i},${i % 7},${'x'.repeat(200)}\n`)
  const content = `id,n,t\n${records.join('')}8999,text,y\n`
  const receipt = await client.upload({ content, schema: { fields, fieldsMatch: 'subset' } })
  assert.deepEqual([receipt.records.accepted, receipt.columns[1]?.type], [9_000, 'integer'])
  assert.ok(receipt.parts.length > 3, 'several segments')
  await assertVerified(join(service.dataDir, 'datasets', receipt.id))
})

test('a repeated key near an odd line is a reject, wherever the two are in a long file', async () => {
  const fields = [{ name: 'k' }, { name: 'v' }]
  const record = (i: number) => `${String(i >> 1).padStart(7, '0')},${String(i).padStart(7, '0')}\n`
  const half = Array.from({ length: 93_750 }, (_, i) => record(i)).join('')
  for (const odd of [0, 500, 1_500, 3_500]) {
    const after = Array.from({ length: odd }, (_, i) => record(200_000 + 2 * i)).join('')
    const content = `k,v\n${half}${after}bad\n${record(400_000)}`
    const receipt = await client.upload({ content, schema: { fields, primaryKey: ['k'] } })
    assert.equal(receipt.records.rejected, 93_750 / 2 + 1)
  }
})
