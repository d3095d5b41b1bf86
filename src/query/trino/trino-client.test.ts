// Tests of the Trino client: pages, faults of the server and the network, cancelling.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FakeTrinoOptions, pageOf, startFakeTrino } from './fake-trino.testing.ts'
import { PageTooLarge, TrinoClient, type TrinoClientOptions, TrinoFailure, TrinoUnreachable } from './trino-client.ts'

const never = new AbortController().signal

async function start(options: FakeTrinoOptions, given: Partial<TrinoClientOptions> = {}) {
  const trino = await startFakeTrino(options)
  const client = new TrinoClient({ url: trino.url, user: 'csv', password: '', session: {}, ...given })
  return { trino, client, [Symbol.asyncDispose]: () => trino[Symbol.asyncDispose]() }
}

const numbers = [{}, pageOf({ n: 'bigint' }, [1], [2]), pageOf({ n: 'bigint' }, [3]), {}]

test('TrinoClient.run() yields the rows of all pages, and does not cancel a finished statement', async () => {
  await using one = await start({ answer: () => numbers })
  assert.deepEqual(await one.client.rows('SELECT 1', never), [[1], [2], [3]])
  assert.deepEqual(one.trino.statements, ['SELECT 1'])
  assert.deepEqual(
    one.trino.requests.map(({ method }) => method),
    ['POST', 'GET', 'GET', 'GET'],
  )
})

test('TrinoClient sends its user, a catalog that does not exist, and the password only if there is one', async () => {
  const session = { 'hive.a': 'x y,=', b: '1' }
  await using one = await start({ answer: () => numbers }, { session, password: 'secret:ü' })
  await one.client.rows('SELECT 1', never)
  const { headers } = one.trino.requests.at(-1)!
  assert.equal(headers['x-trino-user'], 'csv')
  assert.equal(headers['x-trino-catalog'], 'csv_upload_none')
  assert.equal(headers['x-trino-time-zone'], 'UTC')
  assert.equal(headers['x-trino-session'], 'hive.a=x%20y%2C%3D,b=1')
  assert.equal(headers.authorization, `Basic ${Buffer.from('csv:secret:ü').toString('base64')}`)
  await using other = await start({ answer: () => numbers })
  await other.client.rows('SELECT 1', never)
  assert.equal(other.trino.requests[0]?.headers.authorization, undefined)
})

test('TrinoClient.run() retries after 429, 502, 503, 504, and broken connections', async () => {
  for (const faults of [
    [429, 502],
    [503, 504],
    [0, 1],
  ]) {
    for (const onlyMethod of ['POST', 'GET']) {
      let met = 0
      const fault: FakeTrinoOptions['fault'] = ({ method }, response) => {
        const status = method === onlyMethod ? faults[met++] : undefined
        if (status === undefined) return false
        if (status > 1) response.writeHead(status).end('busy')
        else if (status === 0) response.destroy()
        else response.writeHead(200, { 'content-length': 100 }).write('{"id":', () => response.destroy())
        return true
      }
      await using one = await start({ answer: () => numbers, fault }, { retryMsMax: 60_000 })
      assert.deepEqual(await one.client.rows('SELECT 1', never), [[1], [2], [3]], onlyMethod)
      assert.ok(met > faults.length)
    }
  }
})

test('TrinoClient.run() gives up in the end, and at once if a retry would change nothing', async () => {
  for (const [status, retryMsMax, tries] of [
    [503, 0, 1],
    [401, 60_000, 1],
    [404, 60_000, 1],
    [302, 60_000, 1],
  ] as const) {
    const fault: FakeTrinoOptions['fault'] = (_, response) => {
      response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end()
      return true
    }
    await using one = await start({ answer: () => numbers, fault }, { retryMsMax })
    await assert.rejects(one.client.rows('SELECT 1', never), new TrinoUnreachable(`Trino answers ${status}`))
    assert.equal(one.trino.requests.length, tries)
  }
  const gone = new TrinoClient({ url: 'http://127.0.0.1:1', user: 'csv', password: '', session: {}, retryMsMax: 0 })
  await assert.rejects(gone.rows('SELECT 1', never), TrinoUnreachable)
})

