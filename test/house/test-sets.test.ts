// Test sets: every test file runs with exactly one command, and every command has test files.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { matchesGlob } from 'node:path'
import { test } from 'node:test'
import { projectFiles } from './sources.ts'

const testSets = JSON.parse(readFileSync(new URL('../sets.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, readonly string[]>
>

const testFiles = projectFiles()
  .map(({ path }) => path)
  .filter((path) => /\.(test|ship|slow)\.(ts|mjs)$/.test(path))

const setsOf = (path: string) =>
  Object.entries(testSets).flatMap(([name, globs]) => (globs.some((glob) => matchesGlob(path, glob)) ? [name] : []))

test('every test file is in exactly one set', () => {
  assert.deepEqual(
    testFiles.filter((path) => setsOf(path).length !== 1).map((path) => `${path}: ${setsOf(path).join() || 'in none'}`),
    [],
  )
})

test('every glob of a set matches a test file', () => {
  for (const glob of Object.values(testSets).flat()) {
    assert.ok(
      testFiles.some((path) => matchesGlob(path, glob)),
      `${glob} matches nothing`,
    )
  }
})
