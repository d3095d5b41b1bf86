// Tests of a start on a bucket: every call is tried, one that fails is named, and a bucket that is away is waited for.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { S3Objects } from '../../src/store/s3/s3-objects.ts'
import { probeBucket } from '../../src/store/s3/s3-probe.ts'
import { freePort } from '../support/free-port.ts'
import { scratchDir } from '../support/running-service.ts'
import { S3Proxy } from '../support/s3-proxy.ts'
import { noS3Server, startS3Server } from '../support/s3-server.ts'
import { until } from '../support/until.ts'

const root = join(import.meta.dirname, '../..')
const source = readFileSync(join(root, 'src/store/s3/s3-objects.ts'), 'utf8')
/** Every call that the store makes: the commands that its one user of the SDK imports. */
const calls = new Set([...source.matchAll(/\b(\w+?)(?:V2)?Command,$/gm)].map(([, name]) => name!))

/** What each call needs, by the documentation of AWS. */
const actions: Readonly<Record<string, string>> = {
  PutObject: 's3:PutObject',
  GetObject: 's3:GetObject',
  HeadObject: 's3:GetObject',
  DeleteObject: 's3:DeleteObject',
  DeleteObjects: 's3:DeleteObject',
  ListObjects: 's3:ListBucket',
  ListMultipartUploads: 's3:ListBucketMultipartUploads',
  CreateMultipartUpload: 's3:PutObject',
  UploadPart: 's3:PutObject',
  CompleteMultipartUpload: 's3:PutObject',
  AbortMultipartUpload: 's3:AbortMultipartUpload',
}
const ofBucket = ['s3:ListBucket', 's3:ListBucketMultipartUploads']

test('docs/operations.md has the least policy: what the calls of the store need, and nothing else', () => {
  const page = readFileSync(join(root, 'docs/operations.md'), 'utf8')
  const [, json = ''] = /```json\n(\{\n {2}"Version"[\s\S]*?)```/.exec(page) ?? []
  const { Statement } = JSON.parse(json) as { Statement: { Effect: string; Action: string[]; Resource: string }[] }
  assert.deepEqual([...calls].toSorted(), Object.keys(actions).toSorted())
  const needed = [...new Set([...calls].map((call) => actions[call]!))].toSorted()
  assert.deepEqual(Statement.flatMap(({ Action }) => Action).toSorted(), needed)
  for (const { Effect, Action, Resource } of Statement) {
    assert.equal(Effect, 'Allow')
    for (const action of Action) assert.equal(ofBucket.includes(action), !Resource.includes('/'), action)
  }
})

