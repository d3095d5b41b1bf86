// Tests of the part `schema`: what is accepted, in canonical form, and what is refused, with its position.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isServiceError } from '../../core/errors.ts'
import { readDeclaredSchema } from './parse-schema.ts'

test('readDeclaredSchema() keeps members that affect reading, and nothing else', () => {
  const { table } = readDeclaredSchema({
    $schema: 'https://datapackage.org/profiles/2.0/tableschema.json',
    title: 'Sales',
    fieldsMatch: 'exact',
    missingValues: [''],
    fields: [
      {
        name: 'id',
        type: 'integer',
        title: 'Number',
        format: 'default',
        constraints: { required: true, unique: false },
      },
      { name: 'price', type: 'number', decimalChar: ',', groupChar: '.', bareNumber: true },
      { name: 'note', description: 'free', constraints: { required: false } },
      { name: 'day', type: 'date', format: 'fmt:%d.%m.%Y', missingValues: ['-', { value: 'NA', label: 'none' }] },
      { name: 'size', type: 'string', categories: [{ value: 'S', label: 'small' }, 'L'], categoriesOrdered: true },
    ],
  })
  assert.deepEqual(table, {
    fields: [
      { name: 'id', type: 'integer', constraints: { required: true } },
      { name: 'price', type: 'number', decimalChar: ',', groupChar: '.' },
      { name: 'note', type: 'any' },
      { name: 'day', type: 'date', format: '%d.%m.%Y', missingValues: ['-', 'NA'] },
      { name: 'size', type: 'string', categories: ['S', 'L'] },
    ],
  })
})

test('readDeclaredSchema() reads keys: a field of the primary key is required', () => {
  const fields = [{ name: 'a', constraints: { unique: true } }, { name: 'b' }, { name: 'c' }]
  const { table, columns, keys } = readDeclaredSchema({ fields, primaryKey: ['c', 'a'] })
  assert.deepEqual(table.primaryKey, ['c', 'a'])
  assert.deepEqual(table.fields[0]?.constraints, { unique: true })
  assert.deepEqual(
    columns.map(({ values }) => values.isRequired),
    [true, false, true],
  )
  assert.deepEqual(keys, [
    { rule: 'primaryKey', columns: [2, 0] },
    { rule: 'unique', columns: [0] },
  ])
  assert.deepEqual(readDeclaredSchema({ fields, primaryKey: 'b' }).table.primaryKey, ['b'])
})

test('readDeclaredSchema() applies the missing values of the schema to fields without their own', () => {
  const fields = [{ name: 'a' }, { name: 'b', missingValues: [] }]
  const [a, b] = readDeclaredSchema({ missingValues: ['', 'NA'], fields }).columns
  assert.deepEqual(a?.values.missing, ['', 'NA'])
  assert.deepEqual(b?.values.missing, [])
})

test('readDeclaredSchema() converts constants of constraints to plain form', () => {
  const cases: readonly [object, unknown, string][] = [
    [{ type: 'integer' }, 5, '5'],
    [{ type: 'integer' }, '9223372036854775807', '9223372036854775807'],
    [{ type: 'integer', groupChar: '.' }, '1.000', '1000'],
    [{ type: 'number' }, -1.5, '-1.5'],
    [{ type: 'number', decimalChar: ',', groupChar: '.' }, '1.000,5', '1000.5'],
    [{ type: 'date' }, '2024-02-29', '2024-02-29'],
    [{ type: 'date', format: '%d/%m/%Y' }, '29/2/2024', '2024-02-29'],
    [{ type: 'date', format: '%d %B %y' }, '1 march 68', '2068-03-01'],
    [{ type: 'time', format: '%I:%M %p' }, '12:05 am', '00:05:00'],
    [{ type: 'datetime' }, '2024-01-01T00:00:00Z', '2024-01-01T00:00:00Z'],
    [{ type: 'datetime', format: '%Y%m%d%H%M%z' }, '202401020304+0100', '2024-01-02T03:04:00+0100'],
    [{ type: 'year' }, 2024, '2024'],
    [{ type: 'yearmonth' }, '2024-12', '2024-12'],
  ]
  for (const [field, value, plain] of cases) {
    const [column] = readDeclaredSchema({ fields: [{ name: 'a', ...field, constraints: { minimum: value } }] }).columns
    assert.deepEqual(column?.values.checks, [{ rule: 'minimum', value: plain }], JSON.stringify(field))
  }
})

/** A schema with one field. */
function field(members: object): string {
  return JSON.stringify({ fields: [{ name: 'a', ...members }] })
}

