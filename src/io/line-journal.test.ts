// Tests of the line journal: added lines survive a restart, in order, and a torn line does not.
import assert from 'node:assert/strict'
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
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