test('TrinoClient.run() refuses malformed pages, and cancels the statement', async () => {
  const bodies = [
    '',
    'no JSON',
    '[]',
    '{"data":1}',
    '{"data":[1]}',
    '{"columns":[{}]}',
    '{"error":{}}',
    '{"nextUri":1}',
    '{"nextUri":"/v1/statement/executing/0/9"}',
    '{"nextUri":"http://127.0.0.1/v1/query"}',
    '{"nextUri":"http://127.0.0.1/v1/statement/../query"}',
  ]
  for (const body of bodies) {
    const fault: FakeTrinoOptions['fault'] = ({ method }, response) => {
      if (method === 'GET') response.end(body)
      return method === 'GET'
    }
    await using one = await start({ answer: () => numbers, fault })
    await assert.rejects(one.client.rows('SELECT 1', never), TrinoUnreachable, body)
    assert.equal(one.trino.cancelled, 1, body)
  }
})

test('TrinoClient.run() requests next pages from its own server only', async () => {
  const nextUri = (path: string) => path.replace(/^http:\/\/[^/]+/, 'https://user@elsewhere.example:9')
  await using one = await start({ answer: () => numbers, nextUri })
  assert.deepEqual(await one.client.rows('SELECT 1', never), [[1], [2], [3]])
})

test('TrinoClient.run() rejects a page beyond its limit, and cancels the statement', async () => {
  const answer = () => [{}, pageOf({ t: 'varchar' }, ['x'.repeat(10_000)]), {}]
  await using one = await start({ answer }, { pageBytesMax: 9_999 })
  await assert.rejects(one.client.rows('SELECT 1', never), PageTooLarge)
  assert.equal(one.trino.cancelled, 1)
})

test('TrinoClient.run() ends with its signal while Trino hangs, and cancels the statement', async () => {
  const controller = new AbortController()
  const reason = new Error('gone')
  const fault: FakeTrinoOptions['fault'] = ({ method }) => {
    if (method === 'GET') controller.abort(reason)
    return method === 'GET'
  }
  await using one = await start({ answer: () => numbers, fault })
  await assert.rejects(one.client.rows('SELECT 1', controller.signal), reason)
  assert.equal(one.trino.cancelled, 1)
})

test('TrinoClient.run() cancels a statement that is not read to its end', async () => {
  await using one = await start({ answer: () => numbers })
  for await (const { rows } of one.client.run('SELECT 1', never)) if (rows.length > 0) break
  assert.equal(one.trino.cancelled, 1)
})

test("TrinoClient.run() keeps every digit of long integers, and reports Trino's own errors", async () => {
  const failed = { error: { errorName: 'SYNTAX_ERROR', errorType: 'USER_ERROR', message: 'line 1:2: no' } }
  await using one = await start({ answer: () => [failed] })
  await assert.rejects(one.client.rows('SELECT', never), (error) => {
    assert.ok(error instanceof TrinoFailure)
    assert.deepEqual(error.failure, { name: 'SYNTAX_ERROR', kind: 'USER_ERROR', message: 'line 1:2: no', place: null })
    return true
  })
  const text = `{"id":"0","columns":null,"data":[[9223372036854775807,-9007199254740993,1e300,1.5,"12345678901234567890"]]}`
  const fault: FakeTrinoOptions['fault'] = (_, response) => {
    response.end(text)
    return true
  }
  await using other = await start({ answer: () => [], fault })
  const rows = await other.client.rows('SELECT', never)
  assert.deepEqual(rows, [['9223372036854775807', '-9007199254740993', 1e300, 1.5, '12345678901234567890']])
})
