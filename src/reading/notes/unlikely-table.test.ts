// Tests of unlikelyTable(): figures distinguish other texts from tables, messy tables included.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readHead } from '../read-head.ts'
import type { DeclaredDialect } from '../reading.ts'
import { tokenize } from '../sniffer/tokenize.ts'
import { unlikelyTable } from './unlikely-table.ts'

function messageOf(text: string, declared: DeclaredDialect = {}): string | undefined {
  const { notes } = readHead(Buffer.from(text), true, declared)
  return notes.find(({ code }) => code === 'UNLIKELY_TABLE')?.message
}

const others: Readonly<Record<string, string>> = {
  'an email':
    'From: Ann <ann@example.org>\nTo: Bob\nSubject: Figures, again\n\nHi Bob,\n\nthey seem fine, all but one.\nSee you\n',
  YAML: 'services:\n  web:\n    image: nginx\n    ports: [80, 443]\n    env:\n      - A=1\n  db:\n    image: postgres\n',
  SQL: "CREATE TABLE t (\n  id integer,\n  name text\n);\n\nINSERT INTO t VALUES (1, 'a');\nINSERT INTO t VALUES (2, 'b, c');\n",
  Markdown:
    '# Title\n\nSome words, with a [link](a.md) in them.\n\n- one thing\n- another, longer one\n\n## More\n\nSee `f(x)` there.\n',
  'aligned text':
    '  PID USER      TIME CMD\n    1 root      0:01 init\n   77 anna      1:20 vim a b\n 1234 www-data  0:00 nginx\n    8 root      0:00 sh\n',
  code: 'int main(int argc, char **argv) {\n  if (argc < 2) {\n    puts("usage");\n    return 1;\n  }\n\n  run(argv[1], 0);\n  return 0;\n}\n',
  settings: '[server]\nhost = localhost\nport = 80\n\n[log]\nlevel = info\nfile = a.log\n',
  prose:
    'It was cold, and the clocks struck.\nHe sat down by the road; nobody spoke.\nThen a boy came by with bread, and a letter.\nHe asked the way, but got no answer at all.\nSo he went on, alone.\n\nIt rained. Nobody came, not even the boy, who had gone home.\nThe clock struck one.\n',
}

for (const [what, text] of Object.entries(others)) {
  test(`unlikelyTable() notes that ${what} is no table, unless a delimiter is declared`, () => {
    assert.match(messageOf(text) ?? '', /^The lines do not read as records of a table: .*\d+ % /)
    assert.equal(messageOf(text, { delimiter: ',' }), undefined)
  })
}

test('unlikelyTable() looks at no single character of lines without brackets, however wide they are', (t) => {
  const line = Array.from({ length: 2000 }, (_, at) => `a${at}`).join(',')
  const tokens = tokenize(
    `${line}\n`.repeat(30),
    { delimiter: 44, quote: 34, escape: 'doubled', lineEnd: 'lf', skipInitialSpace: false },
    false,
  )
  const iterate = String.prototype[Symbol.iterator]
  t.after(() => Object.assign(String.prototype, { [Symbol.iterator]: iterate }))
  let iterated = 0
  Object.assign(String.prototype, {
    [Symbol.iterator](this: string) {
      iterated++
      return iterate.call(this)
    },
  })
  const rows = Array.from({ length: 30 }, (_, row) => row)
  const notes = unlikelyTable(tokens, 2000, rows, false)
  assert.equal(iterated, 0)
  assert.deepEqual(notes, [])
})

test('unlikelyTable() says nothing about tables, even messy ones, and lists', () => {
  const typed = 'id,name,amount\n1,a,2.5\n2,b\n3,c,1.5,x\n4,d,7.25\n5,e\n\n6,f,2.5\n'
  const list = 'city\nParis\nNew York\nSan José (CR)\nBerlin\nRio de Janeiro\n'
  const texts = 'comment\n"Nice, but (really) slow: no"\n"It was good, I must say"\n"Never again, sorry"\nfine\nok\n'
  const urls =
    'https://a.example/?q=1\nhttps://b.example/x\nhttps://c.example/y\nhttps://d.example/z\nhttps://e.example\n'
  const titled = 'Report of May\n\nMade by hand, twice\n\nname;city\nAnn;Bonn\nBob;Ulm\nCid;Kiel\nDan;Trier\n'
  for (const text of [typed, list, texts, urls, titled, 'a b c d,\n  {\n\n'])
    assert.equal(messageOf(text), undefined, text)
})
