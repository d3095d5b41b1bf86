// Tests of access: with keys, every caller must authenticate, sees only their own datasets, and has limits.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { type Scope, scopes } from '../../src/access/access.ts'
import { formatKeys, newKey, parseKeys } from '../../src/access/api-keys.ts'
import { exitCodes } from '../../src/cli/exit-codes.ts'
import { findCommand } from '../../src/engine/sandbox/spawn-child.ts'
import { bodyOf, Client, jsonOf, refusalOf, type UploadResponse } from '../support/client.ts'
import { runCommand } from '../support/command.ts'
import { RunningService, scratchDir } from '../support/running-service.ts'
import { sharedService } from '../support/shared-service.ts'
import { until } from '../support/until.ts'

const keyOf = (owner: string, allowed: readonly Scope[] = scopes) =>
  newKey({ name: `key of ${owner} for ${allowed.join(' and ')}`, owner, scopes: allowed })

/** A service, and clients for several pairs of owners: each test takes a pair without datasets. */
async function start(flags: readonly string[] = [], pairCount = 1) {
  const scratch = await scratchDir()
  const pairs = Array.from({ length: pairCount }, (_, index) => ({
    anna: keyOf(`anna ${index}`),
    bob: keyOf(`bob ${index}`),
    reader: keyOf(`anna ${index}`, ['read']),
  }))
  const file = join(scratch.path, 'keys.json')
  await writeFile(file, formatKeys(pairs.flatMap(({ anna, bob, reader }) => [anna.key, bob.key, reader.key])))
  const service = await RunningService.start(join(scratch.path, 'data'), ['--keys', file, ...flags])
  const as = (secret?: string) =>
    new Client(service.url, secret === undefined ? {} : { authorization: `Bearer ${secret}` })
  const clients = pairs.map(({ anna, bob, reader }) => ({
    anna: as(anna.secret),
    bob: as(bob.secret),
    reader: as(reader.secret),
  }))
  return {
    url: service.url,
    keys: pairs[0]!,
    clients,
    ...clients[0]!,
    as,
    nobody: as(),
    wrong: as(`${pairs[0]!.anna.secret}x`),
    [Symbol.asyncDispose]: async () => {
      await service[Symbol.asyncDispose]()
      await scratch[Symbol.asyncDispose]()
    },
  }
}

const shared = await start([], 3)
after(() => shared[Symbol.asyncDispose]())
const limited = await start(['--quota-size', '4KB', '--quota-datasets', '2'])
after(() => limited[Symbol.asyncDispose]())
const open = await sharedService()

const program = join(import.meta.dirname, '..', '..', 'src', 'bin', 'csv-upload.ts')
const run = (...args: readonly string[]) => spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' })

test('csv-upload key new makes keys that the service accepts, and prints each secret once', async () => {
  await using scratch = await scratchDir()
  const file = join(scratch.path, 'keys.json')
  const make = (owner: string) => run('key', 'new', '--name', `ci of ${owner}`, '--owner', owner, '--file', file)
  const [first, second] = [make('anna'), make('bob')]
  for (const made of [first, second]) assert.match(made.stdout, /^csvu_[\w-]{43}\n$/, made.stderr)
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  const kept = await readFile(file, 'utf8')
  assert.ok(!kept.includes('csvu_'))
  assert.deepEqual(
    parseKeys(kept).map(({ owner }) => owner),
    ['anna', 'bob'],
  )
  await using service = await RunningService.start(join(scratch.path, 'data'), ['--keys', file])
  for (const { stdout } of [first, second]) {
    await new Client(service.url, { authorization: `Bearer ${stdout.trim()}` }).upload('a\n1\n')
  }
  const printed = run('key', 'new', '--name', 'ci', '--owner', 'anna', '--file', '-')
  assert.deepEqual(
    parseKeys(printed.stdout).map(({ name }) => name),
    ['ci'],
  )
  assert.match(printed.stderr, /^csvu_[\w-]{43}\n$/)
  for (const args of [
    [],
    ['new'],
    ['new', '--name', 'a', '--owner', 'b', '--scopes', 'admin'],
    ['new', '--name', 'a', '--owner', '\n'],
  ]) {
    assert.notEqual(run('key', ...args).status, 0, args.join(' '))
  }
})

const prlimit = findCommand('prlimit')

test('csv-upload key leaves the keys as they are if they cannot be written whole', {
  skip: prlimit === undefined ? 'prlimit is not here' : false,
}, async () => {
  await using scratch = await scratchDir()
  const file = join(scratch.path, 'keys.json')
  const make = (name: string) => ['key', 'new', '--name', name, '--owner', 'anna', '--file', file]
  assert.equal(run(...make('first')).status, 0)
  const before = await readFile(file, 'utf8')
  // As on a disk that is full after these bytes. Without a cache of compiled code, which would be limited too.
  const limited = [`--fsize=${before.length + 20}`, process.execPath, program, ...make('second')]
  const { status } = spawnSync(prlimit ?? '', limited, { env: { PATH: process.env.PATH } })
  assert.notEqual(status, 0)
  assert.equal(await readFile(file, 'utf8'), before)
  assert.deepEqual(await readdir(scratch.path), ['keys.json'])
})