if (noS3Server !== undefined) test('a start on a bucket', { skip: noS3Server }, () => {})
else {
  const place = async () => {
    const stack = new AsyncDisposableStack()
    const server = stack.use(await startS3Server())
    const proxy = stack.use(await S3Proxy.to(server.endpoint))
    const { bucket } = server
    const options = { endpoint: proxy.endpoint, bucket, prefix: `${randomUUID()}/`, pathStyle: true, region: null }
    const objects = stack.adopt(new S3Objects(options), (one) => one.close())
    return { server, proxy, objects, [Symbol.asyncDispose]: () => stack.disposeAsync() }
  }

  test('probeBucket() makes every call of the store, leaves nothing, and names the one that is denied', async () => {
    await using here = await place()
    const { proxy, objects } = here
    await probeBucket(objects)
    assert.deepEqual(new Set(proxy.carried.map(({ call }) => call)), calls)
    assert.deepEqual(await Array.fromAsync(objects.list('')), [])
    for (const denied of calls) {
      proxy.fate = (call) => (call === denied ? 'denied' : 'carried')
      await assert.rejects(probeBucket(objects), (error: Error) => {
        assert.match(error.message, new RegExp(`: ${denied}(V2)? fails$`))
        return true
      })
    }
    proxy.fate = () => 'carried'
  })

  test('probeBucket() fails on a server whose lists are late, or that ignores ranges', async (t) => {
    await using here = await place()
    const { objects } = here
    const list = t.mock.method(objects, 'list', async function* () {})
    await assert.rejects(probeBucket(objects), /a list does not show an object/)
    list.mock.restore()
    t.mock.method(objects, 'read', async () => [Buffer.from('changed')])
    await assert.rejects(probeBucket(objects), /does not return the range/)
  })

  const start = async (port: number, endpoint: string, bucket: string, dataDir: string, environment = {}) => {
    const program = join(root, 'src/bin/csv-upload.ts')
    const store = ['--store', `s3://${bucket}/start`, '--s3-endpoint', endpoint, '--s3-path-style', 'yes']
    const args = [program, 'serve', '--port', `${port}`, '--data', dataDir, '--converters', '1', ...store]
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...args, '--log-format', 'json'], {
      env: { ...process.env, ...environment },
    })
    const said = { log: '', errors: '', status: async (path: string) => statusOf(`http://127.0.0.1:${port}${path}`) }
    child.stdout.setEncoding('utf8').on('data', (text) => (said.log += text))
    child.stderr.setEncoding('utf8').on('data', (text) => (said.errors += text))
    const ended = once(child, 'exit')
    return Object.assign(said, {
      child,
      ended,
      [Symbol.asyncDispose]: async () => {
        child.kill('SIGKILL')
        await ended
      },
    })
  }

  test('while its bucket is away at the start, a service lives, is not ready, and starts once it is there', async () => {
    await using here = await place()
    const { server } = here
    await using scratch = await scratchDir()
    await server.kill()
    await using service = await start(await freePort(), server.endpoint, server.bucket, scratch.path)
    await until('it lives', async () => (await service.status('/healthz')) === 200)
    assert.equal(await service.status('/readyz'), 503)
    assert.equal(await service.status('/qas/datasets'), 503)
    await until('it has waited', () => service.log.split('tried again until it does').length > 2)
    assert.equal(service.child.exitCode, null)
    await server.start()
    await until('it is ready', async () => (await service.status('/readyz')) === 200)
    assert.equal(await service.status('/qas/datasets'), 200)
  })

  test('a service that waits for its bucket ends with 0 on a stop signal', async () => {
    await using scratch = await scratchDir()
    await using service = await start(await freePort(), `http://127.0.0.1:${await freePort()}`, 'none', scratch.path)
    await until('it lives', async () => (await service.status('/healthz')) === 200)
    service.child.kill('SIGTERM')
    assert.deepEqual(await service.ended, [0, null])
  })

  test('a denied call, and no credentials, end the start with a line that says so', async () => {
    await using here = await place()
    const { server, proxy } = here
    await using scratch = await scratchDir()
    proxy.fate = (call) => (call === 'DeleteObjects' ? 'denied' : 'carried')
    await using denied = await start(await freePort(), proxy.endpoint, server.bucket, scratch.path)
    assert.deepEqual(await denied.ended, [1, null])
    assert.match(denied.errors, /DeleteObjects fails \(Access Denied\)/)
    proxy.fate = () => 'carried'
    const none = {
      AWS_ACCESS_KEY_ID: '',
      AWS_SECRET_ACCESS_KEY: '',
      AWS_EC2_METADATA_DISABLED: 'true',
      HOME: scratch.path,
    }
    await using anonymous = await start(await freePort(), proxy.endpoint, server.bucket, scratch.path, none)
    assert.deepEqual(await anonymous.ended, [1, null])
    assert.match(anonymous.errors, /signing fails \(Could not load credentials/)
  })

  test('refused requests are counted, and logged once for many', async () => {
    await using here = await place()
    const { server, proxy } = here
    await using scratch = await scratchDir()
    await using service = await start(await freePort(), proxy.endpoint, server.bucket, scratch.path)
    await until('it listens', () => /Listening on/.test(service.errors))
    const [url = ''] = /http:\S+/.exec(service.errors) ?? []
    const figures = async () => (await fetch(`${url}/metrics`)).text()
    const figure = (text: string, name: string) =>
      Number(new RegExp(`^csv_upload_${name} (\\S+)$`, 'm').exec(text)?.[1] ?? 0)
    const before = await figures()
    let refusals = 0
    proxy.fate = (call) => (call === 'PutObject' && refusals++ < 3 ? 'failed' : 'carried')
    const form = new FormData()
    form.append('file', new Blob(['a,b\n1,2\n']), 'a.csv')
    assert.equal((await fetch(`${url}/qas/uploadCsv`, { method: 'POST', body: form })).status, 200)
    let after = ''
    const grown = (name: string) => figure(after, name) - figure(before, name)
    await until('each refused request has been repeated and counted', async () => {
      after = await figures()
      return grown('s3_retries_total{operation="PutObject"}') === 3
    })
    assert.equal(grown('s3_requests_total{operation="PutObject",status="503"}'), 3)
    assert.ok(grown('s3_bytes_total{operation="PutObject",direction="sent"}') > 8)
    assert.equal(grown('s3_bytes_total{operation="HeadObject",direction="received"}'), 0)
    assert.ok(grown('s3_request_seconds_count{operation="PutObject"}') > 3)
    const lines = service.log.split('\n').filter((line) => line.includes('refuses requests'))
    assert.equal(lines.length, 1)
    assert.deepEqual(Object.values(JSON.parse(lines[0]!)).includes('PutObject'), true)
  })
}

/** 0 if it does not listen. */
function statusOf(url: string): Promise<number> {
  return fetch(url).then(
    ({ status }) => status,
    () => 0,
  )
}
