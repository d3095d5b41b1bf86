// Tests of the line journal: added lines survive a restart, in order, and a torn line does not.
import assert from 'node:assert/strict'
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { OpenFile } from './files/open-file.ts'
import { LineJournal } from './line-journal.ts'

const dir = await mkdtemp(join(tmpdir(), 'csv-upload-journal-'))
after(() => rm(dir, { recursive: true }))

test('LineJournal keeps lines in order, drops a torn one, and keeps the lines selected when it is opened', async () => {
  const path = join(dir, 'journal')
  {
    await using journal = await LineJournal.open(path, (lines) => lines)
    await Promise.all(['a', 'b', 'c'].map((line) => journal.add(line)))
    assert.equal(await readFile(path, 'utf8'), 'a\nb\nc\n')
  }
  await appendFile(path, 'to')
  const seen: string[] = []
  {
    await using journal = await LineJournal.open(path, (lines) => {
      seen.push(...lines)
      return lines.slice(1)
    })
    await journal.add('d')
    const adding = journal.add('e')
    await journal.replaceBeyond(8, () => assert.fail('it is not that large'))
    const replacing = [1, 2].map(() => journal.replaceBeyond(5, () => ['x']))
    await Promise.all([adding, ...replacing])
    await journal.add('f')
  }
  assert.deepEqual(seen, ['a', 'b', 'c'])
  assert.equal(await readFile(path, 'utf8'), 'x\nf\n')
})

test('LineJournal adds lines again after each sync that fails, and keeps those that it had', async (t) => {
  const path = join(dir, 'failing')
  await using journal = await LineJournal.open(path, (lines) => lines)
  await journal.add('a')
  const kept = ['a']
  const fails = new Error('the disk fails')
  // A replaced file has two syncs: its own, and that of the directory with its name. An added line has a datasync.
  for (const [method, call, work] of [
    ['sync', 0, () => journal.replaceBeyond(0, () => kept)],
    ['sync', 1, () => journal.replaceBeyond(0, () => kept)],
    ['datasync', 0, () => journal.add('lost')],
  ] as const) {
    const failing = t.mock.method(OpenFile.prototype, method)
    failing.mock.mockImplementationOnce(() => Promise.reject(fails), call)
    await assert.rejects(work(), fails)
    failing.mock.restore()
    kept.push(`after ${method} ${call}`)
    await journal.add(`after ${method} ${call}`)
  }
  assert.equal(await readFile(path, 'utf8'), 'a\nafter sync 0\nafter sync 1\nafter datasync 0\n')
})

test('LineJournal.open() keeps the file as it is if it cannot be written anew, and adds lines once it can', async (t) => {
  const path = join(dir, 'full')
  await writeFile(path, 'a\nold\nto')
  const fails = Object.assign(new Error('no space'), { code: 'ENOSPC' })
  const writing = t.mock.method(OpenFile.prototype, 'write', () => Promise.reject(fails))
  await using journal = await LineJournal.open(path, (lines) => lines.filter((line) => line !== 'old'))
  await assert.rejects(journal.add('lost'), fails)
  assert.equal(await readFile(path, 'utf8'), 'a\nold\nto')
  await assert.rejects(readFile(`${path}.new`), { code: 'ENOENT' })
  writing.mock.restore()
  await journal.add('b')
  assert.equal(await readFile(path, 'utf8'), 'a\nold\nb\n')
})