function constrained(type: string, constraints: object, more: object = {}): string {
  return field({ type, constraints, ...more })
}

const refused: readonly [string, RegExp][] = [
  ['[]', /'schema': it is not a JSON object/],
  ['null', /it is not a JSON object/],
  ['{}', /'schema.fields': it is missing, expected 1 to 2000 fields/],
  ['{"fields":[]}', /'schema.fields': it has 0/],
  ['{"fields":{}}', /'schema.fields': it is \{\}/],
  ['{"fields":["a"]}', /'schema.fields\[0\]': it is "a", expected an object/],
  ['{"fields":[{}]}', /'schema.fields\[0\].name': it is missing/],
  ['{"fields":[{"name":" "}]}', /'schema.fields\[0\].name'/],
  ['{"fields":[{"name":"a\\u0000"}]}', /without control characters/],
  ['{"fields":[{"name":"a"},{"name":"A"}]}', /'schema.fields\[1\].name': it is "A", expected a name that differs from/],
  [
    '{"fields":[{"name":"a"}],"fieldsMatch":"some"}',
    /'schema.fieldsMatch': it is "some", expected one of exact, equal/,
  ],
  ['{"fields":[{"name":"a"}],"primaryKey":"b"}', /'schema.primaryKey': it is "b", expected the names of fields/],
  ['{"fields":[{"name":"a"}],"primaryKey":[]}', /'schema.primaryKey': it is \[\], expected the name of a field/],
  ['{"fields":[{"name":"a"}],"primaryKey":["a","a"]}', /'schema.primaryKey\[1\]': it is "a" again/],
  ['{"fields":[{"name":"a"}],"primaryKey":1}', /'schema.primaryKey': it is 1, expected an array of strings/],
  ['{"fields":[{"name":"a","type":"object"}],"primaryKey":"a"}', /'schema.primaryKey': it is there, expected none for/],
  ['{"fields":[{"name":"a"}],"foreignKeys":[]}', /'schema.foreignKeys'/],
  ['{"fields":[{"name":"a"}],"uniqueKeys":[]}', /'schema.uniqueKeys'/],
  ['{"fields":[{"name":"a"}],"feilds":[]}', /'schema.feilds': it is not known here/],
  ['{"fields":[{"name":"a"}],"__proto__":{}}', /'schema.__proto__'/],
  ['{"fields":[{"name":"a"}],"missingValues":"NA"}', /'schema.missingValues': it is "NA", expected an array/],
  ['{"fields":[{"name":"a"}],"missingValues":[1]}', /'schema.missingValues\[0\]': it is 1, expected a text/],
  [field({ missingValues: ['-', '-'] }), /'schema.fields\[0\].missingValues\[1\]': it is "-" again/],
  [field({ type: 'text' }), /'schema.fields\[0\].type': it is "text", expected one of any, string/],
  [field({ type: 'geopoint' }), /declare 'any' to keep it as text/],
  [field({ type: 'list' }), /declare 'any' to keep it as text/],
  [
    field({ constrains: {} }),
    /'schema.fields\[0\].constrains': it is not known here, expected for type 'any' only name/,
  ],
  [field({ type: 'string', decimalChar: ',' }), /'schema.fields\[0\].decimalChar': it is not known here/],
  [field({ type: 'string', format: 'email' }), /'schema.fields\[0\].format': it is "email", expected .* a pattern in/],
  [field({ type: 'integer', format: 'x' }), /'schema.fields\[0\].format': it is "x", expected 'default'/],
  [field({ type: 'date', format: 'any' }), /'schema.fields\[0\].format': it is "any", expected 'default' for ISO/],
  [field({ type: 'date', format: '%d/%m' }), /it gives no year/],
  [field({ type: 'date', format: '%d/%m/%Y %H' }), /it gives hour, which a date does not have/],
  [field({ type: 'date', format: '%d/%m/%Y %y' }), /it gives something twice/],
  [field({ type: 'date', format: '%Q' }), /'%Q' is not supported/],
  [field({ type: 'date', format: '%Y-%m-%d%' }), /'%' is not supported/],
  [field({ type: 'date', format: '%Y年%m%d' }), /not printable ASCII/],
  [field({ type: 'time', format: '%I:%M' }), /%I and %p go together/],
  [field({ type: 'datetime', format: '%z %Y%m%d%H' }), /%z is supported at the end only/],
  [
    field({ type: 'number', decimalChar: '.,' }),
    /'schema.fields\[0\].decimalChar': it is ".,", expected one character/,
  ],
  [field({ type: 'number', groupChar: '.' }), /'schema.fields\[0\].groupChar': it is ".", expected a character other/],
  [field({ type: 'integer', groupChar: '1' }), /'schema.fields\[0\].groupChar'/],
  [field({ type: 'number', bareNumber: false }), /'schema.fields\[0\].bareNumber': it is false, expected true/],
  [field({ type: 'boolean', trueValues: 'yes' }), /'schema.fields\[0\].trueValues': it is "yes", expected an array/],
  [field({ type: 'boolean', trueValues: ['0'] }), /'schema.fields\[0\].falseValues': it is "0" is also true/],
  [field({ type: 'string', categories: {} }), /'schema.fields\[0\].categories'/],
  [field({ type: 'integer', categories: ['x'] }), /'schema.fields\[0\].categories\[0\]': it is "x"/],
  [field({ constraints: [] }), /'schema.fields\[0\].constraints': it is \[\]/],
  [constrained('array', { unique: true }), /'schema.fields\[0\].constraints.unique': it is there, expected none/],
  [constrained('string', { unique: 'no' }), /'schema.fields\[0\].constraints.unique': it is "no"/],
  [
    constrained('string', { required: 1 }),
    /'schema.fields\[0\].constraints.required': it is 1, expected true or false/,
  ],
  [constrained('object', { jsonSchema: {} }), /'schema.fields\[0\].constraints.jsonSchema': it is not checked here/],
  [constrained('string', { minimum: 1 }), /'schema.fields\[0\].constraints.minimum': .* not for string/],
  [constrained('duration', { minimum: 'P1D' }), /not for duration/],
  [
    constrained('integer', { minimum: 1.5 }),
    /'schema.fields\[0\].constraints.minimum': it is 1.5, expected a whole number/,
  ],
  [constrained('integer', { maximum: 2 ** 53 }), /as text if it is beyond 2\^53/],
  [constrained('integer', { maximum: '9223372036854775808' }), /at most 64 bits/],
  [constrained('number', { minimum: 'abc' }), /expected a number/],
  [constrained('number', { minimum: true }), /expected a number/],
  [constrained('date', { minimum: '2023-02-29' }), /it is "2023-02-29", expected an ISO 8601 date/],
  [
    constrained('date', { minimum: '2024-01-31' }, { format: '%d/%m/%Y' }),
    /expected a date in the format of the field/,
  ],
  [constrained('time', { exclusiveMaximum: '24:00:00' }), /expected an ISO 8601 time/],
  [constrained('datetime', { exclusiveMinimum: '2024-01-01' }), /expected an ISO 8601 datetime/],
  [constrained('yearmonth', { minimum: '2024-13' }), /expected a month/],
  [constrained('integer', { minLength: 1 }), /it only for string/],
  [constrained('string', { minLength: -1 }), /expected a whole number from 0 on/],
  [constrained('integer', { pattern: '1' }), /it only for string/],
  [constrained('string', { pattern: 1 }), /expected a regular expression/],
  [constrained('string', { enum: [] }), /expected an array of at least one value/],
  [constrained('string', { enum: [1] }), /'schema.fields\[0\].constraints.enum\[0\]': it is 1, expected a text/],
  [constrained('boolean', { enum: ['maybe'] }), /expected true or false/],
  [constrained('object', { enum: [{}] }), /expected none for type object/],
]
for (const [text, message] of refused) {
  test(`readDeclaredSchema() refuses ${text}`, () => {
    assert.throws(
      () => readDeclaredSchema(JSON.parse(text)),
      (error) => {
        assert.ok(isServiceError(error, 'BAD_PARAMETER'), String(error))
        assert.match(error.message, message)
        return true
      },
    )
  })
}

for (const text of ['a\0b', 'a\ud800b']) {
  for (const [place, field] of Object.entries({
    'fields[0].constraints.pattern': { constraints: { pattern: text } },
    'fields[0].constraints.enum[1]': { constraints: { enum: ['x', text] } },
    'fields[0].categories[0]': { categories: [{ value: text }] },
    'fields[0].missingValues[1]': { missingValues: ['', text] },
    'fields[0].trueValues[0]': { type: 'boolean', trueValues: [text], falseValues: ['x'] },
    'fields[0].name': { name: text },
  })) {
    test(`readDeclaredSchema() rejects ${JSON.stringify(text)} at ${place}`, () => {
      assert.throws(
        () => readDeclaredSchema({ fields: [{ name: 'n', type: 'string', ...field }] }),
        (error) => isServiceError(error, 'BAD_PARAMETER') && error.details.name === `schema.${place}`,
      )
    })
  }
}
