// Shipped files: every source file is part of the service or the client; files only for tests are named `*.testing.ts`.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { test } from 'node:test'
import { codeFiles, importsOf, isForTests } from './sources.ts'

/** Entry points of the package: its command, its library and the column writer. */
const entries = ['src/bin/csv-upload.ts', 'src/index.ts', 'src/columns/writer/create-column-writer.ts']

const sources = new Map(
  codeFiles()
    .filter(({ path }) => path.startsWith('src/') && !path.endsWith('.d.ts'))
    .map((source) => [source.path, source] as const),
)

/** Everything that entries import or start, directly or indirectly. */
function reachable(from: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>()
  const visit = (path: string): void => {
    const source = sources.get(path)
    if (source === undefined || found.has(path)) return
    found.add(path)
    for (const { to } of importsOf(source)) if (to.startsWith('.')) visit(posix.join(posix.dirname(path), to))
  }
  for (const path of from) visit(path)
  return found
}

test('every source file is reachable from the entry points, or named as test support', () => {
  const shipped = reachable(entries)
  assert.ok(shipped.size > 100)
  assert.deepEqual(
    [...sources.keys()].filter((path) => !isForTests(path) && !shipped.has(path)),
    [],
  )
})

test('every file of test support is used by a test', () => {
  const used = reachable([...sources.keys()].filter((path) => path.endsWith('.test.ts')))
  const tests = codeFiles().filter(({ path }) => /^(test|torture|bench|corpus)\//.test(path))
  const usedElsewhere = new Set(
    tests.flatMap((source) => importsOf(source).map(({ to }) => posix.join(posix.dirname(source.path), to))),
  )
  const support = [...sources.keys()].filter((path) => path.endsWith('.testing.ts'))
  assert.ok(support.length > 5)
  assert.deepEqual(
    support.filter((path) => !used.has(path) && !usedElsewhere.has(path)),
    [],
  )
})

test('the build excludes tests and their support', () => {
  const { exclude } = JSON.parse(readFileSync(new URL('../../tsconfig.build.json', import.meta.url), 'utf8'))
  assert.deepEqual(exclude, ['src/**/*.test.ts', 'src/**/*.testing.ts'])
})
