// Tests of column names: unique, never empty, and with notes about changes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cpuMs } from '../../../test/support/cpu-time.ts'
import type { Note } from '../../core/notes.ts'
import { nameColumns } from './column-names.ts'

const codesOf = (notes: readonly Note[]) => notes.map(({ code }) => code)

test('nameColumns() keeps good names, trimmed and on one line', () => {
  assert.deepEqual(nameColumns([[' a ', 'b\r\n c']], 2), { names: ['a', 'b c'], fields: [' a ', 'b\r\n c'], notes: [] })
})

test('nameColumns() treats control characters as blanks, and keeps the field unchanged', () => {
  const { names, fields } = nameColumns([['a\0b', '\0', '\u0085c\u007f']], 3)
  assert.deepEqual(names, ['a b', 'column_2', 'c'])
  assert.deepEqual(fields, ['a\0b', '\0', '\u0085c\u007f'])
})

test('nameColumns() numbers repeated names, ignoring case, and leaves each name of the file to its column', () => {
  const { names, fields, notes } = nameColumns([['a', 'A', 'a_2', 'a']], 4)
  assert.deepEqual(names, ['a', 'A_3', 'a_2', 'a_4'])
  assert.deepEqual(nameColumns([['name', 'name', 'name_2', 'Name_2']], 4).names, [
    'name',
    'name_3',
    'name_2',
    'Name_2_2',
  ])
  assert.deepEqual(nameColumns([['', 'column_1', 'column_3', '']], 4).names, [
    'column_1_2',
    'column_1',
    'column_3',
    'column_4',
  ])
  assert.deepEqual(fields, ['a', 'A', 'a_2', 'a'])
  assert.deepEqual(codesOf(notes), ['NAMES_NUMBERED'])
})

test('nameColumns() names an unnamed column by its position', () => {
  assert.deepEqual(nameColumns([['', 'b', ' ']], 3).names, ['column_1', 'b', 'column_3'])
  assert.deepEqual(nameColumns([['column_2', '']], 2).names, ['column_2', 'column_2_2'])
  const none = nameColumns([], 2)
  assert.deepEqual([none.names, none.fields], [['column_1', 'column_2'], null])
  assert.deepEqual(codesOf(none.notes), ['NO_HEADER'])
})

test('nameColumns() adapts a header of another width', () => {
  assert.deepEqual(nameColumns([['a', 'b']], 3).names, ['a', 'b', 'column_3'])
  assert.deepEqual(nameColumns([['a', '', 'b', '']], 3).names, ['a', 'column_2', 'b'])
  assert.deepEqual(nameColumns([['a', '', 'b']], 2).names, ['a', 'b'])
  assert.deepEqual(codesOf(nameColumns([['a', 'b']], 3).notes), ['HEADER_WIDTH_DIFFERS'])
})

test('nameColumns() joins the records of a multi-line header, and names their lines and the joined values', () => {
  const headers = [
    ['speed', 'at'],
    ['km/h', ''],
  ]
  const { names, notes } = nameColumns(headers, 2, [4, 5])
  assert.deepEqual(names, ['speed km/h', 'at'])
  const message = 'The header is 2 records high (lines 4, 5): the values of each column are joined: speed km/h.'
  assert.deepEqual(notes, [{ code: 'HEADER_JOINED', message, lines: [4, 5] }])
})

test('nameColumns() is fast for many equal names', () => {
  const names = Array.from({ length: 50_000 }, () => 'a')
  assert.ok(cpuMs(() => nameColumns([names], 50_000)) < 2_000)
})
