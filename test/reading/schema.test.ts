// Tests of declared schemas: notes on rounded numbers, and records without a value.
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
