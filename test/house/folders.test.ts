// Folder sizes: a folder holds what a newcomer can take in at a glance, but for a list that may only shrink.
import assert from 'node:assert/strict'
import { posix } from 'node:path'
import { test } from 'node:test'
import { codeFiles, isForTests } from './sources.ts'

/** Source files side by side, without their tests. */
const filesMax = 14

/** What holds more today, and how many: lower a number when its folder shrinks, and never add a row. */
const larger: Readonly<Record<string, number>> = {
  'src/cli/commands': 18,
}

test(`no folder of src holds more than ${filesMax} source files side by side, but for those listed`, () => {
  const sources = codeFiles().filter(({ path }) => /^src\//.test(path) && !isForTests(path))
  const folders = Map.groupBy(sources, ({ path }) => posix.dirname(path))
  assert.ok(folders.size > 20)
  const found = [...folders].filter(([, files]) => files.length > filesMax)
  assert.deepEqual(Object.fromEntries(found.map(([folder, files]) => [folder, files.length])), larger)
})
