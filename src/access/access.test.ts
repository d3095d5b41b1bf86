// Tests of access: which keys and tokens are accepted, and what is stored of a key.
import assert from 'node:assert/strict'
import crypto from 'node:crypto'
import { createServer } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { isServiceError } from '../core/errors.ts'
import { type Access, openAccess, type Scope } from './access.ts'
import { formatKeys, type Key, KeyRing, newKey, parseKeys } from './api-keys.ts'
import { createAccess } from './configured-access.ts'

const facts = { name: 'ci', owner: 'team a', scopes: ['upload', 'read'] as const }

async function isRefused(access: Access, authorization: string | undefined): Promise<boolean> {
  try {
    await access.identify(authorization)
    return false
  } catch (error) {
    assert.ok(isServiceError(error, 'UNAUTHORIZED'), String(error))
    return true
  }
}

test('newKey() makes a secret that does not appear in what is stored', () => {
  const { secret, key } = newKey(facts)
  assert.match(secret, /^csvu_[\w-]{43}$/)
  assert.ok(!JSON.stringify(key).includes(secret.slice(5)))
  assert.notEqual(newKey(facts).secret, secret)
})

test('parseKeys() reads what formatKeys() writes', () => {
  const keys = [newKey(facts).key, { ...newKey({ ...facts, name: 'b' }).key, expires: '2030-01-01T00:00:00Z' }]
  assert.deepEqual(parseKeys(formatKeys(keys)), keys)
})

test('parseKeys() reports a mistake and its position', () => {
  const key = newKey(facts).key
  const rows: readonly (readonly [unknown, RegExp])[] = [
    ['{', /expected JSON$/],
    [[], /a list "keys"/],
    [{ keys: {} }, /a list "keys"/],
    [{ keys: [key, 1] }, /keys\[1\]: expected an object/],
    [{ keys: [{ ...key, sha256: 'AB' }] }, /keys\[0\]\.sha256: expected 64/],
    [{ keys: [{ ...key, scopes: ['admin'] }] }, /keys\[0\]\.scopes/],
    [{ keys: [{ ...key, scopes: [] }] }, /keys\[0\]\.scopes/],
    [{ keys: [{ ...key, owner: '' }] }, /keys\[0\]\.owner/],
    [{ keys: [{ ...key, name: 'a\nb' }] }, /keys\[0\]\.name/],
    [{ keys: [{ ...key, expires: '2030-13-45' }] }, /keys\[0\]\.expires/],
    [{ keys: [{ ...key, owner: 'token:anna' }] }, /keys\[0\]\.owner: .* does not begin with token:/],
    [
      { keys: [key, newKey({ ...facts, name: 'b' }).key, newKey(facts).key] },
      /keys\[2\]\.name: keys\[0\] has the same name/,
    ],
    [{ keys: [{ ...key, secret: 'x' }] }, /keys\[0\]\.secret: there is no such member/],
  ]
  for (const [content, message] of rows) {
    assert.throws(() => parseKeys(typeof content === 'string' ? content : JSON.stringify(content)), message)
  }
})

test('KeyRing finds the caller by the secret only', () => {
  const [a, b] = [newKey(facts), newKey({ ...facts, owner: 'team b' })]
  const expired = newKey({ ...facts, expires: '2020-01-01T00:00:00Z' })
  const ring = new KeyRing([a.key, b.key, expired.key])
  assert.equal(ring.find(a.secret)?.owner, 'team a')
  assert.equal(ring.find(b.secret)?.owner, 'team b')
  for (const secret of [expired.secret, '', a.secret.slice(0, -1), `${a.secret} `, a.key.sha256]) {
    assert.equal(ring.find(secret), null)
  }
})

test('KeyRing compares a secret with every key in constant time, whichever key matches', (t) => {
  const made = Array.from({ length: 20 }, () => newKey(facts))
  const ring = new KeyRing(made.map(({ key }) => key))
  const compare = t.mock.method(crypto, 'timingSafeEqual')
  syncBuiltinESMExports()
  t.after(() => {
    compare.mock.restore()
    syncBuiltinESMExports()
  })
  const secrets = [made[0]!.secret, made[10]!.secret, made[19]!.secret, '', 'x', 'x'.repeat(100_000)]
  for (const secret of secrets) {
    ring.find(secret)
    assert.equal(compare.mock.callCount(), made.length)
    // Digests, so that neither the length nor a common prefix reveals anything.
    for (const { arguments: compared } of compare.mock.calls) {
      assert.deepEqual(
        compared.map(({ byteLength }) => byteLength),
        [32, 32],
      )
    }
    compare.mock.resetCalls()
  }
})

test('createAccess() accepts a key as a bearer token, with the scheme in any case', async () => {
  const { secret, key } = newKey(facts)
  const access = createAccess({ keys: [key], tokens: null })
  for (const scheme of ['Bearer', 'bearer', 'BEARER ']) {
    assert.equal((await access.identify(`${scheme} ${secret}`)).name, 'ci')
  }
  for (const wrong of [
    undefined,
    '',
    'Bearer',
    `Basic ${secret}`,
    secret,
    `Bearer ${secret}, Bearer x`,
    'Bearer a b',
  ]) {
    assert.equal(await isRefused(access, wrong), true, wrong)
  }
})

test('openAccess requires no authentication', async () => {
  assert.deepEqual([...(await openAccess.identify(undefined)).scopes], ['upload', 'read', 'delete'])
})

const issuer = 'https://login.example.org'
const audience = 'csv'

interface TokenFacts {
  readonly alg?: string
  readonly claims?: Readonly<Record<string, unknown>>
  readonly subject?: string
  readonly issuer?: string
  readonly audience?: string
  /** Null for no end. */
  readonly expires?: string | null
}

