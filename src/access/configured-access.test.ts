// Tests of access as options say it.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openAccess } from './access.ts'
import { formatKeys, newKey } from './api-keys.ts'
import { configuredAccess } from './configured-access.ts'

const none = { keys: '', jwtKeys: '', jwtIssuer: '', jwtAudience: 'csv-upload' }
const made = newKey({ name: 'ci', owner: 'a', scopes: ['read'] })

test('configuredAccess() asks nobody where nothing is set', () => {
  assert.equal(configuredAccess(none), openAccess)
})

test('configuredAccess() takes keys from a file and from the option itself', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'access-'))
  t.after(() => rmSync(dir, { recursive: true }))
  const file = join(dir, 'keys.json')
  writeFileSync(file, formatKeys([made.key]))
  for (const keys of [file, formatKeys([made.key])]) {
    const access = configuredAccess({ ...none, keys })
    assert.equal((await access.identify(`Bearer ${made.secret}`)).owner, 'a')
    await assert.rejects(access.identify(undefined))
  }
})

test('configuredAccess() lets nobody in where there are no keys', async () => {
  await assert.rejects(configuredAccess({ ...none, keys: '{"keys":[]}' }).identify(`Bearer ${made.secret}`))
})

const mistakes: readonly (readonly [object, RegExp])[] = [
  [{ keys: '/nowhere/keys.json' }, /--keys: ENOENT/],
  [{ keys: '{}' }, /a list "keys"/],
  [{ jwtKeys: 'https://login.example.org/keys' }, /without --jwt-issuer/],
  [{ jwtKeys: 'http://login.example.org/keys', jwtIssuer: 'x' }, /wanted an https address/],
  [{ jwtKeys: '/nowhere', jwtIssuer: 'x' }, /--jwt-keys: ENOENT/],
  [{ jwtKeys: '{"key":1}', jwtIssuer: 'x' }, /wanted a JWK Set/],
  [{ jwtKeys: '{', jwtIssuer: 'x' }, /wanted a JWK Set/],
]
for (const [given, message] of mistakes) {
  test(`configuredAccess() refuses ${JSON.stringify(given)}`, () => {
    assert.throws(() => configuredAccess({ ...none, ...given }), message)
  })
}
