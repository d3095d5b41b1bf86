// Folder sizes: a folder has no more files than a newcomer can take in at a glance.
import assert from 'node:assert/strict'
import { posix } from 'node:path'
import { test } from 'node:test'
import { codeFiles, isForTests } from './sources.ts'

/** Source files in one folder, without tests. */
const filesMax = 14

test(`no folder has more than ${filesMax} source files`, () => {
  const sources = codeFiles().filter(({ path }) => /^(src|wasm|web)\//.test(path) && !isForTests(path))
  const folders = Map.groupBy(sources, ({ path }) => posix.dirname(path))
  assert.ok(folders.size > 20)
  const found = [...folders].filter(([, files]) => files.length > filesMax)
  assert.deepEqual(
    found.map(([folder, files]) => `${folder}: ${files.length}`),
    [],
  )
})
