// Tests of parameters: ids, numbers, names and members with a hidden meaning are refused without revealing internals.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client, jsonOf, refusalOf } from '../support/client.ts'
import { sharedService } from '../support/shared-service.ts'

const service = await sharedService()
const client = new Client(service.url)
const { id } = await client.upload('id,name\n1,Anna\n')

/** Every route with an id in it. */
const places: readonly (readonly [method: string, rest: string])[] = [
  ...['', '/rows', '/rejects', '/rejects.json', '/rejects.csv', '/original', '/data.csv', '/data.parquet'].map(
    (rest) => ['GET', rest] as const,
  ),
  ...['/data.ndjson', '/parts/0.parquet', '/profile', '/datapackage.json'].map((rest) => ['GET', rest] as const),
  ['DELETE', ''],
  ['POST', '/query'],
  ['POST', '/readings'],
]

const noIds = [
  ...['..', '.', '%2e%2e', '..%2f..', '%2e%2e%2f%2e%2e%2fetc%2fpasswd', '..%5c..', '....//', '%00', `${id}%00`],
  ...[`${id}%2f..%2f${id}`, `${id}%2e`, `${id}%20`, `${id};a`, `..%2fdatasets%2f${id}`, '~root', 'C:', 'CON'],
  ...['__proto__', 'constructor', 'hasOwnProperty', 'toString', "'%20or%201=1--", '%7b%7d', 'a'.repeat(4_000)],
]

for (const noId of noIds) {
  test(`an invalid id finds nothing: ${noId.slice(0, 60)}`, async () => {
    for (const [method, rest] of places) {
      const path = `/qas/datasets/${noId}${rest}`
      const answer = await raw(method, path)
      assert.ok([404, 405].includes(answer.status), `${method} ${path}: ${answer.status}`)
      refusalOf(answer)
    }
  })
}

for (const part of ['-1', '1', '99999999999999999999', '0x0', '00', '%2e%2e', 'receipt.json', 'NaN']) {
  test(`an invalid part is not found: ${part}`, async () => {
    const answer = await raw('GET', `/qas/datasets/${id}/parts/${part}.parquet`)
    assert.ok([400, 404].includes(answer.status), `${answer.status}`)
    refusalOf(answer)
  })
}

const numbers = [
  '1&limit=2',
  '1e9',
  '-1',
  'NaN',
  '9007199254740992',
  'Infinity',
  '1.0',
  '%2b1',
  '1%00',
  '',
  '٣',
  'null',
]
for (const [path, name] of [
  ['/qas/datasets', 'limit'],
  [`/qas/datasets/${id}/rows`, 'limit'],
  [`/qas/datasets/${id}/rows`, 'offset'],
  [`/qas/datasets/${id}/rejects`, 'limit'],
  [`/qas/datasets/${id}/rejects`, 'offset'],
] as const) {
  test(`a number that is invalid or repeated is refused by name: ${name} of ${path.split('/').at(-1)}`, async () => {
    for (const value of numbers.map((one) => one.replace('limit', name))) {
      // The largest valid offset is beyond every row, which is not an error; one more is not a valid number.
      const answer = await raw('GET', `${path}?${name}=${encodeURI(decodeURI(value))}`)
      assert.equal(answer.status, 400, `${name}=${value}: ${answer.body}`)
      assert.match(refusalOf(answer).message, new RegExp(`^Cannot use parameter '${name}'`))
    }
  })
}

test('members named like those of every object are ordinary names', async () => {
  const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf']
  const receipt = await client.upload(`${names.join(',')}\n${names.map((_, i) => `v${i}`).join(',')}\n1,2,3,4,5,6\n`)
  const rows = await client.rows(receipt)
  assert.deepEqual(
    rows.columns.map(({ name }) => name),
    names,
  )
  assert.deepEqual(rows.rows[0], ['v0', 'v1', 'v2', 'v3', 'v4', 'v5'])
  const lines = (await client.get(receipt.links.ndjson)).toString().trim().split('\n')
  for (const name of names) assert.ok(lines[0]!.includes(JSON.stringify(name)), lines[0])
  const [row] = (await client.rows(receipt, '?columns=__proto__')).rows
  assert.deepEqual(row, ['v0'])

  const dialect = JSON.parse('{"__proto__":{"delimiter":";"},"constructor":{"prototype":{"delimiter":";"}}}') as object
  const polluted = await client.send({ content: 'a,b\n1,2\n', dialect })
  assert.ok([200, 400].includes(polluted.status), polluted.body.toString())
  const after = await client.upload('c,d\n1,2\n')
  assert.equal(after.dialect.delimiter, ',')
  assert.equal(after.columns.length, 2)
  for (const body of [
    '{"__proto__":{"sql":"select 1"}}',
    '{"sql":["select 1"]}',
    '{"sql":{"toString":1}}',
    '[]',
    '1',
  ]) {
    const answer = await client.askJson(`/qas/datasets/${id}/query`, Buffer.from(body))
    assert.equal(answer.status, 400, `${body}: ${answer.body}`)
    refusalOf(answer)
  }
})

test('the dataset still exists after all of this', async () => {
  assert.equal(jsonOf<{ id: string }>(await client.ask('GET', `/qas/datasets/${id}`)).id, id)
})

/** Sends a request with exactly this path, without a body unless the method requires one. */
async function raw(method: string, path: string) {
  if (method === 'POST') return client.askJson(path, Buffer.from('{"sql":"select 1"}'))
  return client.ask(method, path)
}
