// Tests of part heads and their parameters.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isServiceError } from '../core/errors.ts'
import { readPartHead } from './part-head.ts'
import { bytesOf } from './record-parts.testing.ts'

const read = (...lines: string[]) => readPartHead(bytesOf(`${lines.map((line) => `${line}\r\n`).join('')}\r\n`))
const utf8 = (text: string) => Buffer.from(text).toString('latin1')

const dispositions: readonly (readonly [value: string, name: string | null, fileName: string | null])[] = [
  ['form-data; name="file"; filename="a.csv"', 'file', 'a.csv'],
  ['FORM-DATA; NAME="file"; FILENAME="a.csv"', 'file', 'a.csv'],
  ['form-data; filename="a.csv"; name="file"', 'file', 'a.csv'],
  ['form-data;name=file;filename=a.csv', 'file', 'a.csv'],
  ['form-data ; name = "file" ; filename = my file.csv ;', 'file', 'my file.csv'],
  ['form-data; name="file "', 'file ', null],
  ['form-data; name="File"', 'File', null],
  ['form-data; name=""; filename="a.csv"', '', 'a.csv'],
  ['form-data; filename="a.csv"', null, 'a.csv'],
  ['form-data; name="file"; filename=""', 'file', ''],
  ['form-data; name="file"; filename', 'file', ''],
  ['form-data; name="file"; filename=', 'file', ''],
  ['form-data', null, null],
  ['form-data;', null, null],
  ['', null, null],
  ['inline; name="file"; filename="a.csv"', null, null],
  ['attachment; name="file"; filename="a.csv"', null, null],
  ['form-datax; name="file"', null, null],
  ['attachment; name="unclosed', null, null],

  ['form-data; name="a;b"; filename="c;d.csv"', 'a;b', 'c;d.csv'],
  ['form-data; name="a\\"b"; filename="c\\\\d\\"e.csv"', 'a"b', 'd"e.csv'],
  ['form-data; name="file"; filename="a%22b%20c.csv"', 'file', 'a"b%20c.csv'],
  ['form-data; name="file"; filename="b%0Dc"', 'file', 'b%0Dc'],
  ['form-data; name="file"; filename="C:\\dir\\a.csv"', 'file', 'a.csv'],
  ['form-data; name="file"; filename="..\\..\\../../etc/a.csv"', 'file', 'a.csv'],
  ['form-data; name="file"; filename="/tmp/"', 'file', 'tmp'],
  ['form-data; name="file"; filename="C:\\dir\\"', 'file', 'dir'],
  ['form-data; name="file"; filename="a.csv//"', 'file', 'a.csv'],
  ['form-data; name="file"; filename="/"', 'file', '/'],
  ['form-data; name="file"; filename="say "hi".csv"', 'file', 'say "hi".csv'],
  ['form-data; filename="say "hi".csv"; name="file"', 'file', 'say "hi".csv'],
  ['form-data; name="file"; filename=say "hi".csv', 'file', 'say "hi".csv'],
  ['form-data; name="file"; filename=5" disk.csv', 'file', '5" disk.csv'],
  ['form-data; name="file"; filename="=?UTF-8?Q??="', 'file', '=?UTF-8?Q??='],
  ['form-data; name="file"; filename="5" disk.csv"', 'file', '5" disk.csv'],
  ['form-data; name="file"; filename=""quoted""', 'file', '"quoted"'],
  ['form-data; name="file"; filename="a "b" c.csv" ; size=3', 'file', 'a "b" c.csv'],
  ['form-data; name=file; filename="a "b".csv"; filename*=UTF-8\'\'c.csv', 'file', 'c.csv'],
  ['form-data; name=file; filename="a.csv"; filename*=UTF-8\'\'', 'file', 'a.csv'],
  ['form-data; name=file; filename="a.csv"; filename*=', 'file', 'a.csv'],
  ['form-data; name=file; filename="a.csv"; filename*=UTF-8\'\'b%00.csv', 'file', 'a.csv'],
  ['form-data; name=file; filename=""; filename*=UTF-8\'\'', 'file', ''],
  ['form-data; name="file"; filename="=?UTF-8?Q?Z=C3=BCrich_1.csv?="', 'file', 'Zürich 1.csv'],
  ['form-data; name="=?UTF-8?Q?file?="; filename="a.csv"', '=?UTF-8?Q?file?=', 'a.csv'],
  ['form-data; name="file"; filename="=?UTF-8?Q?..=2Fa.csv?="', 'file', 'a.csv'],
  ['form-data; name="file"; size=1; filename="a.csv"; size=2', 'file', 'a.csv'],
  [`form-data; name="${utf8('größe')}"; filename="${utf8('naïve 表.csv')}"`, 'größe', 'naïve 表.csv'],
  ['form-data; name="file"; filename="na\xefve.csv"', 'file', 'naïve.csv'],

  ["form-data; name=file; filename*=UTF-8''na%C3%AFve%20file.csv", 'file', 'naïve file.csv'],
  ["form-data; name=file; filename*=utf-8'en'%e8%a1%a8.csv", 'file', '表.csv'],
  ["form-data; name=file; filename*=iso-8859-1''na%EFve.csv", 'file', 'naïve.csv'],
  ["form-data; name=file; filename=plain.csv; filename*=UTF-8''na%C3%AFve.csv", 'file', 'naïve.csv'],
  ["form-data; name=file; filename*=UTF-8''%2e%2e%2fa.csv", 'file', 'a.csv'],
  ["form-data; name=file; filename=plain.csv; filename*=UTF-8''na%C3ve.csv", 'file', 'plain.csv'],
  ["form-data; name=file; filename=plain.csv; filename*=UTF-8''na%Gve.csv", 'file', 'plain.csv'],
  ["form-data; name=file; filename=plain.csv; filename*=koi8-r''x.csv", 'file', 'plain.csv'],
  ['form-data; name=file; filename=plain.csv; filename*=x.csv', 'file', 'plain.csv'],
  ["form-data; name=file; filename*=UTF-8''", 'file', ''],
  ['form-data; name=file; filename*=bogus', 'file', ''],
]

