// Tests of column names that have a meaning in JavaScript: no route loses them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from '../support/client.ts'
import { sharedService } from '../support/shared-service.ts'

const service = await sharedService()
const client = new Client(service.url)

const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'length']
const content = `${names.join()}\n__proto__,2,3,4,5\n__proto__,y,z,w,v\n`
const { links, columns } = await client.upload({ content, dialect: { header: true } })

async function ask(sql: string, accept = 'application/json'): Promise<string> {
  const body = Buffer.from(JSON.stringify({ sql }))
  const headers = { 'content-type': 'application/json', 'content-length': body.length, accept }
  const answer = await client.ask('POST', links.query, body, headers)
  assert.equal(answer.status, 200, answer.body.toString())
  return answer.body.toString()
}

const namesIn = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name)
const json = async (path: string) => JSON.parse((await client.get(path)).toString())
const firstLine = '{"__proto__":"__proto__","constructor":"2","toString":"3","hasOwnProperty":"4","length":"5"}'

test('a column named __proto__ is in the receipt, on pages of rows and in every download', async () => {
  assert.deepEqual(namesIn(columns), names)
  const page = await json(links.rows)
  assert.deepEqual([namesIn(page.columns), page.rows[0]], [names, ['__proto__', '2', '3', '4', '5']])
  assert.deepEqual((await json(`${links.rows}?columns=__proto__`)).rows, [['__proto__'], ['__proto__']])
  assert.equal((await client.get(links.csv)).toString(), content)
  assert.equal((await client.get(links.ndjson)).toString().split('\n')[0], firstLine)
})

test('a column named __proto__ is in the profile and the data package', async () => {
  const { statistics } = await json(links.profile)
  assert.deepEqual(
    statistics.map(({ column_name }: { column_name: string }) => column_name),
    names,
  )
  assert.equal(JSON.stringify(statistics[0].column_statistics.frequencies), '{"__proto__":2}')
  const { resources } = await json(links.dataPackage)
  assert.deepEqual(namesIn(resources[0].schema.fields), names)
})

test('a column or a struct member named __proto__ is in the response to a query', async () => {
  const answer = JSON.parse(await ask('FROM data LIMIT 1'))
  assert.deepEqual([namesIn(answer.columns), answer.rows], [names, [['__proto__', '2', '3', '4', '5']]])
  assert.equal(await ask('FROM data LIMIT 1', 'application/x-ndjson'), `${firstLine}\n`)
  const nested = await ask(`SELECT {'__proto__': 5, 'b': {'__proto__': NULL}} AS s, [{'__proto__': 'x'}] AS l`)
  assert.ok(nested.includes('"rows":[[{"__proto__":5,"b":{"__proto__":null}},[{"__proto__":"x"}]]]'), nested)
})

test('a schema types a column named __proto__', async () => {
  const fields = names.map((name) => ({ name, type: name === 'constructor' ? 'integer' : 'string' }))
  const typed = await client.upload({ content, dialect: { header: true }, schema: { fields } })
  assert.deepEqual([typed.columns[0]?.type, typed.columns[1]?.type, typed.rejects.count], ['text', 'integer', 1])
})
