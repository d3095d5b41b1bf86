// Drafts: what a text field does to line ends is undone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withLineEndsOf } from './drafts.ts'

test('withLineEndsOf() gives an edited text the line ends of the original', () => {
  assert.equal(withLineEndsOf('1,"a\r\nb\r\nc', '1,"a\nb\nc"'), '1,"a\r\nb\r\nc"')
  assert.equal(withLineEndsOf('1,"a\rb', '1,"a\nb"'), '1,"a\rb"')
})

test('withLineEndsOf() leaves line feeds where the original has none, mixed ones or the same', () => {
  for (const original of ['1,a', '1,"a\r\nb\nc', '1,"a\nb']) {
    assert.equal(withLineEndsOf(original, '1,"a\nb"'), '1,"a\nb"')
  }
})
