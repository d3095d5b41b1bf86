// Tests of wrong command lines: each is refused with what was given and what is expected, before anything is sent.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { type ClientEnvironment, readClientEnvironment } from '../config/client-environment.ts'
import { ConfigError } from '../config/option.ts'
import { commands } from './commands.ts'
import { declaredParts } from './declared-options.ts'
import { Terminal } from './terminal/terminal.ts'

const id = '0'.repeat(32)

test('a command refuses options and arguments that are wrong', async (t) => {
  const cases: readonly [string, RegExp][] = [
    [`rows ${id} --limt 1`, /^Cannot use --limt: there is no such option; did you mean --limit\?$/],
    [`rows ${id} --limit 0`, /^Cannot use --limit: given "0", expected a whole number from 1 to 10000$/],
    [`rows ${id} --limit`, /^Cannot use --limit: it has no value$/],
    [`rows ${id} --json=yes`, /^Cannot use --json: it takes no value$/],
    [`get ${id} -x`, /^Cannot use -x: there is no such option$/],
    [`get ${id} --as xlsx`, /^Cannot use --as: given "xlsx", expected one of original, csv, parquet/],
    [`get ${id} --as dataset -o -`, /^Cannot use --output: a dataset is a directory/],
    ['show', /^Cannot start: id is missing$/],
    ['show ..', /^Cannot use id '\.\.': expected at least the first 8 of its 32 hexadecimal digits/],
    ['show 1234567', /^Cannot use id '1234567'/],
    [`show ${id} ${id}`, /expected one id only$/],
    [`rm ${id} x`, /^Cannot use id 'x'/],
    [`query ${id}`, /^Cannot start: expected an id and a statement$/],
    [`query ${id} SELECT 1`, /^Cannot use argument '1': put the statement in quotes$/],
    [`readings ${id}`, /^Cannot start: expected --dialect, --schema or both$/],
    [`get ${id} --as datapackage -o -`, /^Cannot use --output: a datapackage is a directory/],
    ['list x', /^Cannot use argument 'x': expected options only$/],
    ['watch', /^Cannot start: upload id is missing$/],
    ['watch 019aa1b', /^Cannot use upload id '019aa1b': expected at least the first 8 of its 36 characters/],
    ['uploads stop', /^Cannot run uploads 'stop', expected list or cancel$/],
    ['uploads list x', /^Cannot use argument 'x': expected options only$/],
    ['uploads cancel', /^Cannot start: no upload id given$/],
    ['send - --resume', /^Cannot use --resume: standard input cannot be read again$/],
    [
      'send --resume --dialect {}',
      /^Cannot use --resume: the dialect and schema declared when the upload began still apply$/,
    ],
    ['verify', /^Cannot start: no directory given$/],
    ['send', /^Cannot start: no file given$/],
    ['send nowhere.csv', /^Cannot find nowhere\.csv: there is no such file$/],
    ['send *.nothing', /^Cannot find \*\.nothing: no files match$/],
    ['send .', /^Cannot send \.: it is a directory/],
    ['send - -', /^Cannot use argument '-': standard input can only be sent once$/],
    ['send - --dialect [1]', /^Cannot use --dialect: it is not a JSON object$/],
    ['send - --schema @nowhere', /^Cannot use --schema: Cannot open nowhere: no such file or directory$/],
  ]
  for (const [line, message] of cases) await refuses(t, line, {}, message)
})

test('a dialect or schema in a file may begin with a byte order mark, and must be UTF-8', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'declared-'))
  t.after(() => rmSync(dir, { recursive: true }))
  const file = join(dir, 'dialect.json')
  writeFileSync(file, '\ufeff{"delimiter":";"}')
  assert.equal(declaredParts({ dialect: `@${file}`, schema: null }).get('dialect'), '{"delimiter":";"}')
  writeFileSync(file, '{"delimiter":"\xa6"}', 'latin1')
  await refuses(t, `send - --dialect @${file}`, {}, new RegExp(`^Cannot use --dialect: ${file} is not UTF-8$`))
})

test('a command refuses an invalid address or key, and shows neither password nor key', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'key-'))
  t.after(() => rmSync(dir, { recursive: true }))
  const file = join(dir, 'key')
  writeFileSync(file, 'one\nsecret\n')
  const url = { CSV_UPLOAD_URL: 'files.example' }
  await refuses(t, 'list', url, /^Cannot use CSV_UPLOAD_URL: given "files.example", expected an address such as http:/)
  await refuses(t, 'list --url ftp://x', {}, /^Cannot use --url: given "ftp:\/\/x"/)
  await refuses(
    t,
    'list --url http://me:secret@x',
    {},
    /^Cannot use --url: it contains a user or a password;(?!.*secret)/,
  )
  await refuses(t, 'list --url http://x?y', {}, /^Cannot use --url: it has a query or a fragment$/)
  await refuses(t, `list --key-file ${file}`, {}, /^Cannot use --key-file: it does not contain a key$/)
  await refuses(t, 'list', { CSV_UPLOAD_KEY: 'a secret' }, /^Cannot use CSV_UPLOAD_KEY: it does not contain a key$/)
  await refuses(t, 'list', { CSV_UPLOAD_KEY_FILE: '/no/such' }, /^Cannot use CSV_UPLOAD_KEY_FILE: ENOENT/)
})

async function refuses(
  t: TestContext,
  line: string,
  variables: Readonly<Record<string, string>>,
  message: RegExp,
): Promise<void> {
  const [name, ...argv] = line.split(' ')
  const command = commands.find((one) => one.name === name)
  assert.ok(command)
  const environment: ClientEnvironment = readClientEnvironment(variables)
  const terminal = new Terminal(new PassThrough(), new PassThrough(), environment, true)
  const started = async () => command.prepare(argv).run({ terminal, environment, signal: t.signal })
  await assert.rejects(started, (error) => {
    assert.ok(error instanceof ConfigError, `${line}: ${error}`)
    assert.match(error.message, message, line)
    return true
  })
}
