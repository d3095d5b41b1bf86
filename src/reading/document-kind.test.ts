// Tests of document kinds: documents in other formats are distinguished from tables that contain markup or JSON.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cpuMs } from '../../test/support/cpu-time.ts'
import { documentKind } from './document-kind.ts'

const page =
  '<!DOCTYPE html>\n<html lang="en">\n<head><title>Sign in, please</title></head>\n<body>a, b; c</body>\n</html>\n'
const items = Array.from({ length: 40 }, (_, i) => ({ id: i, name: `name, ${i}`, tags: ['a', 'b'] }))

const documents: Readonly<Record<string, { text: string; kind: string; isWhole?: boolean }>> = {
  'an HTML page': { text: page, kind: 'an HTML page' },
  'its beginning': { text: page.slice(0, 60), isWhole: false, kind: 'an HTML page' },
  'a page without a doctype, behind blanks': { text: `\r\n  ${page.slice(16)}`, kind: 'an HTML page' },
  'a page that is not closed': { text: '<html><body><h1>502 Bad Gateway</h1>\n<hr>nginx\n', kind: 'an HTML page' },
  'a table as HTML': { text: '<table border=1>\n<tr><td>1</td><td>2</td></tr>\n</table>', kind: 'an HTML page' },
  'an XML document': { text: '<?xml version="1.0"?>\n<rows>\n<row a="1,2"/>\n</rows>\n', kind: 'an XML document' },
  'XML without a declaration': { text: '<rows><row><n>1</n></row>\n<row/></rows>\n', kind: 'an XML document' },
  'XML behind a comment': { text: '<!-- a, b --><rows>\n<rows>1</rows>\n</rows>', kind: 'an XML document' },
  'an array of objects': { text: JSON.stringify(items, null, 2), kind: 'a JSON document' },
  'its beginning ': { text: JSON.stringify(items, null, 2).slice(0, 700), isWhole: false, kind: 'a JSON document' },
  'the beginning cut inside a text': {
    text: JSON.stringify(items).slice(0, 618),
    isWhole: false,
    kind: 'a JSON document',
  },
  'an object': { text: '{"error": "not found", "code": 404}', kind: 'a JSON document' },
  'an object a line': { text: items.map((item) => JSON.stringify(item)).join('\n'), kind: 'a JSON document' },
  'an array of arrays': { text: '[[1, 2],\n [3, 4]]', kind: 'a JSON document' },
}

for (const [what, { text, kind, isWhole = true }] of Object.entries(documents)) {
  test(`documentKind() finds ${what.trim()} (${kind})`, () => assert.equal(documentKind(text, isWhole), kind))
}

const tables: Readonly<Record<string, string>> = {
  'names in angle brackets': '<id>,<name>\n1,Ann\n',
  'one name in angle brackets': '<html>\n1\n2\n',
  'pages without a header': '<html><b>1</b></html>,ham\n<html><b>2</b></html>,spam\n',
  'a page and its label': '<html><body>x</body></html>,ham\n',
  'XML in the first field': '<?xml version="1.0"?><a><b/></a>;1\n<?xml version="1.0"?><a><b/></a>;2\n',
  'fragments that begin and end with the same tag': '<b>one</b>,<b>two</b>\n<b>three</b>,<b>four</b>\n',
  'less-than signs': '<5,10\n<3,8\n',
  'a mail address in brackets': '<ann@example.org>,Ann\n<bob@example.org>,Bob\n',
  'names in square brackets': '[id],[name]\n1,Ann\n',
  'lists in square brackets': '[1,2,3]\n[4,5,6]\n',
  'JSON in the first field': '{"a":1};x\n{"a":2};y\n',
  'objects side by side': '{"a":1},{"b":2}\n{"a":3},{"b":4}\n',
  'names in braces': '{id},{name}\n{1},{2}\n',
  'a log level in brackets': '[INFO],started\n[WARN],slow\n',
  'quoted JSON': '"{""a"":1}",2\n',
  'arrays in fields': '[[1,2]],3\n[[4,5]],6\n',
}

for (const [what, text] of Object.entries(tables)) {
  test(`documentKind() leaves a table with ${what} alone`, () => {
    assert.equal(documentKind(text, true), null)
    assert.equal(documentKind(text.repeat(50), false), null)
  })
}

test('documentKind() is fast even for hostile text', () => {
  for (const piece of ['<!--', '<a ', '<a>', '<a "', '</a', '<?', '{"', '[', '[[1],', '{"a":{', ' ', '<a/>']) {
    const ms = cpuMs(() => {
      documentKind(`<a>${piece.repeat(262_144 / piece.length)}`, false)
      documentKind(piece.repeat(262_144 / piece.length), true)
    })
    assert.ok(ms < 2_000, `${JSON.stringify(piece)}: ${ms} ms`)
  }
})
