// Tests of the table of threats: every threat has the tests that the table names.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { threats } from './threats.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

test('threats are numbered from 1 to 65', () => {
  assert.deepEqual(
    threats.map(({ number }) => number),
    Array.from({ length: 65 }, (_, index) => index + 1),
  )
})

for (const { number, threat, tests } of threats) {
  test(`threat ${number}, ${threat}, has the tests that the table names`, () => {
    assert.ok(tests.length > 0)
    for (const place of tests) {
      const [, file, name] = /^(\S+): (.+)$/.exec(place) ?? assert.fail(place)
      assert.ok(existsSync(root + file), `${file} does not exist`)
      // In the source, a quote within a name may be escaped with a backslash.
      const text = readFileSync(root + file, 'utf8').replaceAll("\\'", "'")
      assert.ok(text.includes(name!), `${file} has no '${name}'`)
    }
  })
}
