// Tests of S3 objects with a fake server: what no real server does on request.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { S3Objects } from './s3-objects.ts'

/** A server that fails to delete keys as often as told, with a code; `asked` has the keys of each request. */
async function failing(t: TestContext, code: string, times: Record<string, number>) {
  const asked: string[][] = []
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request)).toString()
    const keys = [...body.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => key)
    asked.push(keys)
    const failed = keys.filter((key) => (times[key] ?? 0) > 0)
    for (const key of failed) times[key] = (times[key] ?? 0) - 1
    const errors = failed.map((key) => `<Error><Key>${key}</Key><Code>${code}</Code></Error>`)
    response.writeHead(200, { 'content-type': 'application/xml', date: new Date(0).toUTCString() })
    response.end(`<DeleteResult>${errors.join('')}</DeleteResult>`)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const before = process.env
  process.env = { ...before, AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test-secret' }
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const objects = new S3Objects({ endpoint, bucket: 'any', prefix: 'p/', pathStyle: true, region: null })
  t.after(() => {
    process.env = before
    objects.close()
    server.closeAllConnections()
    server.close()
  })
  return { objects, asked }
}

test('S3Objects.delete() asks once more for keys with an internal error, and only for these', async (t) => {
  const { objects, asked } = await failing(t, 'InternalError', { 'p/b': 1, 'p/c': 1 })
  await objects.delete(['a', 'b', 'c'])
  assert.deepEqual(asked, [
    ['p/a', 'p/b', 'p/c'],
    ['p/b', 'p/c'],
  ])
})

test('S3Objects.delete() fails if a key has an internal error twice', async (t) => {
  const { objects, asked } = await failing(t, 'InternalError', { 'p/b': 2 })
  await assert.rejects(objects.delete(['a', 'b']), { code: 'STORE_FAILED' })
  assert.deepEqual(asked, [['p/a', 'p/b'], ['p/b']])
})

test('S3Objects.delete() fails immediately on any other error of a key', async (t) => {
  const { objects, asked } = await failing(t, 'AccessDenied', { 'p/a': 1 })
  await assert.rejects(objects.delete(['a', 'b']), { code: 'STORE_FAILED' })
  assert.equal(asked.length, 1)
})

test('S3Objects.now() is the time of the server', async (t) => {
  const { objects } = await failing(t, '', {})
  assert.ok(Math.abs(objects.now() - Date.now()) < 1_000)
  await objects.delete(['a'])
  assert.ok(objects.now() < 60_000, 'the server says that it is 1970')
})
