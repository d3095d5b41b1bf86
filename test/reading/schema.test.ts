// Tests of declared schemas: each type and rule, over whole files, with every record accounted for.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client, type UploadResponse } from '../support/client.ts'
import { sharedService, smallSegments } from '../support/shared-service.ts'

const service = await sharedService(smallSegments)
const client = new Client(service.url)

/** One column of some values, each in a record that no other rule rejects. */
async function uploadColumn(field: object, values: readonly string[]): Promise<UploadResponse> {
  const content = `n,x\n${values.map((value, i) => `${i + 1},${value}\n`).join('')}`
  return client.upload({
    content,
    schema: {
      fields: [
        { name: 'n', type: 'integer' },
        { name: 'x', ...field },
      ],
    },
  })
}

/** Messages of the rejects, without the name of the column. */
async function messagesOf(receipt: UploadResponse): Promise<readonly string[]> {
  const rejects = await client.allRejects(receipt)
  assert.ok(rejects.every(({ reason, column }) => reason === 'constraint' && column === 2))
  return rejects.map(({ message }) => message.replace(/^x: /, ''))
}

interface Case {
  readonly field: object
  readonly values: readonly string[]
  /** As the rows show them. */
  readonly accepted: readonly unknown[]
  readonly rejected: readonly string[]
  readonly type: string
  readonly why?: RegExp
}

