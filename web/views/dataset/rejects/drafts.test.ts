// Tests of drafts: changes of line ends by a text field are undone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withLineEndsOf } from './drafts.ts'

test('withLineEndsOf() gives an edited text the line ends of the original', () => {
  assert.equal(withLineEndsOf('1,"a\r\nb\r\nc', '1,"a\nb\nc"'), '1,"a\r\nb\r\nc"')
  assert.equal(withLineEndsOf('1,"a\rb', '1,"a\nb"'), '1,"a\rb"')
})

test('withLineEndsOf() keeps line feeds if the original has no line ends, mixed ones or the same', () => {
  for (const original of ['1,a', '1,"a\r\nb\nc', '1,"a\nb']) {
    assert.equal(withLineEndsOf(original, '1,"a\nb"'), '1,"a\nb"')
  }
})
