// Tests of file names: whatever name a client sends, it is data, and never becomes a path, a header or a log line.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Client, contentType, jsonOf, refusalOf, type UploadResponse } from '../support/client.ts'
import { RunningService, scratchDir } from '../support/running-service.ts'
import { createRandom, seed } from '../support/samples.ts'

const scratch = await scratchDir()
// Below the watched directory, so that a name that escapes the data directory is noticed.
const dataDir = join(scratch.path, 'deep', 'data')
const service = await RunningService.start(dataDir)
const client = new Client(service.url)
after(async () => {
  await service[Symbol.asyncDispose]()
  await scratch[Symbol.asyncDispose]()
})

const hostile = [
  ...['../../escaped.csv', '..\\..\\escaped.csv', '/etc/passwd', 'C:\\Windows\\win.ini', '%2e%2e%2fescaped.csv'],
  ...['..', '.', '...', '~/escaped.csv', '\\\\host\\share\\a.csv', 'CON', 'NUL.csv', 'aux.csv ', 'a.csv.', 'a:b.csv'],
  ...['receipt.json', 'original', 'data/part-00000.parquet', '.lock', '__proto__', '$(touch escaped)', '`id`.csv'],
  ...['a;b.csv', "a'b.csv", 'a|b.csv', '-rf', '--help', '*', '?', 'a\tb.csv', '\x1b[2Jclear.csv', '\u202egnp.csv'],
  ...[
    '<script>alert(1)</script>.csv',
    'a.csv.gz',
    'a.zip',
    'x'.repeat(5_000),
    'é'.repeat(2_000),
    ' ',
    '\u0000'.slice(1),
  ],
]

/** An upload with this as the file name, byte for byte. */
function bodyWith(fileName: string, content: string): Buffer {
  const boundary = /boundary=(.*)$/.exec(contentType)![1]
  const escaped = fileName.replaceAll('"', '\\"')
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${escaped}"\r\n\r\n`
  return Buffer.from(`${head}${content}\r\n--${boundary}--\r\n`)
}

/** Every path below the watched directory, with ids and the like normalized. */
function tree(): readonly string[] {
  const names = readdirSync(scratch.path, { recursive: true, encoding: 'utf8' })
  return names
    .map((name) => name.replaceAll(/[0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID'))
    .toSorted()
}

/** Checks that a name is accepted as data or refused with a record, and returned as one safe header line. */
async function holds(fileName: string, content: string): Promise<void> {
  const answer = await client.ask('POST', '/qas/uploadCsv', bodyWith(fileName, content))
  const shown = JSON.stringify(fileName).slice(0, 80)
  if (answer.status !== 200) {
    assert.equal(answer.status, 400, `${shown}: ${answer.body}`)
    refusalOf(answer)
    return
  }
  const { links } = jsonOf<UploadResponse>(answer)
  for (const link of [links.original, links.csv]) {
    const saved = await client.ask('GET', link)
    const disposition = saved.headers['content-disposition'] ?? ''
    assert.match(disposition, /^attachment; filename="[^"\\/\p{Cc}]*"(; filename\*=UTF-8''[\w!#$&+.^`|~%-]*)?$/u, shown)
    assert.ok(disposition.length < 2_000, shown)
    assert.equal(saved.headers['x-content-type-options'], 'nosniff')
  }
}

test('files with hostile names are stored under paths of our own, and nothing outside appears', async () => {
  const first = await client.upload('a,b\nfirst,0\n')
  const pathsOfOne = tree().filter((path) => path.includes('datasets'))
  for (const [index, name] of hostile.entries()) await holds(name, `a,b\n${index},1\n`)
  const allowed = new Set(pathsOfOne)
  const strange = tree().filter((path) => path.includes('datasets') && !allowed.has(path))
  assert.deepEqual([...new Set(strange)], [])
  assert.deepEqual(readdirSync(scratch.path), ['deep'])
  assert.deepEqual(readdirSync(join(scratch.path, 'deep')), ['data'])
  assert.equal((await client.get(first.links.csv)).toString(), 'a,b\nfirst,0\n')
})

test(`names of random bytes are data or refused (SEED=${seed})`, async () => {
  const random = createRandom(seed)
  for (let index = 0; index < 60; index += 1) {
    const length = 1 + random(40)
    const name = Buffer.from(Array.from({ length }, () => random(256))).toString('latin1')
    await holds(name.replaceAll(/[\r\n]/g, '_'), `a,b\nrandom,${index}\n`)
  }
  assert.deepEqual(readdirSync(join(scratch.path, 'deep')), ['data'])
})
