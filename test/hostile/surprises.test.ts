// Tests of values that other readers change silently. A column gets a type only if every value keeps its meaning;
// otherwise it is text. Either way, the file and the export have exactly what was sent.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from '../support/client.ts'
import { sharedService } from '../support/shared-service.ts'

const service = await sharedService()
const client = new Client(service.url)

interface Golden {
  /** As in the file. */
  readonly values: readonly string[]
  readonly type: string
  /** As the rows show them; by default, the values themselves, without quotes. */
  readonly rows?: readonly unknown[]
}

const golden: readonly Golden[] = [
  { values: ['007', '012', '100'], type: 'text' },
  { values: ['1', '2', '-0'], type: 'number', rows: [1, 2, 0] },
  { values: ['+1', '2', '3'], type: 'text' },
  { values: ['1', '2', '9223372036854775807'], type: 'integer', rows: [1, 2, '9223372036854775807'] },
  { values: ['1', '2', '9223372036854775809'], type: 'text' },
  { values: ['1', '2', '9223372036854775808'], type: 'number', rows: [1, 2, 2 ** 63] },
  { values: ['1234567890123456789', '2', '3'], type: 'integer', rows: ['1234567890123456789', 2, 3] },
  { values: ['-9223372036854775808', '0', '1'], type: 'integer', rows: ['-9223372036854775808', 0, 1] },
  { values: ['-9223372036854775809', '0', '1'], type: 'text' },
  { values: ['1e400', '1', '2'], type: 'text' },
  { values: ['1e5', '2e3', '3'], type: 'number', rows: [100000, 2000, 3] },
  { values: ['0.1', '0.2', '0.30'], type: 'number', rows: [0.1, 0.2, 0.3] },
  { values: ['0.10', '0.20', '0.30'], type: 'decimal(9,2)' },
  { values: ['1.5', '2.25', '3'], type: 'number', rows: [1.5, 2.25, 3] },
  { values: ['0.1234567890123456789', '1', '2'], type: 'text' },
  { values: ['123456789012345.5', '1.25', '2'], type: 'number', rows: [123456789012345.5, 1.25, 2] },
  { values: ['.5', '1.5', '2.5'], type: 'number', rows: [0.5, 1.5, 2.5] },
  { values: ['1.', '2.', '3.'], type: 'number', rows: [1, 2, 3] },
  { values: ['NaN', '1', '2'], type: 'integer', rows: [null, 1, 2] },
  { values: ['.', '1.5', '?'], type: 'decimal(9,1)', rows: [null, '1.5', null] },
  { values: ['--', 'NaT', '2024-01-01'], type: 'date', rows: [null, null, '2024-01-01'] },
  { values: ['<NA>', '1', '..'], type: 'text' },
  { values: ['inf', '1', '2'], type: 'text' },
  { values: ['-Infinity', '1.5', '2.5'], type: 'text' },
  { values: ['0x1F', '1', '2'], type: 'text' },
  { values: ['1_000', '2', '3'], type: 'text' },
  { values: ['1 000', '2 000', '3 000'], type: 'integer', rows: [1000, 2000, 3000] },
  { values: ['"1,000"', '"2,000"', '"3,000"'], type: 'text' },
  { values: ['1\u00a0000', '2', '3'], type: 'integer', rows: [1000, 2, 3] },
  { values: ['1\u2019234.5', '2.5', '3.5'], type: 'decimal(9,1)', rows: ['1234.5', '2.5', '3.5'] },
  { values: ['1\u2018234', '2', '3'], type: 'text' },
  { values: ['\u0661\u0662', '\u0663', '\u0664'], type: 'text' },
  { values: ['\uff11\uff12', '\uff13', '\uff14'], type: 'text' },
  { values: ['true', 'false', 'true'], type: 'boolean', rows: [true, false, true] },
  { values: ['TRUE', 'false', 'true'], type: 'text' },
  { values: ['yes', 'no', 'yes'], type: 'text' },
  { values: ['t', 'f', 't'], type: 'text' },
  { values: ['1', '0', 'true'], type: 'text' },
  { values: ['2024-02-29', '2024-01-01', '2023-12-31'], type: 'date' },
  { values: ['2023-02-29', '2024-01-01', '2023-12-31'], type: 'text' },
  { values: ['0000-00-00', '2024-01-01', '2024-01-02'], type: 'text' },
  { values: ['01/02/2024', '03/04/2024', '05/06/2024'], type: 'text' },
  {
    values: ['13/02/2024', '03/04/2024', '05/06/2024'],
    type: 'date',
    rows: ['2024-02-13', '2024-04-03', '2024-06-05'],
  },
  { values: ['2024-1-5', '2024-02-06', '2024-03-07'], type: 'text' },
  { values: ['10000-01-01', '2024-01-01', '2024-01-02'], type: 'text' },
  { values: ['24:00:00', '12:00:00', '13:00:00'], type: 'text' },
  { values: ['23:59:60', '12:00:00', '13:00:00'], type: 'text' },
  { values: ['12:00', '13:30', '14:00'], type: 'time', rows: ['12:00:00', '13:30:00', '14:00:00'] },
  {
    values: ['2024-01-01T00:00:00Z', '2024-01-01T02:00:00+02:00', '2024-01-01T00:00:00Z'],
    type: 'timestamptz',
    rows: ['2024-01-01T00:00:00Z', '2024-01-01T00:00:00Z', '2024-01-01T00:00:00Z'],
  },
  { values: ['2024-03-31 02:30:00', '2024-01-01 00:00:00', '2024-01-02 00:00:00'], type: 'timestamp' },
  { values: ['2024-01-01T00:00:00.123456789Z', '2024-01-01T00:00:00Z', '2024-01-01T00:00:00Z'], type: 'text' },
  { values: [' 1', '2', '3'], type: 'integer', rows: [1, 2, 3] },
  { values: ['1 ', '2', '3'], type: 'integer', rows: [1, 2, 3] },
  { values: ['1\t', '2', '3'], type: 'text' },
  { values: ['NULL', '1', '2'], type: 'integer', rows: [null, 1, 2] },
  { values: ['NA', '1', '2'], type: 'integer', rows: [null, 1, 2] },
  { values: ['-', '1', '2'], type: 'integer', rows: [null, 1, 2] },
  { values: ['\\N', '1', '2'], type: 'integer', rows: [null, 1, 2] },
  { values: ['"NULL"', '1', '2'], type: 'integer', rows: [null, 1, 2] },
  { values: ['', '1', '2'], type: 'integer', rows: [null, 1, 2] },
  { values: ['""', '1', '2'], type: 'integer', rows: [null, 1, 2] },
  { values: ['SEPT1', 'MARCH1', '1-2'], type: 'text' },
  { values: ['1-2', '3-4', '5-6'], type: 'text' },
  { values: ['1E2', '2E3', '3E4'], type: 'number', rows: [100, 2000, 30000] },
  { values: ['00:1A', '1D', '2F'], type: 'text' },
  { values: ['$1', '$2', '$3'], type: 'text' },
  { values: ['50%', '60%', '70%'], type: 'text' },
  { values: ['1\u060c5', '2', '3'], type: 'text' },
  { values: ['"=1+1"', '2', '3'], type: 'text' },
  { values: ['e\u0301', '\u00e9', 'x'], type: 'text' },
  { values: ['\ufeff1', '2', '3'], type: 'text' },
]