test('csv-upload key: a running service adds and removes keys, and SIGHUP does not end it', async () => {
  await using scratch = await scratchDir()
  const file = join(scratch.path, 'keys.json')
  const make = (name: string) => run('key', 'new', '--name', name, '--owner', 'anna', '--file', file)
  const [first] = [make('first')]
  await using service = await RunningService.start(join(scratch.path, 'data'), ['--keys', file])
  const statusOf = async (secret: string) =>
    (await fetch(`${service.url}/qas/datasets`, { headers: { authorization: `Bearer ${secret.trim()}` } })).status
  // So many wrong keys from one address get 429 instead of 401: only whether a key is accepted matters here.
  const becomes = (secret: string, isLetIn: boolean) =>
    until(`a key is ${isLetIn ? '' : 'not '}accepted`, async () => ((await statusOf(secret)) === 200) === isLetIn)
  await becomes(first.stdout, true)
  assert.notEqual(make('first').status, 0, 'two keys have the same name')
  const second = make('second')
  await becomes(second.stdout, true)
  assert.match(run('key', 'list', '--file', file).stdout, /^name +owner.*first +anna.*second +anna/s)
  const listed = run('key', 'list', '--file', file, '--json').stdout
  assert.ok(!/sha256|csvu_/.test(listed), listed)
  assert.equal(run('key', 'revoke', '--name', 'first', '--file', file).stdout, 'Revoked first.\n')
  service.kill('SIGHUP')
  await becomes(first.stdout, false)
  await becomes(second.stdout, true)
  assert.notEqual(run('key', 'revoke', '--name', 'first', '--file', file).status, 0)
  assert.notEqual(run('key', 'revoke', '--file', file).status, 0)
  assert.notEqual(run('key', 'list').status, 0)
})

test('SIGHUP does not end a service without keys either', async () => {
  for (let count = 0; count < 3; count += 1) {
    open.kill('SIGHUP')
    assert.equal((await fetch(`${open.url}/healthz`)).status, 200)
  }
})

test('without a key only health and the description respond, and a refusal does not wait for the body', async () => {
  for (const client of [shared.nobody, shared.wrong]) {
    for (const path of ['/qas/datasets', `/qas/datasets/${'0'.repeat(32)}`, '/metrics']) {
      const refusal = refusalOf(await client.ask('GET', path))
      assert.equal(refusal.status, 401)
      assert.equal(refusal.exception, 'csvupload.UnauthorizedException')
    }
    const answer = await client.send({ content: 'a,b\n1,2\n' })
    assert.equal(answer.status, 401)
    assert.match(String(answer.headers['www-authenticate']), /^Bearer/)
  }
  for (const path of ['/healthz', '/readyz', '/openapi.json', '/docs']) await shared.nobody.get(path)
  assert.equal((await shared.nobody.ask('GET', '/nowhere')).status, 404)
})

/** The response of `GET /qas/caller`. */
interface Shown {
  readonly name: string | null
  readonly owner: string | null
  readonly scopes: readonly string[]
  readonly expiresAt: number | null
  readonly bytes: { readonly used: number; readonly max: number | null }
  readonly datasets: { readonly used: number; readonly max: number | null }
  readonly limits: object
}

test('a key and a token show their scopes, their expiry, and the usage and quota of their owner', async () => {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const set = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), alg: 'ES256' }] })
  const limits = ['--quota-size', '4MB', '--quota-datasets', '7', '--requests-per-minute', '90', '--keep-for', '1d']
  const flags = [...limits, '--max-file-size', '1MB', '--jwt-keys', set, '--jwt-issuer', 'https://login.example']
  await using service = await start(flags)
  const shown = async (client: Client) => jsonOf<Shown>(await client.ask('GET', '/qas/caller'))
  const nothing = await shown(service.anna)
  assert.deepEqual(nothing, {
    name: 'key of anna 0 for upload and read and delete',
    owner: 'anna 0',
    scopes: ['upload', 'read', 'delete'],
    expiresAt: null,
    expires: null,
    bytes: { used: 0, max: 4_194_304 },
    datasets: { used: 0, max: 7 },
    trash: { datasets: 0, bytes: 0, keepMs: 7 * 86_400_000 },
    limits: {
      fileBytesMax: 1_048_576,
      requestBytesMax: 1_048_576_000,
      uploadsMax: 64,
      requestsPerMinuteMax: 90,
      keepMs: 86_400_000,
    },
  })
  const { file, parts } = await service.anna.upload('id,name\n1,Anna\n')
  const { scopes, bytes, datasets } = await shown(service.reader)
  const stored = parts.reduce((sum, part) => sum + part.bytes, file.bytes)
  assert.deepEqual([scopes, bytes.used, datasets.used], [['read'], stored, 1])
  assert.equal((await shown(service.bob)).bytes.used, 0)

  const expiresAt = (Math.floor(Date.now() / 1_000) + 300) * 1_000
  const token = (scope: string) =>
    new SignJWT({ scope })
      .setProtectedHeader({ alg: 'ES256' })
      .setIssuer('https://login.example')
      .setAudience('csv-upload')
      .setSubject('eve')
      .setExpirationTime(expiresAt / 1_000)
      .sign(privateKey)
  for (const [scope, allowed] of [
    ['read', ['read']],
    // A token without scopes may still query its scopes.
    ['openid', []],
  ] as const) {
    const eve = await shown(service.as(await token(scope)))
    const { name, owner, scopes, expiresAt: until, datasets } = eve
    assert.deepEqual([name, owner, scopes, until, datasets.used], ['token of eve', 'token:eve', allowed, expiresAt, 0])
  }
  for (const client of [service.nobody, service.wrong]) {
    assert.equal((await client.ask('GET', '/qas/caller')).status, 401)
  }
})

