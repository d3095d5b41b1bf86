// Tests of error texts: no refusal that a client can provoke reveals internals, such as paths, SQL or stack traces.
import assert from 'node:assert/strict'
import { chmodSync, readdirSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type Answer, bodyOf, Client, refusalOf } from '../support/client.ts'
import { RunningService, scratchDir } from '../support/running-service.ts'
import { Conversation } from '../wire/conversation.ts'
import { bareRequest, fileBody, rawRequest } from '../wire/requests.ts'

const scratch = await scratchDir()
const flags = ['--max-file-size', '2MB', '--max-request-size', '3MB']
const service = await RunningService.start(join(scratch.path, 'data'), flags)
/** For clients that stall: on a busy machine, its times are too short for others. */
const hasty = ['--headers-time', '500ms', '--body-idle-time', '500ms']
const hastyService = await RunningService.start(join(scratch.path, 'hasty'), [...flags, ...hasty])
const client = new Client(service.url)
after(async () => {
  await service[Symbol.asyncDispose]()
  await hastyService[Symbol.asyncDispose]()
  await scratch[Symbol.asyncDispose]()
})

/** Signs of internals that no request here contains: directories, SQL, source files, stack frames, dependencies. */
const inside = [
  /\/(?:tmp|home|usr|etc|var|proc|root|work)\//,
  /csv-upload-whole-|incoming|receipt\.json|node_modules|node:internal/,
  /\bat (?:async )?[\w.<>]+ \(|\.ts:\d+|\.js:\d+|\.node\b/,
  /read_csv|read_parquet|TRY_CAST|CREATE (?:VIEW|TABLE)|allowed_paths|duckdb/i,
  /ENOENT|EACCES|EPERM|EISDIR|ENOSPC|EPIPE|ECONN|SIGKILL|TypeError|RangeError|Cannot read propert/,
]

function saysNothing(what: string, text: string): void {
  for (const pattern of inside) assert.doesNotMatch(text, pattern, `${what}: ${text.slice(0, 600)}`)
}

const { id, links } = await client.upload('id,name\n1,Anna\n')
const json = (value: unknown) => Buffer.from(JSON.stringify(value))
const query = (sql: string) => () => client.askJson(`/qas/datasets/${id}/query`, json({ sql }))
const again = (value: unknown) => () => client.askJson(`/qas/datasets/${id}/readings`, json(value))
const send = (content: string | Uint8Array, declared: { dialect?: object; schema?: object } = {}) => {
  return () => client.send({ content, ...declared })
}
const field = (more: object) => ({ fields: [{ name: 'id', ...more }, { name: 'name' }] })

const refusals: Readonly<Record<string, () => Promise<Answer>>> = {
  'no SQL': query('this is no sql'),
  'a missing column': query('SELECT nothing FROM data'),
  'a missing table': query('SELECT * FROM other'),
  'a file': query("SELECT * FROM read_text('/asked/for')"),
  'a file by its name': query("SELECT * FROM '/asked/for'"),
  'a glob': query("SELECT * FROM glob('*')"),
  'a write': query("COPY data to '/asked/x.csv'"),
  'a setting': query('SET memory_limit = 1'),
  'an extension': query('LOAD httpfs'),
  'a failing cast': query("SELECT CAST('x' AS INTEGER)"),
  'an error of its own': query("SELECT error('boom')"),
  'too much memory': query("SELECT repeat('a', 3000000000)"),
  'too much SQL': query('x'.repeat(70_000)),
  'an invalid dialect': send('a,b\n1,2\n', { dialect: { delimiter: 7 } }),
  'a dialect of an unknown encoding': send('a,b\n1,2\n', { dialect: { encoding: '../../asked/for' } }),
  'an invalid schema': send('id,name\n1,x\n', { schema: { fields: 'x' } }),
  'a schema that does not match': send('id,name\n1,x\n', { schema: { fields: [{ name: 'zzz' }] } }),
  'an invalid pattern': send('id,name\n1,x\n', { schema: field({ constraints: { pattern: '(' } }) }),
  'an invalid minimum': send('id,name\n1,x\n', {
    schema: field({ type: 'integer', constraints: { minimum: 'x' } }),
  }),
  'a reading with quotes in it': again({ dialect: { delimiter: "'); DROP TABLE data; --" } }),
  'a file that is a PDF': send('%PDF-1.7\n'),
  'a file that is empty': send(''),
  'a file that is too large': send(Buffer.alloc(2_200_000, 'a,b\n')),
  'a request that is too large': send(Buffer.alloc(4_000_000, 'a,b\n')),
  'a file of NULs': send(Buffer.alloc(10_000)),
  'too many columns': send(`${'a,'.repeat(9_000)}b\n${'1,'.repeat(9_000)}2\n`),
  'half a body': () => client.ask('POST', '/qas/uploadCsv', bodyOf({ content: 'a\n1\n' }).subarray(0, -30)),
  'a missing part': () => client.ask('GET', `/qas/datasets/${id}/parts/99.parquet`),
  'a range beyond the end': () => client.ask('GET', links.original, undefined, { range: 'bytes=999-' }),
  'a missing dataset': () => client.ask('GET', `/qas/datasets/${'0'.repeat(32)}/rows`),
  'an unavailable type': () =>
    client.ask('POST', `/qas/datasets/${id}/query`, json({ sql: 'FROM data' }), {
      'content-type': 'application/json',
      accept: 'image/png',
    }),
}

for (const [what, ask] of Object.entries(refusals)) {
  test(`a refusal reveals no internals: ${what}`, async () => {
    const answer = await ask()
    assert.ok(answer.status >= 400, `${what} returns ${answer.status}`)
    assert.notEqual(answer.status, 500, answer.body.toString())
    refusalOf(answer)
    saysNothing(what, answer.body.toString())
    saysNothing(`${what}, header`, JSON.stringify(answer.headers))
  })
}

const raws: Readonly<Record<string, Buffer>> = {
  garbage: Buffer.from('\x16\x03\x01\r\n\r\n', 'latin1'),
  'no boundary': rawRequest({ headers: ['Content-Type: multipart/form-data'] }),
  'a stalled body': rawRequest({ headers: ['Content-Length: 9999'] }),
  'a head that never ends': Buffer.from('GET / HTTP/1.1\r\nHost: x\r\nX-A'),
  'a bad chunk': rawRequest({ headers: ['Transfer-Encoding: chunked'], without: ['content-length'], body: 'zz\r\n' }),
  'a path that cannot be decoded': bareRequest('GET', '/qas/%zz'),
  'a foreign host': bareRequest('GET', '/qas/datasets', ['Host: evil.example']),
  'an expectation': rawRequest({ headers: ['Expect: x'] }),
  'a method': bareRequest('TRACE', '/qas/uploadCsv'),
  'no file part': rawRequest({ body: fileBody('x', 'other') }),
}

for (const [what, request] of Object.entries(raws)) {
  test(`a refusal on the wire reveals no internals: ${what}`, async () => {
    using talk = await Conversation.open(hastyService.port)
    await talk.send(request)
    await talk.ended()
    const [answer] = talk.answers.final
    assert.ok(answer!.status >= 400)
    saysNothing(what, talk.raw.toString('latin1'))
  })
}

test('a damaged store does not reveal where it is', async () => {
  const damaged = await client.upload('id,name\n2,Berta\n')
  const dir = join(scratch.path, 'data', 'datasets', damaged.id)
  const original = join(dir, 'original')
  chmodSync(original, 0o600)
  truncateSync(original, 3)
  for (const name of readdirSync(join(dir, 'data'))) rmSync(join(dir, 'data', name))
  for (const link of [damaged.links.original, damaged.links.rows, damaged.links.parquet, damaged.links.csv]) {
    const answer = await client.ask('GET', link).catch(() => null)
    // A download that has begun is cut.
    if (answer === null) continue
    assert.equal(answer.status, 500, link)
    saysNothing(link, answer.body.toString())
  }
  const answer = await client.askJson(`/qas/datasets/${damaged.id}/query`, json({ sql: 'FROM data' }))
  assert.equal(answer.status, 500)
  saysNothing('a query', answer.body.toString())
})
