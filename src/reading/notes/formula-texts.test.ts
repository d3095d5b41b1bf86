// Tests of notes about values written as formulas.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readHead } from '../read-head.ts'

const notesOf = (text: string) => {
  return readHead(Buffer.from(text), true).notes.filter(({ code }) => code === 'VALUES_AS_FORMULAS')
}

test('readHead() notes columns in which each value is written as ="…", quoted or not, apart from empty ones', () => {
  const [only, ...others] = notesOf('id,code\n1,="001"\n2,"=""002"""\n3,\n')
  assert.deepEqual([only?.column, others], ['code', []])
  assert.match(notesOf('n,a,b\n1,="x",="1"\n2,="y",="2"\n')[0]?.message ?? '', /columns a, b is/)
})

test('readHead() does not note formulas among other values, nor an empty column', () => {
  assert.deepEqual(notesOf('id,code\n1,="001"\n2,002\n3,="003"\n'), [])
  assert.deepEqual(notesOf('id,code\n1,=A1\n2,="x"&"y"\n'), [])
  assert.deepEqual(notesOf('id,="x"\n1,\n2,\n'), [])
})
