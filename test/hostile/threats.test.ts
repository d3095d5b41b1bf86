// Tests of the threats in SECURITY.md: the title of each link to a test is the beginning of its name.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const rows = [...read('SECURITY.md').matchAll(/^\| (\d+) \| (.+?) \| .+ \| (.+) \|$/gm)]

test('threats are numbered from 1 to 65', () => {
  const numbers = rows.map(([, number]) => Number(number))
  assert.deepEqual(
    numbers,
    Array.from({ length: 65 }, (_, index) => index + 1),
  )
})

for (const [, number, threat, links] of rows) {
  test(`threat ${number}, ${threat}, has the tests that the table names`, () => {
    const tests = [...links!.matchAll(/\]\((\S+) (["'])(.+?)\2\)/g)]
    assert.equal(tests.length, links!.split('](').length - 1)
    assert.ok(tests.length > 0)
    for (const [, file, , name] of tests) {
      // In the source, a quote within a name may be escaped with a backslash.
      assert.ok(read(file!).replaceAll("\\'", "'").includes(name!.replaceAll('\\|', '|')), `${file} has no '${name}'`)
    }
  })
}
