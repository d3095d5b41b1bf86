// Tests of suggestions for misspelt names.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { didYouMean } from './did-you-mean.ts'

const known = ['--jobs', '--url', '--resume', 'port', 'copy', 'max-file-size']

test('didYouMean() suggests the nearest name, and none for what is far from all', () => {
  const cases = [
    ['--job', '--jobs'],
    ['--ulr', '--url'],
    ['--resumme', '--resume'],
    ['prot', 'port'],
    ['max-files-szie', 'max-file-size'],
    ['-x', null],
    ['--u', '--url'],
    ['--url-of-the-server', '--url'],
    ['something-else', null],
    ['', null],
  ] as const
  for (const [name, meant] of cases)
    assert.equal(didYouMean(name, known), meant === null ? '' : `; did you mean ${meant}?`, name)
})
