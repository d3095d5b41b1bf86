// Tests of declared numbers: a column is a decimal whenever one keeps all of its values and a double does not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from '../support/client.ts'
import { sharedService, smallSegments } from '../support/shared-service.ts'

const client = new Client((await sharedService(smallSegments)).url)

const long = '712268255046650521.25'
const cases: readonly (readonly [values: readonly string[], type: string, stored: readonly unknown[]])[] = [
  [['64814973212553765321', '12'], 'decimal(38,0)', ['64814973212553765321', '12']],
  [['9'.repeat(38), '-9223372036854775809'], 'decimal(38,0)', ['9'.repeat(38), '-9223372036854775809']],
  [['9'.repeat(39), '12'], 'number', [1e39, 12]],
  [['64814973212553765321', '0.5'], 'decimal(38,1)', ['64814973212553765321.0', '0.5']],
  [['9'.repeat(38), '0.5'], 'number', [1e38, 0.5]],
  [[long, '-0'], 'decimal(38,2)', [long, '0.00']],
  [[long, '-0.000'], 'decimal(38,3)', [`${long}0`, '0.000']],
  [[long, '.5'], 'decimal(38,2)', [long, '0.50']],
  [[long, '-.000000000000000000125'], 'number', [Number(long), -1.25e-19]],
  [[long, '1e3'], 'number', [Number(long), 1000]],
  // What is rejected decides nothing.
  [['64814973212553765321', '1e400', '12'], 'decimal(38,0)', ['64814973212553765321', '12']],
  [['-0', '12'], 'number', [0, 12]],
  [['1.50', '-0'], 'number', [1.5, 0]],
  [['19.90', '1234567890123.', '-0.05'], 'number', [19.9, 1234567890123, -0.05]],
]
for (const [values, type, stored] of cases) {
  test(`the declared numbers ${values.join(' and ')} are stored as ${type}`, async () => {
    const schema = { fields: [{ name: 'i' }, { name: 'x', type: 'number' }] }
    const receipt = await client.upload({ content: `i,x\n${values.map((one, i) => `${i},${one}\n`).join('')}`, schema })
    assert.equal(receipt.columns[1]?.type, type)
    const rows = await client.allRows(receipt)
    assert.deepEqual(
      rows.map(([, x]) => x),
      stored,
    )
    const isRounded = type === 'number' && values.some((one) => one.length > 17)
    assert.equal(
      receipt.notes.some(({ code }) => code === 'NUMBERS_ROUNDED'),
      isRounded,
    )
  })
}

test('numbers with the format decimal are decimals with plus signs and zeros in front, too', async () => {
  const schema = { fields: [{ name: 'i' }, { name: 'x', type: 'number', format: 'decimal' }] }
  const stored = async (values: readonly string[]) => {
    const receipt = await client.upload({ content: `i,x\n${values.map((one, i) => `${i},${one}\n`).join('')}`, schema })
    return [receipt.columns[1]?.type, ...(await client.allRows(receipt)).map(([, x]) => x)]
  }
  assert.deepEqual(await stored(['+5.10', '007', '-00.255']), ['decimal(38,3)', '5.100', '7.000', '-0.255'])
  assert.deepEqual(await stored(['1.50', '+2.25']), ['decimal(38,2)', '1.50', '2.25'])
  const digits = '001234567890123456789012.25'
  assert.deepEqual(await stored([digits, '+1']), ['decimal(38,2)', digits.slice(2), '1.00'])
  assert.deepEqual(await stored(['+5.10', '1e3']), ['number', 5.1, 1000])
  assert.deepEqual(await stored([`+${'9'.repeat(38)}`, '0.5']), ['number', 1e38, 0.5])
})

test('declared whole numbers in groups of three digits keep all of their digits', async () => {
  const schema = { fields: [{ name: 'i' }, { name: 'x', type: 'number', decimalChar: ',', groupChar: '.' }] }
  const content = 'i;x\n0;12.345.678.901.234.567.890\n1;0,5\n2;-0,00\n'
  const receipt = await client.upload({ content, schema })
  assert.equal(receipt.columns[1]?.type, 'decimal(38,2)')
  assert.deepEqual(
    (await client.allRows(receipt)).map(([, x]) => x),
    ['12345678901234567890.00', '0.50', '0.00'],
  )
})
