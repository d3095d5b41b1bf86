// Tests of the threats in SECURITY.md: the title of a link to a file has the beginnings of the names of its tests.
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
    const files = [...links!.matchAll(/\]\((\S+) (["'])(.+?)\2\)/g)]
    assert.equal(files.length, links!.split('](').length - 1)
    assert.ok(files.length > 0)
    assert.equal(new Set(files.map(([, file]) => file)).size, files.length, 'a file is named twice')
    for (const [, file, , names] of files) {
      // In the source, a quote within a name may be escaped with a backslash.
      const source = read(file!).replaceAll("\\'", "'")
      for (const name of names!.replaceAll('\\|', '|').split('; ')) {
        assert.ok(source.includes(name), `${file} has no '${name}'`)
      }
    }
  })
}
