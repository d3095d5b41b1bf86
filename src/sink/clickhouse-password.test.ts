// Tests of where the ClickHouse password is found.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { type ClickHouseSecret, passwordOf } from './clickhouse-password.ts'

test('passwordOf() finds the line of a host in a private file', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'clickhouse-'))
  t.after(() => rm(dir, { recursive: true }))
  const path = join(dir, 'passwords')
  const lines = [
    '# host:port:database:user:password',
    'a:8123:d:u:one',
    'a:*:d:*:two\\:\\\\',
    '*:*:*:nobody:',
    'b:1:d',
    '',
  ]
  await writeFile(path, lines.join('\n'), { mode: 0o600 })
  const file = { password: '', passwordsPath: path }
  const found = (host: string, port: string, user: string, given: ClickHouseSecret = file) => {
    return passwordOf({ host, port, database: 'd', user }, given)
  }
  assert.deepEqual(
    await Promise.all([
      found('a', '8123', 'u'),
      found('a', '8443', 'u'),
      found('b', '1', 'nobody'),
      found('b', '1', 'u'),
      found('a', '8123', 'u', { ...file, password: 'three' }),
      found('a', '8123', 'u', { password: '', passwordsPath: '' }),
    ]),
    ['one', 'two:\\', '', '', 'three', ''],
  )
  await writeFile(join(dir, 'open'), '*:*:*:*:x\n', { mode: 0o644 })
  await assert.rejects(
    found('a', '1', 'u', { ...file, passwordsPath: join(dir, 'open') }),
    /others may read it, wanted 600$/,
  )
  await assert.rejects(found('a', '1', 'u', { ...file, passwordsPath: join(dir, 'none') }))
})
