// Tests of late type mismatches: files with a text in the last record of a column of numbers, even if segments are not kept.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from '../support/client.ts'
import { ownService } from '../support/shared-service.ts'

const service = await ownService()
const client = new Client(service.url)

/** More than the rewritten records that are kept beside the original. */
const fileBytes = 70 * 1024 * 1024

for (const [name, city] of [
  ['as they are', 'Berlin'],
  // A quote in an unquoted field.
  ['rewritten', '5" pipe'],
] as const) {
  test(`a type mismatch in the last of many records that are ${name} changes one column`, async () => {
    const padding = 'x'.repeat(200)
    const line = (i: number) => `${i},${i * 7},${city},${padding}\n`
    const lines = ['id,value,city,padding\n']
    let count = 0
    for (let bytes = 0; bytes < fileBytes; bytes += lines.at(-1)!.length) lines.push(line(count++))
    lines.push(`${count},late,${city},${padding}\n`)
    const receipt = await client.upload(lines.join(''))
    assert.deepEqual(
      receipt.columns.map(({ type }) => type),
      ['integer', 'text', 'text', 'text'],
    )
    assert.equal(receipt.records.accepted, count + 1)
    const { rows } = await client.rows(receipt, `?offset=${count - 1}&limit=2&columns=id,value,city`)
    assert.deepEqual(rows, [
      [count - 1, `${(count - 1) * 7}`, city],
      [count, 'late', city],
    ])
    const first = await client.rows(receipt, '?offset=3&limit=1&columns=id,value,city')
    assert.deepEqual(first.rows, [[3, '21', city]])
  })
}