const cases: Readonly<Record<string, Case>> = {
  'any keeps text, with null for empty text': {
    field: {},
    values: ['007', '""', '', 'é"'],
    accepted: ['007', null, null, 'é"'],
    rejected: [],
    type: 'text',
  },
  'missing values without the empty text keep it as text': {
    field: { type: 'string', missingValues: ['NA'] },
    values: ['', '""', 'NA', '"NA"', 'na'],
    accepted: ['', '', null, null, 'na'],
    rejected: [],
    type: 'text',
  },
  required: {
    field: { type: 'string', missingValues: ['', '-'], constraints: { required: true } },
    values: ['a', '-', '', '""'],
    accepted: ['a'],
    rejected: Array(3).fill('no value, required by the schema'),
    type: 'text',
  },
  'integers of any spelling within 64 bits': {
    field: { type: 'integer' },
    values: ['007', '+5', '-0', '9223372036854775807', '9223372036854775808', '1.0', '1e3', ' 5', '1_000', '0x1f'],
    accepted: [7, 5, 0, '9223372036854775807', 5],
    rejected: [
      '"9223372036854775808" violates type integer: it is beyond what the column can hold',
      ...['1.0', '1e3', '1_000', '0x1f'].map((value) => `"${value}" violates type integer`),
    ],
    type: 'integer',
  },
  'integers with groups, within bounds': {
    field: { type: 'integer', groupChar: '.', constraints: { minimum: -5, exclusiveMaximum: '1.000.000' } },
    values: ['1.000', '12.34.567', '1.000.000', '999999', '-5', '-6', '.5', '5.'],
    accepted: [1000, 999999, -5],
    rejected: [
      '"12.34.567" violates exclusiveMaximum 1000000',
      '"1.000.000" violates exclusiveMaximum 1000000',
      '"-6" violates minimum -5',
      '".5" violates type integer',
      '"5." violates type integer',
    ],
    type: 'integer',
  },
  numbers: {
    field: { type: 'number', constraints: { exclusiveMinimum: 0, maximum: 1e6 } },
    values: ['1.50', '+2', '.5', '1e-3', '0', '1000000.1', 'NaN', 'INF', '1,5', '5.'],
    accepted: [1.5, 2, 0.5, 0.001, 5],
    rejected: [
      '"0" violates exclusiveMinimum 0',
      '"1000000.1" violates maximum 1000000',
      ...['NaN', 'INF', '1,5'].map((value) => `"${value}" violates type number`),
    ],
    type: 'number',
  },
  'numbers with more digits than a double keeps are decimals': {
    field: { type: 'number', constraints: { minimum: '0.1' } },
    values: ['12345678901234567.25', '0.1', '0.09', '7'],
    accepted: ['12345678901234567.25', '0.10', '7.00'],
    rejected: ['"0.09" violates minimum 0.1'],
    type: 'decimal(38,2)',
  },
  'numbers are decimals where the format says so': {
    field: { type: 'number', format: 'decimal' },
    values: ['12.5', '3', '-0.25', 'x'],
    accepted: ['12.50', '3.00', '-0.25'],
    rejected: ['"x" violates type number'],
    type: 'decimal(38,2)',
  },
  'numbers whose places are not counted are doubles, whatever the format says': {
    field: { type: 'number', format: 'decimal' },
    values: ['1.10', '+3.30', '007.5', '1e3'],
    accepted: [1.1, 3.3, 7.5, 1000],
    rejected: [],
    type: 'number',
    why: /doubles, since some numbers have a plus sign/,
  },
  'numbers that no decimal keeps are the nearest doubles': {
    field: { type: 'number' },
    values: ['1e10', '0.30000000000000004441', '1e400', 'x'],
    accepted: [1e10, 0.1 + 0.2],
    rejected: ['"1e400" violates type number: it is beyond what the column can hold', '"x" violates type number'],
    type: 'number',
  },
  'numbers with decimal comma and groups': {
    field: { type: 'number', decimalChar: ',', groupChar: '.', constraints: { enum: [1234.5, '2,5'] } },
    values: ['1.234,5', '1234,50', '2.5', '2,5', '1,2,3'],
    accepted: [1234.5, 1234.5, 2.5],
    rejected: ['"2.5" violates enum 1234.5, 2.5', '"1,2,3" violates type number'],
    type: 'number',
  },
  'numbers with as many places are decimals': {
    field: { type: 'number' },
    values: ['19.90', '-0.05', '1234567.10'],
    accepted: ['19.90', '-0.05', '1234567.10'],
    rejected: [],
    type: 'decimal(9,2)',
  },
  'numbers with as many places among texts are decimals': {
    field: { type: 'number' },
    values: ['19.90', 'x', '1234567890123.25', '-0.05'],
    accepted: ['19.90', '1234567890123.25', '-0.05'],
    rejected: ['"x" violates type number'],
    type: 'decimal(18,2)',
  },
  'numbers with decimal comma and as many places are decimals': {
    field: { type: 'number', decimalChar: ',', groupChar: '.' },
    values: ['1.234,50', '0,25', '123.456.789.012.345,67'],
    accepted: ['1234.50', '0.25', '123456789012345.67'],
    rejected: [],
    type: 'decimal(18,2)',
  },
  'numbers with decimal comma and more digits than a double keeps are decimals': {
    field: { type: 'number', decimalChar: ',', groupChar: ' ' },
    values: ['12 345 678 901 234 567,5', '0,25', '7', '0,000000000000000001'],
    accepted: [
      '12345678901234567.500000000000000000',
      '0.250000000000000000',
      '7.000000000000000000',
      '0.000000000000000001',
    ],
    rejected: [],
    type: 'decimal(38,18)',
  },
  'fractions with many places are decimals': {
    field: { type: 'number' },
    values: ['0.123456789012345678901234567890', '1.5'],
    accepted: ['0.123456789012345678901234567890', '1.500000000000000000000000000000'],
    rejected: [],
    type: 'decimal(38,30)',
  },
  'numbers in groups of other sizes are doubles that keep them': {
    field: { type: 'number', groupChar: ',' },
    values: ['12,34,567.25', '0.50', '12,34,56,78,90,12,345.89', '12,34,56,78,90,12,345.893'],
    accepted: [1234567.25, 0.5, 123456789012345.89],
    rejected: ['"12,34,56,78,90,12,345.893" violates type number: it is beyond what the column can hold'],
    type: 'number',
  },
  'booleans in the standard spellings': {
    field: { type: 'boolean' },
    values: ['true', 'True', '1', 'FALSE', '0', 'yes', 'tRUE'],
    accepted: [true, true, true, false, false],
    rejected: ['"yes" violates type boolean', '"tRUE" violates type boolean'],
    type: 'boolean',
  },
  'booleans in declared spellings': {
    field: { type: 'boolean', trueValues: ['ja'], falseValues: ['nein', ''], missingValues: [] },
    values: ['ja', 'nein', '', 'true'],
    accepted: [true, false, false],
    rejected: ['"true" violates type boolean'],
    type: 'boolean',
  },
  'dates in ISO 8601': {
    field: { type: 'date', constraints: { minimum: '2024-01-01', maximum: '2024-12-31' } },
    values: ['2024-02-29', '2023-12-31', '2025-01-01', '2023-02-29', '01/02/2024', '2024-2-1'],
    accepted: ['2024-02-29'],
    rejected: [
      '"2023-12-31" violates minimum 2024-01-01',
      '"2025-01-01" violates maximum 2024-12-31',
      ...['2023-02-29', '01/02/2024', '2024-2-1'].map((value) => `"${value}" violates type date`),
    ],
    type: 'date',
  },
  'dates in a format, of years that ISO 8601 writes': {
    field: { type: 'date', format: '%d/%m/%Y' },
    values: ['01/01/0001', '31/12/0000', '31/12/9999'],
    accepted: ['0001-01-01', '9999-12-31'],
    rejected: ['"31/12/0000" violates type date %d/%m/%Y: it is no date that the column can hold'],
    type: 'date',
  },
  'instants in a format, of years that ISO 8601 writes': {
    field: { type: 'datetime', format: '%Y-%m-%d %H:%M%z' },
    values: ['9999-12-31 23:59Z', '9999-12-31 23:59-01:00', '0001-01-01 00:00+01:00', '0001-01-01 01:00+01:00'],
    accepted: ['9999-12-31T23:59:00Z', '0001-01-01T00:00:00Z'],
    rejected: ['9999-12-31 23:59-01:00', '0001-01-01 00:00+01:00'].map(
      (value) => `"${value}" violates type datetime %Y-%m-%d %H:%M%z: it is no date that the column can hold`,
    ),
    type: 'timestamptz',
  },
  'dates in a format': {
    field: { type: 'date', format: '%d/%m/%Y', constraints: { minimum: '1/2/2024' } },
    values: ['01/02/2024', '1/2/2024', '31/01/2024', '31/02/2024', '2024-02-01', ' 1/2/2024', '1/2/24'],
    accepted: ['2024-02-01', '2024-02-01', '2024-02-01'],
    rejected: [
      '"31/01/2024" violates minimum 2024-02-01',
      '"31/02/2024" violates type date %d/%m/%Y: it is no date that the column can hold',
      ...['2024-02-01', '1/2/24'].map((value) => `"${value}" violates type date %d/%m/%Y`),
    ],
    type: 'date',
  },
  'dates with month names and two-digit years': {
    field: { type: 'date', format: '%d %b %y' },
    values: ['1 Mar 68', '02 MAY 69', '3 March 24'],
    accepted: ['2068-03-01', '1969-05-02'],
    rejected: ['"3 March 24" violates type date %d %b %y'],
    type: 'date',
  },
  times: {
    field: { type: 'time', constraints: { maximum: '12:00:00' } },
    values: ['11:59:59.5', '12:00:01', '24:00:00', '9:00', '09:00:00Z'],
    accepted: ['11:59:59.5'],
    rejected: [
      '"12:00:01" violates maximum 12:00:00',
      ...['24:00:00', '9:00', '09:00:00Z'].map((value) => `"${value}" violates type time`),
    ],
    type: 'time',
  },
  'times in a format': {
    field: { type: 'time', format: '%I:%M %p' },
    values: ['12:05 AM', '1:30 pm', '13:00 pm', '1:30'],
    accepted: ['00:05:00', '13:30:00'],
    rejected: ['"13:00 pm" violates type time %I:%M %p', '"1:30" violates type time %I:%M %p'],
    type: 'time',
  },
  'timestamps without offset': {
    field: { type: 'datetime', constraints: { minimum: '2024-01-01T00:00:00Z' } },
    values: ['2024-01-01T00:00:00', '2023-12-31T23:59:59.999', 'x'],
    accepted: ['2024-01-01 00:00:00'],
    rejected: ['"2023-12-31T23:59:59.999" violates minimum 2024-01-01T00:00:00Z', '"x" violates type datetime'],
    type: 'timestamp',
  },
  'timestamps with offset': {
    field: { type: 'datetime', constraints: { minimum: '2024-01-01T00:00:00' } },
    values: ['2024-01-01T01:00:00+01:00', '2024-01-01T00:30:00+01:00'],
    accepted: ['2024-01-01T00:00:00Z'],
    rejected: ['"2024-01-01T00:30:00+01:00" violates minimum 2024-01-01T00:00:00'],
    type: 'timestamptz',
  },
  'timestamps with and without offset stay text': {
    field: { type: 'datetime', constraints: { exclusiveMaximum: '2024-01-02T00:00:00Z' } },
    values: ['2024-01-01T01:00:00+01:00', '2024-01-01T00:00:00', '2024-01-02T00:00:00', 'x'],
    accepted: ['2024-01-01T01:00:00+01:00', '2024-01-01T00:00:00'],
    rejected: ['"2024-01-02T00:00:00" violates exclusiveMaximum 2024-01-02T00:00:00Z', '"x" violates type datetime'],
    type: 'text',
  },
  'timestamps in a format with offset': {
    field: { type: 'datetime', format: '%Y%m%d %H%M%z' },
    values: ['20240101 0130+0100', '20240101 0030Z', '20240101 0130'],
    accepted: ['2024-01-01T00:30:00Z', '2024-01-01T00:30:00Z'],
    rejected: ['"20240101 0130" violates type datetime %Y%m%d %H%M%z'],
    type: 'timestamptz',
  },
  years: {
    field: { type: 'year', constraints: { minimum: 2000 } },
    values: ['2024', '1999', '24', '2024.0'],
    accepted: [2024],
    rejected: ['"1999" violates minimum 2000', '"24" violates type year', '"2024.0" violates type year'],
    type: 'integer',
  },
  'months of a year': {
    field: { type: 'yearmonth', constraints: { maximum: '2024-06' } },
    values: ['2024-06', '2024-07', '2024-13', '2024-6'],
    accepted: ['2024-06'],
    rejected: [
      '"2024-07" violates maximum 2024-06',
      '"2024-13" violates type yearmonth',
      '"2024-6" violates type yearmonth',
    ],
    type: 'text',
  },
  durations: {
    field: { type: 'duration' },
    values: ['P1Y2M3DT4H5M6.7S', '-PT1S', 'P1M', 'P', 'PT', 'P1S', '1Y', 'P1YT'],
    accepted: ['P1Y2M3DT4H5M6.7S', '-PT1S', 'P1M'],
    rejected: ['P', 'PT', 'P1S', '1Y', 'P1YT'].map((value) => `"${value}" violates type duration`),
    type: 'text',
  },
  'JSON objects': {
    field: { type: 'object' },
    values: ['"{""a"":1}"', '[1]', '{a:1}', '1'],
    accepted: ['{"a":1}'],
    rejected: ['"[1]" violates type object', '"{a:1}" violates type object', '"1" violates type object'],
    type: 'text',
  },
  'JSON arrays': {
    field: { type: 'array' },
    values: ['[1]', '{}'],
    accepted: ['[1]'],
    rejected: ['"{}" violates type array'],
    type: 'text',
  },
  UUIDs: {
    field: { type: 'string', format: 'uuid' },
    values: ['0195D9B2-7c2e-7000-8000-000000000001', '0195d9b27c2e70008000000000000001'],
    accepted: ['0195D9B2-7c2e-7000-8000-000000000001'],
    rejected: ['"0195d9b27c2e70008000000000000001" violates type string'],
    type: 'text',
  },
  'lengths in characters': {
    field: { type: 'string', constraints: { minLength: 2, maxLength: 3 } },
    values: ['é', 'éé', '🤦🏼!', 'abcd'],
    accepted: ['éé', '🤦🏼!'],
    rejected: ['"é" violates minLength 2', '"abcd" violates maxLength 3'],
    type: 'text',
  },
  'patterns of the whole text': {
    field: { type: 'string', constraints: { pattern: "a|[0-9]{2}'?" } },
    values: ['a', "12'", 'ab', '123'],
    accepted: ['a', "12'"],
    rejected: [`"ab" violates pattern a|[0-9]{2}'?`, `"123" violates pattern a|[0-9]{2}'?`],
    type: 'text',
  },
  'values of an enum': {
    field: { type: 'string', constraints: { enum: ['a', "it's"] } },
    values: ['a', "it's", 'b'],
    accepted: ['a', "it's"],
    rejected: [`"b" violates enum a, it's`],
    type: 'text',
  },
  'the least integer as a minimum': {
    field: { type: 'integer', constraints: { exclusiveMinimum: '-9223372036854775808' } },
    values: ['-9223372036854775808', '-9223372036854775807'],
    accepted: ['-9223372036854775807'],
    rejected: ['"-9223372036854775808" violates exclusiveMinimum -9223372036854775808'],
    type: 'integer',
  },
  'the least integer in an enum': {
    field: { type: 'integer', constraints: { enum: ['-9223372036854775808', 5] } },
    values: ['-9223372036854775808', '5', '6'],
    accepted: ['-9223372036854775808', 5],
    rejected: ['"6" violates enum -9223372036854775808, 5'],
    type: 'integer',
  },
  categories: {
    field: { type: 'integer', categories: [{ value: 0, label: 'no' }, 1] },
    values: ['0', '01', '2'],
    accepted: [0, 1],
    rejected: ['"2" violates categories 0, 1'],
    type: 'integer',
  },
}
test('a note says that declared numbers are rounded, and only then', async () => {
  for (const [values, field, lines] of [
    [['1.50', '2.25', '12345678901234567.75'], { type: 'number' }, null],
    [['1.5', '2.25', '5'], { type: 'number' }, null],
    [['1.5', '0.30000000000000004441', '1e3'], { type: 'number' }, [3]],
    [['1e3', '-1', '123456789012345678|9'], { type: 'number', decimalChar: '|' }, null],
    [['1', '123.456.789.012.345.678|9', '1e3'], { type: 'number', decimalChar: ',', groupChar: '.' }, [3]],
  ] as const) {
    const cells = values.map((value) => `"${value.replace('|', 'decimalChar' in field ? field.decimalChar : '.')}"`)
    const receipt = await uploadColumn(field, cells)
    const rounded = receipt.notes.filter(({ code }) => code === 'NUMBERS_ROUNDED')
    assert.deepEqual(
      rounded.map((note) => note.lines),
      lines === null ? [] : [lines],
      values.join(),
    )
    for (const { message } of rounded) {
      assert.match(
        message,
        /^Column x: 1 value has more digits than a double keeps \(line 3\), so the nearest doubles are stored\.$/,
      )
    }
    assert.equal(/nearest double/.test(receipt.columns[1]?.why ?? ''), lines !== null)
  }
})

for (const [what, { field, values, accepted, rejected, type, why = /^declared/ }] of Object.entries(cases)) {
  test(`a schema is applied: ${what}`, async () => {
    const receipt = await uploadColumn(
      field,
      values.map((value) => (value.includes(',') ? `"${value}"` : value)),
    )
    assert.equal(receipt.columns[1]?.type, type)
    assert.match(receipt.columns[1]?.why ?? '', why)
    const rows = await client.allRows(receipt)
    assert.deepEqual(
      rows.map(([, x]) => x),
      accepted,
    )
    assert.deepEqual(await messagesOf(receipt), rejected)
  })
}

test('records without a value before one that breaks a rule are records', async () => {
  const receipt = await client.upload({
    content: 'k,n\nx,1\n,\n,\nb,bad\n,\n',
    schema: { fields: [{ name: 'k' }, { name: 'n', type: 'integer' }] },
  })
  const { accepted, rejected, blank } = receipt.records
  assert.deepEqual([accepted, rejected, blank], [3, 1, 1])
  assert.deepEqual(await client.allRows(receipt), [
    ['x', 1],
    [null, null],
    [null, null],
  ])
  assert.equal((await client.get(receipt.links.csv)).toString(), 'k,n\nx,1\n,\n,\n')
})
