// Tests of ignored parts: the error of a request without a file, and the note about ignored settings.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PartHead } from '../../multipart/multipart.ts'
import { IgnoredParts } from './ignored-parts.ts'

const part = (name: string | null, fileName: string | null = null): PartHead => ({ name, fileName, contentType: null })

function ignoring(...parts: readonly PartHead[]): IgnoredParts {
  const ignored = new IgnoredParts()
  for (const one of parts) ignored.add(one)
  return ignored
}

test('insteadOfFile() reports what a request without a file contains', () => {
  for (const [ignored, seen] of [
    [ignoring(), /^the body has no part; /],
    [ignoring(part('file')), /^the part named 'file' has no file name; /],
    [ignoring(part('file', '')), /^the part named 'file' has an empty file name; /],
    [ignoring(part('File', 'a.csv'), part('csv')), /^no part is named 'file'; there is 'File', 'csv'$/],
    [ignoring(part(null)), /^no part is named 'file'; there is ''$/],
  ] as const) {
    assert.match(ignored.insteadOfFile(), seen)
  }
})

test('insteadOfFile() is safe in a header, whatever the names are', () => {
  const ignored = ignoring(part('a"\r\nX: y'), part('größe'), part('x'.repeat(1_000)))
  assert.match(ignored.insteadOfFile(), /^[ !#-~]{1,300}$/)
})

test('notes() returns one note with the first names, and how to send settings', () => {
  assert.deepEqual(ignoring().notes(), [])
  const [one, ...others] = ignoring(part('delimiter'), part('x')).notes()
  assert.deepEqual(others, [])
  assert.equal(one?.code, 'PARTS_IGNORED')
  assert.match(one?.message ?? '', /^Ignored: 'delimiter', 'x'\. .*-F 'dialect=\{"delimiter": …\}'/)
  const many = ignoring(...Array.from({ length: 11_000 }, (_, index) => part(`field${index}`)))
  assert.match(many.notes()[0]?.message ?? '', /^Ignored: 'field0', .*'field4' and 10995 more\. /)
})

test('notes() reports settings that are not JSON, and ignores the empty file field of a form', () => {
  const ignored = ignoring(part('file', ''))
  assert.deepEqual(ignored.notes(), [])
  ignored.addOption('schema')
  assert.match(ignored.notes()[0]?.message ?? '', /'schema' \(not a JSON object\)/)
})