for (const [value, name, fileName] of dispositions) {
  test(`readPartHead() reads ${JSON.stringify(value)}`, () => {
    assert.deepEqual(read(`Content-Disposition: ${value}`), { name, fileName, contentType: null })
  })
}

test('readPartHead() joins folded lines, accepts header names in any case and ignores other headers', () => {
  const head = read(
    'CONTENT-disposition:form-data;',
    ' name="file";',
    '\t filename="a.csv"',
    'X-Other: 1',
    'Content-Type:\ttext/csv ',
  )
  assert.deepEqual(head, { name: 'file', fileName: 'a.csv', contentType: 'text/csv' })
})

test('readPartHead() accepts a part without headers, and uses the first of two content types', () => {
  assert.deepEqual(read(), { name: null, fileName: null, contentType: null })
  assert.equal(read('Content-Type: text/csv', 'Content-Type: text/plain').contentType, 'text/csv')
})

const disposition = 'Content-Disposition: form-data; name="file"'
for (const [what, lines, problem] of [
  ['a NUL in the file name', [`${disposition}; filename="b\0c"`], /NUL/],
  ['a NUL in a header name', [disposition, 'conten\0-extra: x'], /NUL/],
  ['a NUL in another value', [disposition, 'Content-Type: tex\0t/csv'], /NUL/],
  ['a bare LF', [`${disposition}\nContent-Type: text/csv`], /line end/],
  ['a bare CR', ['Content-\risposition: form-data'], /line end/],
  ['a bare CR before a fold', ['Content-Disposition: form-data;\r', ' name=file'], /line end/],
  ['an encoded NUL in filename*', [`${disposition}; filename*=UTF-8''a%00b`], /file name/],
  ['an encoded line end in filename*', [`${disposition}; filename*=UTF-8''a%0d%0ab`], /file name/],
  ['a line without colon', [disposition, 'nocolon'], /name: value/],
  ['a header without name', [': form-data; name="file"'], /name: value/],
  ['a blank in a header name', [disposition, 'Bad header: x'], /name: value/],
  ['a blank before the colon', ['Content-Disposition : form-data'], /name: value/],
  ['a first line that begins with a blank', [' Content-Disposition: form-data'], /name: value/],
  ['Content-Disposition twice', [disposition, 'content-disposition: form-data; name="other"'], /twice/],
  ['name twice', [`${disposition}; name="other"`], /'name' is given twice/],
  ['filename twice', [`${disposition}; filename=a; FileName=b`], /'filename' is given twice/],
  ['an unclosed quote', [`${disposition}; filename="a.csv`], /quote/],
  ['a path that escapes its closing quote', [`Content-Disposition: form-data; filename="C:\\"; name="file"`], /quote/],
  ['a name with bare quotes that can end in two places', [`${disposition}; filename="a"b"; c=".csv"`], /quote/],
  [
    'an odd bare quote before another quoted parameter',
    ['Content-Disposition: form-data; filename="5" x"; name="y"'],
    /quote/,
  ],
  ['a bare quote and a semicolon in an unquoted name', [`${disposition}; filename=a"b;c".csv`], /quote/],
  ['bare quotes in another name', ['Content-Disposition: form-data; name="a "b""; filename="x"'], /quote/],
  ['filename* twice', [`${disposition}; filename*=UTF-8''a; filename*=UTF-8''b`], /given twice/],
  ['text after a closing quote', ['Content-Disposition: form-data; name="file"x'], /quote/],
  ['65 header lines', [disposition, ...Array<string>(64).fill('X: y')], /more than 64/],
] as const) {
  test(`readPartHead() refuses ${what}`, () => {
    assert.throws(
      () => read(...lines),
      (error) => isServiceError(error, 'BAD_MULTIPART') && problem.test(error.details.problem),
    )
  })
}

test('readPartHead() accepts 64 header lines', () => {
  assert.equal(read(disposition, ...Array<string>(63).fill('X: y')).name, 'file')
})