async function issuerOf() {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const keySet = { keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' }] }
  const token = (facts: TokenFacts = {}) => {
    const unsigned = new SignJWT({ scope: 'read upload', ...facts.claims })
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .setIssuer(facts.issuer ?? issuer)
      .setAudience(facts.audience ?? audience)
    if (facts.expires !== null) unsigned.setExpirationTime(facts.expires ?? '5m')
    if (facts.claims?.sub === undefined && facts.subject !== '') unsigned.setSubject(facts.subject ?? 'anna')
    return unsigned.sign(privateKey)
  }
  return { keySet, token }
}

test('createAccess() accepts a token of the issuer, for the scopes it contains', async () => {
  const { keySet, token } = await issuerOf()
  const { secret, key } = newKey(facts)
  const access = createAccess({ keys: [key], tokens: { keySet, issuer, audience } })
  const scopesOf = async (claims: object): Promise<readonly Scope[]> => [
    ...(await access.identify(`Bearer ${await token({ claims: { ...claims } })}`)).scopes,
  ]
  assert.deepEqual(await scopesOf({ scope: 'delete openid read' }), ['read', 'delete'])
  assert.deepEqual(await scopesOf({ scope: undefined, scp: ['upload'] }), ['upload'])
  assert.deepEqual(await scopesOf({ scope: 'reader' }), [])
  assert.equal((await access.identify(`Bearer ${await token()}`)).owner, 'token:anna')
  assert.equal((await access.identify(`Bearer ${secret}`)).owner, 'team a')
})

test('createAccess() refuses any other token', async () => {
  const [ours, theirs] = [await issuerOf(), await issuerOf()]
  const access = createAccess({ keys: [], tokens: { keySet: ours.keySet, issuer, audience } })
  const good = await ours.token()
  const [head, payload, signature] = good.split('.') as [string, string, string]
  const none = Buffer.from('{"alg":"none"}').toString('base64url')
  const hmac = Buffer.from('{"alg":"HS256","kid":"one"}').toString('base64url')
  const wrong = [
    await theirs.token(),
    await ours.token({ issuer: 'https://evil.example' }),
    await ours.token({ audience: 'other' }),
    await ours.token({ expires: '-5m' }),
    await ours.token({ expires: null }),
    await ours.token({ subject: '' }),
    await ours.token({ claims: { sub: 7 } }),
    await ours.token({ claims: { sub: { name: 'anna' } } }),
    await ours.token({ claims: { sub: ['anna'] } }),
    await ours.token({ claims: { sub: '' } }),
    await ours.token({ subject: 'a'.repeat(201) }),
    `${none}.${payload}.`,
    `${hmac}.${payload}.${signature}`,
    `${head}.${payload}.${signature.slice(2)}AA`,
    `${head}.${payload}`,
  ]
  assert.equal(await isRefused(access, `Bearer ${good}`), false)
  for (const token of wrong) assert.equal(await isRefused(access, `Bearer ${token}`), true, token)
})

test('createAccess() checks nbf and exp of a token with 30 seconds of clock tolerance', async (t) => {
  const { keySet, token } = await issuerOf()
  const access = createAccess({ keys: [], tokens: { keySet, issuer, audience } })
  const startMs = Date.parse('2026-11-20T12:00:00Z')
  t.mock.timers.enable({ apis: ['Date'], now: startMs })
  const given = `Bearer ${await token({ expires: '5m', claims: { nbf: startMs / 1_000 } })}`
  const refusedAt = async (seconds: number) => {
    t.mock.timers.setTime(startMs + seconds * 1_000)
    return isRefused(access, given)
  }
  const year = 365 * 86_400
  const seen = []
  for (const seconds of [-year, -31, -30, 0, 300, 329, 330, year]) seen.push(await refusedAt(seconds))
  assert.deepEqual(seen, [true, true, false, false, false, false, true, true])
})

test('issuerKeys() reports a failing issuer, retries only after the back-off, and then accepts tokens', async (t) => {
  const { keySet, token } = await issuerOf()
  let answer: readonly [status: number, body: string] = [500, '']
  let askedCount = 0
  const server = createServer((_request, response) => {
    askedCount += 1
    response.writeHead(answer[0], { 'content-type': 'application/json' }).end(answer[1])
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  let nowMs = 0
  t.mock.method(performance, 'now', () => nowMs)
  const { port } = server.address() as AddressInfo
  const keySetUrl = new URL(`http://127.0.0.1:${port}/keys`)
  const access = createAccess({ keys: [] as readonly Key[], tokens: { keySet: keySetUrl, issuer, audience } })
  const given = `Bearer ${await token()}`
  const isUnavailable = () =>
    assert.rejects(access.identify(given), (error) => {
      assert.ok(isServiceError(error, 'ISSUER_UNAVAILABLE'), String(error))
      assert.deepEqual([error.status, error.retryAfterSeconds], [503, 5])
      return true
    })
  for (const [failing, waitedMs, asked] of [
    [[500, ''], 0, 1],
    [[200, 'no JSON'], 999, 1],
    [[200, '{"key":[]}'], 1_000, 2],
    [[200, '[]'], 2_999, 2],
    [[302, ''], 3_000, 3],
    [[500, ''], 7_000, 4],
  ] as const) {
    answer = failing
    nowMs = waitedMs
    await isUnavailable()
    assert.equal(askedCount, asked, `${waitedMs} ms`)
  }
  answer = [200, JSON.stringify(keySet)]
  await isUnavailable()
  nowMs = 100_000
  assert.equal((await access.identify(given)).owner, 'token:anna')
  assert.equal(askedCount, 5)
  const stranger = await issuerOf()
  assert.equal(await isRefused(access, `Bearer ${await stranger.token()}`), true)
})