test('values that other readers change are typed as in the table, and exported as sent', async () => {
  const lines = [0, 1, 2].map((row) => golden.map(({ values }) => values[row]).join(','))
  const text = `${golden.map((_, i) => `c${i}`).join(',')}\n${lines.join('\n')}\n`
  const receipt = await client.upload(text)
  const shown = await client.allRows(receipt)
  for (const [i, { values, type, rows }] of golden.entries()) {
    assert.equal(receipt.columns[i]?.type, type, values.join(' | '))
    const wanted = rows ?? values.map((value) => value.replaceAll('"', ''))
    assert.deepEqual(
      shown.map((row) => row[i]),
      wanted,
      values.join(' | '),
    )
  }
  assert.equal((await client.get(receipt.links.original)).toString(), text)
  assert.equal((await client.get(receipt.links.csv)).toString(), text)
})

const surprising = 'id,name\n007,\u00e9\n'
const encodings: Readonly<Record<string, Buffer>> = {
  'utf-8, marked': Buffer.from(`\ufeff${surprising}`),
  'utf-16le, marked': Buffer.from(`\ufeff${surprising}`, 'utf16le'),
  'utf-16le': Buffer.from(surprising, 'utf16le'),
  'utf-16be, marked': Buffer.from(`\ufeff${surprising}`, 'utf16le').swap16(),
  'windows-1252': Buffer.from(surprising, 'latin1'),
}

for (const [what, bytes] of Object.entries(encodings)) {
  test(`a note names an encoding that readers often guess wrong, and the bytes are kept: ${what}`, async () => {
    const receipt = await client.upload(bytes)
    const [name, marked] = what.split(', ')
    assert.deepEqual(receipt.encoding, { name, bom: marked !== undefined })
    assert.deepEqual(
      receipt.columns.map((column) => [column.name, column.type]),
      [
        ['id', 'text'],
        ['name', 'text'],
      ],
    )
    assert.deepEqual(await client.allRows(receipt), [['007', '\u00e9']])
    assert.deepEqual(await client.get(receipt.links.original), bytes)
  })
}
