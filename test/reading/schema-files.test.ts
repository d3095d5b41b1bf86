// Tests of declared schemas over whole files: records rejected among many, every byte accounted for, fields found or refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client, jsonOf, refusalOf, type UploadResponse } from '../support/client.ts'
import { sharedService, smallSegments } from '../support/shared-service.ts'

const service = await sharedService(smallSegments)
const client = new Client(service.url)

const fields = [
  { name: 'id', type: 'integer', constraints: { required: true } },
  { name: 'name', type: 'string', constraints: { maxLength: 60 } },
  { name: 'amount', type: 'number', constraints: { minimum: 0 } },
]

interface Line {
  readonly text: string
  /** Index of the column that violates the schema; null if the record is accepted. */
  readonly violates: number | null
  readonly isReadable: boolean
}

/** Records of which every `step`th breaks a rule, and some others cannot be read at all. */
function lines(count: number, step: number): readonly Line[] {
  return Array.from({ length: count }, (_, i) => {
    const name = `Grüße, "${i}" ${'x'.repeat(i % 40)}`
    const quoted = `"${name.replaceAll('"', '""')}"`
    if (i % 1_000 === 500) return { text: `${i};too;many;fields`, violates: null, isReadable: false }
    if (i % step !== 0) return { text: `${i};${quoted};${i}.5`, violates: null, isReadable: true }
    const kind = (i / step) % 3
    if (kind === 0) return { text: `;${quoted};1`, violates: 0, isReadable: true }
    if (kind === 1) return { text: `${i};${'y'.repeat(61)};1`, violates: 1, isReadable: true }
    return { text: `${i};${quoted};-1`, violates: 2, isReadable: true }
  })
}

/** Asserts everything that must hold for a file in any encoding. */
async function accountsFor(receipt: UploadResponse, content: Buffer, all: readonly Line[], charset: BufferEncoding) {
  const { records } = receipt
  const good = all.filter(({ violates, isReadable }) => isReadable && violates === null)
  const bad = all.filter(({ violates, isReadable }) => !isReadable || violates !== null)
  const badLines = new Set(bad)
  assert.deepEqual(records, {
    total: all.length + 1,
    header: 1,
    blank: 0,
    skipped: 0,
    accepted: good.length,
    rejected: bad.length,
  })
  assert.equal(receipt.rejects.reasons.constraint ?? 0, all.filter(({ violates }) => violates !== null).length)

  const rejects = await client.allRejects(receipt)
  assert.deepEqual(
    rejects.map(({ byteOffset, byteLength }) =>
      content.subarray(byteOffset, byteOffset + byteLength).toString(charset),
    ),
    bad.map(({ text }) => text),
  )
  assert.deepEqual(
    rejects.map(({ reason, column }) => (reason === 'constraint' ? column : null)),
    bad.map(({ violates }) => (violates === null ? null : violates + 1)),
  )
  assert.deepEqual(
    rejects.map(({ record }) => record),
    all.flatMap((line, i) => (badLines.has(line) ? [i + 2] : [])),
  )
  const rows = await client.allRows(receipt, 'id')
  assert.deepEqual(
    rows.map(([id]) => id),
    good.map(({ text }) => Number.parseInt(text, 10)),
  )
  const csv = (await client.get(receipt.links.csv)).toString()
  const text = good.map((line) => line.text.replace(';"', ',"').replace('";', '",')).join('\n')
  assert.ok(csv === `id,name,amount\n${text}\n`, 'data.csv has other records')
}

function fileOf(all: readonly Line[]): string {
  return `id;name;amount\n${all.map(({ text }) => `${text}\n`).join('')}`
}

test('records that violate a schema are rejected in the middle of many segments', async () => {
  // The first segment has a megabyte.
  const all = lines(30_001, 7)
  const content = Buffer.from(fileOf(all))
  const receipt = await client.upload({ content, schema: { fields } })
  assert.ok(receipt.parts.length > 3, `${receipt.parts.length} parts`)
  await accountsFor(receipt, content, all, 'utf8')
  assert.equal(receipt.schema?.fields.length, 3)
  const [first] = receipt.rejects.first
  assert.equal(first?.message, 'id: no value, required by the schema')
})

