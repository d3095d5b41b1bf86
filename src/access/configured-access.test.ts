// Tests of access as configured by options.
import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openAccess } from './access.ts'
import { formatKeys, newKey } from './api-keys.ts'
import { configuredAccess } from './configured-access.ts'
import type { AccessLogger } from './key-file.ts'

const none = { keys: '', jwtKeys: '', jwtIssuer: '', jwtAudience: 'csv-upload' }
const made = newKey({ name: 'ci', owner: 'a', scopes: ['read'] })

const silent: AccessLogger = { info: () => {}, warn: () => {}, error: () => {} }
const isPosix = process.platform !== 'win32'

function scratchFile(t: { after(work: () => void): void }): string {
  const dir = mkdtempSync(join(tmpdir(), 'access-'))
  t.after(() => rmSync(dir, { recursive: true }))
  return join(dir, 'keys.json')
}

test('configuredAccess() needs no authentication if nothing is configured', () => {
  assert.equal(configuredAccess(none, silent).access, openAccess)
})

test('configuredAccess() reads keys from a file and from the option itself', async (t) => {
  const file = scratchFile(t)
  writeFileSync(file, formatKeys([made.key]), { mode: 0o600 })
  for (const keys of [file, formatKeys([made.key])]) {
    using configured = configuredAccess({ ...none, keys }, silent)
    const { access } = configured
    assert.equal((await access.identify(`Bearer ${made.secret}`)).owner, 'a')
    await assert.rejects(access.identify(undefined))
  }
})

test('configuredAccess() reports that keys were read again, not that they were read', (t) => {
  const file = scratchFile(t)
  writeFileSync(file, formatKeys([made.key]), { mode: 0o600 })
  let changes = 0
  using configured = configuredAccess({ ...none, keys: file }, silent, () => changes++)
  assert.equal(changes, 0)
  configured.reload()
  assert.equal(changes, 1)
})

test('configuredAccess() reads a file with a byte order mark, and names the file of a mistake', async (t) => {
  const file = scratchFile(t)
  writeFileSync(file, `\ufeff${formatKeys([made.key])}`, { mode: 0o600 })
  using configured = configuredAccess({ ...none, keys: file }, silent)
  assert.equal((await configured.access.identify(`Bearer ${made.secret}`)).owner, 'a')
  writeFileSync(file, '{"keys":[1]}')
  const message = `Cannot use keys[0] in ${file}: expected an object`
  assert.throws(() => configuredAccess({ ...none, keys: file }, silent), { message })
})

test('configuredAccess() refuses every caller if the list of keys is empty', async () => {
  const { access } = configuredAccess({ ...none, keys: '{"keys":[]}' }, silent)
  await assert.rejects(access.identify(`Bearer ${made.secret}`))
})

const mistakes: readonly (readonly [object, RegExp])[] = [
  [{ keys: '/nowhere/keys.json' }, /--keys: ENOENT/],
  [{ keys: '{}' }, /a list "keys"/],
  [{ jwtKeys: 'https://login.example.org/keys' }, /without --jwt-issuer/],
  [{ jwtKeys: 'http://login.example.org/keys', jwtIssuer: 'x' }, /expected an https address/],
  [{ jwtKeys: '/nowhere', jwtIssuer: 'x' }, /--jwt-keys: ENOENT/],
  [{ jwtKeys: '{"key":1}', jwtIssuer: 'x' }, /expected a JWK Set/],
  [{ jwtKeys: '{', jwtIssuer: 'x' }, /expected a JWK Set/],
]
for (const [given, message] of mistakes) {
  test(`configuredAccess() refuses ${JSON.stringify(given)}`, () => {
    assert.throws(() => configuredAccess({ ...none, ...given }, silent), message)
  })
}

test('configuredAccess() refuses a file that others may write, and warns of one that others may read', {
  skip: isPosix ? false : 'Windows has no modes',
}, (t) => {
  const file = scratchFile(t)
  writeFileSync(file, formatKeys([made.key]))
  for (const [mode, expected] of [
    [0o600, 'taken'],
    [0o400, 'taken'],
    [0o640, 'taken'],
    [0o440, 'taken'],
    [0o604, 'warned'],
    [0o620, 'refused'],
    [0o602, 'refused'],
    [0o666, 'refused'],
  ] as const) {
    chmodSync(file, mode)
    let outcome = 'taken'
    try {
      configuredAccess({ ...none, keys: file }, { ...silent, warn: () => (outcome = 'warned') })[Symbol.dispose]()
    } catch (error) {
      assert.match(String(error), /others may write/)
      outcome = 'refused'
    }
    assert.equal(outcome, expected, mode.toString(8))
  }
})

test('reload() adds and removes keys, and keeps the current ones if the file cannot be used', async (t) => {
  const file = scratchFile(t)
  const other = newKey({ name: 'other', owner: 'b', scopes: ['read'] })
  const errors: object[] = []
  writeFileSync(file, formatKeys([made.key]), { mode: 0o600 })
  using configured = configuredAccess({ ...none, keys: file }, { ...silent, error: (facts) => errors.push(facts) })
  const isValid = (secret: string) =>
    configured.access.identify(`Bearer ${secret}`).then(
      () => true,
      () => false,
    )
  const seen = async () => [await isValid(made.secret), await isValid(other.secret)]
  assert.deepEqual(await seen(), [true, false])
  writeFileSync(file, formatKeys([made.key, other.key]))
  configured.reload()
  assert.deepEqual(await seen(), [true, true])
  writeFileSync(file, '{"keys":')
  configured.reload()
  assert.deepEqual([await seen(), errors.length], [[true, true], 1])
  rmSync(file)
  configured.reload()
  assert.deepEqual([await seen(), errors.length], [[true, true], 2])
  if (isPosix) {
    // Like an I/O error, unlike a missing file: nothing can be known about it.
    symlinkSync(file, file)
    configured.reload()
    assert.deepEqual([await seen(), errors.length], [[true, true], 3])
    rmSync(file)
  }
  writeFileSync(file, formatKeys([other.key]), { mode: 0o600 })
  configured.reload()
  assert.deepEqual(await seen(), [false, true])
})

test('configuredAccess() reloads a changed key file automatically, also if it was replaced', async (t) => {
  const file = scratchFile(t)
  writeFileSync(file, formatKeys([made.key]), { mode: 0o600 })
  const changed = Promise.withResolvers<void>()
  using configured = configuredAccess({ ...none, keys: file }, { ...silent, info: () => changed.resolve() })
  writeFileSync(`${file}.new`, formatKeys([]), { mode: 0o600 })
  renameSync(`${file}.new`, file)
  // Watching the file does not keep the process alive.
  const alive = setInterval(() => {}, 1_000)
  await changed.promise
  clearInterval(alive)
  await assert.rejects(configured.access.identify(`Bearer ${made.secret}`))
})
