// Tests of unfinished sends: what is remembered is durable, private, bounded, and never more than a hint.
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { changeOf, identityOf, type UnfinishedSend, UnfinishedSends } from './unfinished-sends.ts'

const one: UnfinishedSend = {
  uploadId: '019aa1b2-4c80-7000-8000-000000000000',
  url: 'http://127.0.0.1:1/',
  path: '/a.csv',
  bytes: 1,
  mtimeMs: 2.5,
  declared: { dialect: '{}' },
  begunAt: Date.now(),
}
const idOf = (i: number) => `019aa1b2-4c80-7000-8000-${String(i).padStart(12, '0')}`

function scratch(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'sends-'))
  t.after(() => rmSync(dir, { recursive: true }))
  return dir
}

test('UnfinishedSends keeps its entries, for their owner only, until they are removed', async (t) => {
  const state = scratch(t)
  const sends = new UnfinishedSends(state)
  assert.deepEqual(await sends.list(), [])
  await sends.keep(one)
  const dir = join(state, 'csv-upload', 'unfinished-sends')
  assert.deepEqual(readdirSync(dir), [`${one.uploadId}.json`])
  assert.deepEqual(
    [statSync(dir).mode & 0o777, statSync(join(dir, `${one.uploadId}.json`)).mode & 0o777],
    [0o700, 0o600],
  )
  assert.deepEqual(await new UnfinishedSends(state).list(), [one])
  await sends.forget(one.uploadId)
  await sends.forget(one.uploadId)
  assert.deepEqual([await sends.list(), readdirSync(dir)], [[], []])
})

test('UnfinishedSends keeps no entry for more than 30 days', async (t) => {
  const sends = new UnfinishedSends(scratch(t))
  await sends.keep({ ...one, uploadId: idOf(1) })
  await sends.keep({ ...one, uploadId: idOf(2), begunAt: Date.now() - 31 * 86_400_000 })
  assert.deepEqual(
    (await sends.list()).map(({ uploadId }) => uploadId),
    [idOf(1)],
  )
})

test('UnfinishedSends ignores files that are not its own', async (t) => {
  const state = scratch(t)
  const sends = new UnfinishedSends(state)
  await sends.keep(one)
  const dir = join(state, 'csv-upload', 'unfinished-sends')
  const texts = ['', '{', '[]', 'null', '{}', JSON.stringify({ ...one, declared: { a: 1 } }), JSON.stringify(one)]
  for (const [i, text] of texts.entries()) writeFileSync(join(dir, `${idOf(i + 1)}.json`), text)
  assert.deepEqual(await sends.list(), [one])
})

test('identityOf() and changeOf() detect another size and another time', async (t) => {
  const path = join(scratch(t), 'a.csv')
  writeFileSync(path, 'a,b\n')
  const is = await identityOf(path)
  assert.equal(is.bytes, 4)
  assert.equal(changeOf(is, await identityOf(path)), null)
  assert.match(changeOf({ ...is, bytes: 5 }, is) ?? '', /it had 5 bytes and has 4/)
  assert.match(changeOf({ ...is, bytes: 3 }, is) ?? '', /it had 3 bytes and has 4/)
  assert.match(changeOf({ ...is, mtimeMs: 0 }, is) ?? '', /was written to/)
})