test('offsets of records that violate a schema refer to the original in another encoding', async () => {
  const all = lines(6_000, 11)
  const content = Buffer.from(fileOf(all), 'utf16le')
  const receipt = await client.upload({ content, dialect: { encoding: 'utf-16le' }, schema: { fields } })
  await accountsFor(receipt, content, all, 'utf16le')
})

test('a file whose records all violate its schema gives a dataset without rows', async () => {
  const content = Buffer.from(`a\n${'x\n'.repeat(60_000)}`)
  const receipt = await client.upload({ content, schema: { fields: [{ name: 'a', type: 'integer' }] } })
  assert.equal(receipt.records.accepted, 0)
  assert.equal(receipt.records.rejected, 60_000)
  assert.deepEqual(receipt.columns, [
    { name: 'a', type: 'integer', nulls: 0, nullWords: [''], why: 'declared in the schema as integer' },
  ])
  const page = jsonOf<{ rejects: { record: number; message: string }[] }>(
    await client.ask('GET', `${receipt.links.rejects}?offset=59999&limit=2`),
  )
  assert.deepEqual(
    page.rejects.map(({ record, message }) => [record, message]),
    [[60_001, 'a: "x" violates type integer']],
  )
  assert.equal((await client.get(receipt.links.csv)).toString(), 'a\n')
})

test('a file that conforms to its schema is read once, with the declared types', async () => {
  const content = 'zip,when\n01234,2024-01-01\n99999,2024-01-02\n'
  const declared = {
    fields: [
      { name: 'zip', type: 'string' },
      { name: 'when', type: 'string' },
    ],
  }
  const plain = await client.upload(content)
  const typed = await client.upload({ content, schema: declared })
  assert.notEqual(typed.id, plain.id)
  assert.deepEqual(
    typed.columns.map(({ type }) => type),
    ['text', 'text'],
  )
  assert.deepEqual((await client.rows(typed)).rows, [
    ['01234', '2024-01-01'],
    ['99999', '2024-01-02'],
  ])
  const titled = {
    title: 'x',
    fieldsMatch: 'exact',
    fields: declared.fields.map((one) => ({ ...one, format: 'default' })),
  }
  const again = await client.upload({ content, schema: titled })
  assert.ok(again.duplicate && again.id === typed.id, 'an equivalent schema gives another dataset')
})

test('a stored file can be read again with a schema', async () => {
  const plain = await client.upload('n,day\n1,01/02/2024\n2,31/12/2024\nx,01/01/2024\n')
  const schema = {
    fields: [
      { name: 'n', type: 'integer' },
      { name: 'day', type: 'date', format: '%d/%m/%Y' },
    ],
  }
  const post = (body: object) => askJson('POST', plain.links.readings, body)
  const answer = await post({ schema })
  assert.equal(answer.status, 200, answer.body.toString())
  const receipt = jsonOf<UploadResponse>(answer)
  assert.deepEqual((await client.rows(receipt)).rows, [
    [1, '2024-02-01'],
    [2, '2024-12-31'],
  ])
  assert.deepEqual(receipt.rejects.reasons, { constraint: 1 })
  assert.equal((await client.get(receipt.links.csv)).toString(), 'n,day\n1,01/02/2024\n2,31/12/2024\n')
  assert.equal(refusalOf(await post({ schema: { fields: 1 } })).status, 400)
  assert.equal(refusalOf(await post({ schema: 1 })).status, 400)
  assert.equal(refusalOf(await post({})).status, 400)
})

