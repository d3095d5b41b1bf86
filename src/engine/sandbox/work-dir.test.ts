// Tests of work directories: what a child leaves in the place of its result leads to no other file.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { outputPath, WorkDir } from './work-dir.ts'

test('takeOutput() takes a file, but no link, pipe or directory in its place', async (t) => {
  if (process.platform !== 'linux') return t.skip('only Linux confines children to a work directory')
  const dir = mkdtempSync(join(tmpdir(), 'work-dir-'))
  t.after(() => rmSync(dir, { recursive: true }))
  const secret = join(dir, 'secret')
  writeFileSync(secret, 'secret')
  const made = new WorkDir(join(dir, 'work'), null, 'one file')
  const [output, taken] = [join(made.dir, outputPath), join(dir, 'taken')]
  writeFileSync(output, 'result')
  await made.takeOutput(taken)
  assert.equal(readFileSync(taken, 'utf8'), 'result')
  for (const replace of [
    () => symlinkSync(secret, output),
    () => symlinkSync(join(dir, 'not there'), output),
    () => execFileSync('mkfifo', [output]),
    () => mkdirSync(output),
  ]) {
    rmSync(output, { force: true, recursive: true })
    replace()
    await assert.rejects(made.takeOutput(join(dir, 'again')))
    assert.equal(readFileSync(secret, 'utf8'), 'secret')
    assert.throws(() => readFileSync(join(dir, 'again')))
  }
  assert.throws(() => readFileSync(join(dir, 'not there')))
})

test('takeOutput() takes a file to another file system', async (t) => {
  const [here, there] = [tmpdir(), '/dev/shm']
  const device = (path: string) => statSync(path, { throwIfNoEntry: false })?.dev
  if (device(there) === undefined || device(there) === device(here)) return t.skip('there is no other file system')
  const [dir, work] = [here, there].map((path) => mkdtempSync(join(path, 'work-dir-'))) as [string, string]
  t.after(() => [dir, work].map((path) => rmSync(path, { recursive: true })))
  const made = new WorkDir(join(work, 'work'), null, 'one file')
  for (const text of ['first', '2nd']) {
    writeFileSync(join(made.dir, outputPath), text)
    await made.takeOutput(join(dir, 'taken'))
    assert.equal(readFileSync(join(dir, 'taken'), 'utf8'), text)
    assert.deepEqual([statSync(join(dir, 'taken')).mode & 0o777, statSync(join(made.dir, outputPath)).size], [0o600, 0])
  }
})