test('doctor reports a key that does not allow uploads', async () => {
  const doctor = async (secret: string) => {
    const environment = { CSV_UPLOAD_URL: shared.url, CSV_UPLOAD_KEY: secret }
    const { code, stdout } = await runCommand(['doctor', '--json'], { environment })
    const { checks } = JSON.parse(stdout) as { readonly checks: readonly { readonly check: string; ok: boolean }[] }
    return [code, checks.filter(({ ok }) => !ok).map(({ check }) => check)]
  }
  const { anna, reader } = shared.keys
  assert.deepEqual(await doctor(anna.secret), [exitCodes.ok, []])
  for (const secret of [reader.secret, `${reader.secret}x`]) {
    assert.deepEqual(await doctor(secret), [exitCodes.refusedKey, ['key']])
  }
})

test('without keys, callers have no name and may do everything', async () => {
  const answer = await new Client(open.url).ask('GET', '/qas/caller')
  const { name, owner, scopes, expiresAt, bytes, datasets } = jsonOf<Shown>(answer)
  assert.deepEqual([name, owner, scopes, expiresAt], [null, null, ['upload', 'read', 'delete'], null])
  assert.deepEqual([bytes.max, datasets.max], [null, null])
  assert.equal(answer.headers['cache-control'], 'no-store')
})

test('the same file from two owners gives two datasets, and deleting one leaves the other', async () => {
  const { anna, bob } = shared.clients[1]!
  const [hers, his] = [await anna.upload('a,b\n1,2\n'), await bob.upload('a,b\n1,2\n')]
  assert.notEqual(hers.id, his.id)
  assert.equal(his.duplicate, false)
  assert.equal((await anna.upload('a,b\n1,2\n')).duplicate, true)
  assert.equal((await anna.ask('DELETE', hers.links.self)).status, 204)
  assert.deepEqual(await bob.datasetIds(), [his.id])
})

test('a quota applies to each owner, by declared and by actual size', async () => {
  const large = `a,b\n${'1,2\n'.repeat(1_500)}`
  assert.equal(refusalOf(await limited.anna.send({ content: large })).status, 507)
  const chunked = refusalOf(await limited.anna.askInChunks('/qas/uploadCsv', bodyOf({ content: large })))
  assert.equal(chunked.exception, 'csvupload.QuotaExceededException')
  assert.deepEqual(await limited.anna.datasetIds(), [])
  for (const content of ['a\n1\n', 'a\n2\n']) await limited.anna.upload(content)
  assert.equal(refusalOf(await limited.anna.send({ content: 'a\n3\n' })).status, 507)
  const his = await limited.bob.upload('a\n1\n')
  assert.equal((await limited.bob.ask('DELETE', his.links.self)).status, 204)
})

test('one request too many within a minute gets 429, and other callers do not', async () => {
  await using service = await start(['--requests-per-minute', '5'])
  for (let i = 0; i < 5; i++) await service.anna.get('/qas/datasets')
  const answer = await service.anna.ask('GET', '/qas/datasets')
  assert.equal(refusalOf(answer).status, 429)
  assert.equal(answer.headers['retry-after'], '60')
  await service.bob.get('/qas/datasets')
})

test('guessing keys gets 429, and a valid key is still accepted', async () => {
  const statuses: number[] = []
  for (let i = 0; i < 35; i++) statuses.push((await limited.wrong.ask('GET', '/qas/datasets')).status)
  assert.deepEqual([...new Set(statuses)], [401, 429])
  await limited.anna.get('/qas/datasets')
})

test('a dataset older than --keep-for is deleted', async () => {
  await using service = await start(['--keep-for', '1s'])
  const answer = await service.anna.send({ content: 'a,b\n1,2\n' })
  const { links } = jsonOf<UploadResponse>(answer)
  await until('it is deleted', async () => (await service.anna.ask('GET', links.self)).status === 404)
  assert.deepEqual(await service.anna.datasetIds(), [])
})