async function askJson(method: string, path: string, body: object) {
  const response = await fetch(new URL(path, service.url), {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: response.status, headers: {}, body: Buffer.from(await response.arrayBuffer()) }
}

/** A schema of text fields. */
function named(names: readonly string[], fieldsMatch?: string, more: object = {}) {
  return { fields: names.map((name) => ({ name, type: 'string', ...more })), ...(fieldsMatch && { fieldsMatch }) }
}

const abc = 'a,b,c\n1,2,3\n4,5,6\n'
const found: readonly [string, object, readonly string[]][] = [
  ['exact', named(['a', 'b', 'c']), ['text', 'text', 'text']],
  ['equal, in another order', named(['c', 'a', 'b'], 'equal'), ['text', 'text', 'text']],
  ['subset', named(['b'], 'subset'), ['integer', 'text', 'integer']],
  ['superset', named(['d', 'c', 'b', 'a'], 'superset'), ['text', 'text', 'text']],
  ['partial', named(['z', 'c'], 'partial'), ['integer', 'integer', 'text']],
]
for (const [what, schema, types] of found) {
  test(`fields of a schema find their columns: ${what}`, async () => {
    const receipt = await client.upload({ content: abc, schema })
    assert.deepEqual(
      receipt.columns.map(({ name }) => name),
      ['a', 'b', 'c'],
    )
    assert.deepEqual(
      receipt.columns.map(({ type }) => type),
      types,
    )
  })
}

const asX = { name: 'x', nameInFile: 'b', type: 'string' }
test('a field with another name in the file renames its column', async () => {
  const exact = [{ name: 'a', type: 'integer' }, asX, { name: 'c', type: 'integer' }]
  for (const schema of [{ fields: [asX], fieldsMatch: 'subset' }, { fields: exact }]) {
    const receipt = await client.upload({ content: abc, schema })
    const columns = receipt.columns.map(({ name, type }) => `${name} ${type}`)
    assert.deepEqual(columns, ['a integer', 'x text', 'c integer'])
    assert.deepEqual(receipt.schema, schema)
    assert.equal((await client.get(receipt.links.csv)).toString(), abc)
    assert.match((await client.get(receipt.links.ndjson)).toString(), /^\{"a":1,"x":"2","c":3\}\n/)
  }
})

test('a field that the file lacks is noted', async () => {
  const { notes } = await client.upload({ content: abc, schema: named(['z', 'c'], 'partial') })
  const message = "The file has no column for 'z' of the schema."
  assert.deepEqual(notes, [{ code: 'SCHEMA_FIELDS_MISSING', severity: 'doubt', message }])
})

const unfound: readonly [string, object, RegExp][] = [
  ['exact, another order', named(['a', 'c', 'b']), /the schema has 'a', 'c', 'b', the file 'a', 'b', 'c' \(exact\)/],
  ['exact, one less', named(['a', 'b']), /the schema has 'a', 'b', the file 'a', 'b', 'c'/],
  ['exact, another case', named(['A', 'b', 'c']), /the schema has 'A', 'b', 'c'/],
  ['equal, one more', named(['a', 'b', 'c', 'd'], 'equal'), /\(equal\)/],
  ['subset, unknown field', named(['a', 'x'], 'subset'), /\(subset\)/],
  ['superset, unknown column', named(['a', 'b'], 'superset'), /\(superset\)/],
  ['partial, none', named(['x'], 'partial'), /\(partial\)/],
  ['a new name that another column has', { fields: [{ ...asX, name: 'C' }], fieldsMatch: 'subset' }, /'a', 'C', 'c'/],
  ['no such name in the file', { fields: [{ ...asX, nameInFile: 'x' }], fieldsMatch: 'subset' }, /has 'x', the file/],
  [
    'a required field is absent',
    named(['a', 'x'], 'partial', { constraints: { required: true } }),
    /the field x is required/,
  ],
]
for (const [what, schema, message] of unfound) {
  test(`fields of a schema that cannot be found are refused: ${what}`, async () => {
    const refusal = await client.refused({ content: abc, schema })
    assert.equal(refusal.status, 422)
    assert.equal(refusal.exception, 'csvupload.SchemaMismatchException')
    assert.match(refusal.message, message)
  })
}

test('the names of a schema name the columns of a file without a header', async () => {
  const schema = {
    fields: [
      { name: 'x', type: 'integer' },
      { name: 'y', type: 'string' },
    ],
  }
  const receipt = await client.upload({ content: '1,2\n3,4\n', dialect: { header: false }, schema })
  assert.deepEqual(
    receipt.columns.map(({ name, type }) => [name, type]),
    [
      ['x', 'integer'],
      ['y', 'text'],
    ],
  )
  assert.equal(receipt.records.accepted, 2)
  const refusal = await client.refused({
    content: '1,2\n3,4\n',
    dialect: { header: false },
    schema: { ...schema, fieldsMatch: 'equal' },
  })
  assert.match(refusal.message, /the file has no header/)
  const fields = [asX, { name: 'y' }]
  const unnamed = await client.refused({ content: '1,2\n3,4\n', dialect: { header: false }, schema: { fields } })
  assert.match(unnamed.message, /no field can have a nameInFile/)
})

test('a first record equal to the names of the schema is the header, unless declared otherwise', async () => {
  const content = '7,8\n1,2\n3,4\n'
  assert.equal((await client.upload(content)).records.header, 0, 'nothing but the schema says it is one')
  const schema = named(['7', '8'])
  assert.equal((await client.upload({ content, schema })).records.header, 1)
  const receipt = await client.upload({ content, schema, dialect: { header: false } })
  assert.equal(receipt.records.accepted, 3)
  assert.deepEqual(
    receipt.notes.map(({ code }) => code),
    ['NO_HEADER', 'SCHEMA_NAMES_AS_DATA'],
  )
  // Without the schema, a record with a field too many has the name of its row.
  for (const dialect of [{}, { header: true }]) {
    const { records, columns } = await client.upload({ content: 'a,b\nx,2,3\n', schema: named(['a', 'b']), dialect })
    assert.deepEqual([records.header, records.rejected, columns.map(({ name }) => name)], [1, 1, ['a', 'b']])
  }
})

test('columns without a field in the schema are detected over all records', async () => {
  const rows = Array.from({ length: 60_000 }, (_, i) => `${i},${i % 100 === 0 ? 'x' : i},${i === 59_999 ? 'late' : i}`)
  const schema = { fieldsMatch: 'subset', fields: [{ name: 'b', type: 'integer' }] }
  const receipt = await client.upload({ content: `a,b,c\n${rows.join('\n')}\n`, schema })
  assert.deepEqual(
    receipt.columns.map(({ type }) => type),
    ['integer', 'integer', 'text'],
  )
  assert.deepEqual(receipt.rejects.reasons, { constraint: 600 })
  assert.equal((await client.allRows(receipt)).length, 59_400)
})

const bad: readonly [string, object, RegExp][] = [
  [
    'an invalid pattern',
    { pattern: '(' },
    /'schema.fields\[0\].constraints.pattern': it is "\(", expected a regular expression that RE2 accepts \(missing closing \): \(\)/,
  ],
  ['a pattern that RE2 does not support', { pattern: '(?=a)' }, /RE2 accepts \(invalid or unsupported Perl syntax/],
  ['a large pattern', { pattern: '(a{100}){10}'.repeat(10) }, /RE2 accepts \(it has more than 10000 elements/],
  ['an unsupported constraint', { unique: 1 }, /'schema.fields\[0\].constraints.unique'/],
]
for (const [what, constraints, message] of bad) {
  test(`a schema is refused: ${what}`, async () => {
    const schema = { fields: [{ name: 'a', type: 'string', constraints }] }
    const refusal = await client.refused({ content: 'a\n1\n', schema })
    assert.equal(refusal.status, 400)
    assert.match(refusal.message, message)
  })
}

test('short records are rejects, unless the dialect declares that they are padded', async () => {
  const content = 'a,b,c\n1\n2,x\n3,y,z\n4,y,z,!\n"5"\n'
  const strict = await client.upload({ content, dialect: { delimiter: ',' }, schema: named(['a', 'b', 'c']) })
  assert.deepEqual(strict.rejects.reasons, { too_few_fields: 3, too_many_fields: 1 })
  const schema = {
    fields: [
      { name: 'a', type: 'integer' },
      { name: 'b', type: 'string', constraints: { enum: ['x', 'y'] } },
      { name: 'c', type: 'string', missingValues: [] },
      { name: 'd', type: 'string', constraints: { required: true } },
    ],
  }
  const filled = `a,b,c,d\n1\n2,x\n3,y,z\n4,q,z,d\n5,y,z,d\n6,y,"z",d\n`
  const receipt = await client.upload({
    content: `${filled}7,y,z,d,e\n`,
    dialect: { delimiter: ',', padShortRecords: true },
    schema,
  })
  assert.equal(receipt.dialect.padShortRecords, true)
  assert.deepEqual((await client.rows(receipt)).rows, [
    [5, 'y', 'z', 'd'],
    [6, 'y', 'z', 'd'],
  ])
  assert.deepEqual(
    (await client.allRejects(receipt)).map(({ record, message }) => [record, message]),
    [
      [2, 'd: no value, required by the schema'],
      [3, 'd: no value, required by the schema'],
      [4, 'd: no value, required by the schema'],
      [5, 'b: "q" violates enum x, y'],
      [8, '5 fields, expected 4'],
    ],
  )
  const plain = await client.upload({
    content: 'a,b,c\n1\n2,x\n3,y,z\n',
    dialect: { padShortRecords: true, header: true },
  })
  assert.deepEqual((await client.rows(plain)).rows, [
    [1, null, null],
    [2, 'x', null],
    [3, 'y', 'z'],
  ])
  assert.equal((await client.get(plain.links.csv)).toString(), 'a,b,c\n1,,\n2,x,\n3,y,z\n')
})

test('an enum may be long', async () => {
  const values = Array.from({ length: 20_000 }, (_, i) => i * 2)
  const schema = {
    fields: [
      { name: 'n', type: 'number', constraints: { enum: values } },
      { name: 's', type: 'string' },
    ],
  }
  const receipt = await client.upload({ content: 'n,s\n4,a\n5,b\n39998.0,c\n', schema })
  assert.deepEqual((await client.rows(receipt)).rows, [
    [4, 'a'],
    [39998, 'c'],
  ])
  assert.ok((receipt.rejects.first[0]?.message.length ?? 0) < 500)
})

test('values in messages are shortened, and may contain anything', async () => {
  const values = ['é'.repeat(300), 'a""b\u2028c', 'line\nend', "it''s; DROP"]
  const content = `x\n${values.map((value) => `"${value}"\n`).join('')}`
  const receipt = await client.upload({ content, schema: { fields: [{ name: 'x', type: 'integer' }] } })
  assert.deepEqual(
    (await client.allRejects(receipt)).map(({ message }) => message),
    [`"${'é'.repeat(200)}…"`, '"a\\"b\u2028c"', '"line\\nend"', `"it''s; DROP"`].map(
      (value) => `x: ${value} violates type integer`,
    ),
  )
})

test('field names and rule values are plain text to the column writer', async () => {
  const name = `a"'); DROP TABLE x; --`
  const schema = {
    missingValues: ["'"],
    fields: [{ name, type: 'string', constraints: { enum: ["o'", '";'] } }, { name: 'b' }],
  }
  const receipt = await client.upload({
    dialect: { delimiter: ',', quoteChar: '"' },
    content: `"${name.replaceAll('"', '""')}",b\no',1\n'\n,\n',\n`,
    schema,
  })
  assert.deepEqual((await client.rows(receipt)).rows, [
    ["o'", '1'],
    [null, ''],
  ])
  assert.deepEqual(receipt.rejects.reasons, { too_few_fields: 1, constraint: 1 })
})
