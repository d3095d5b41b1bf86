// Tests of damaged files: a damaged line costs at most itself, and does not change how the others are read.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomFrom } from '../core/random.testing.ts'
import { readHead } from './read-head.ts'
import type { DeclaredDialect } from './reading.ts'
import { scanOptionsOf } from './scan-options.ts'
import { createFileScanner } from './scanner/file-scanner.ts'
import { buildScanner } from './scanner/scanner-cases.testing.ts'
import { createScanner } from './scanner/wasm-scanner.ts'

buildScanner()

/** The accepted records as text, the lines of rejects, and those of values that look like records. */
function read(text: string, declared: DeclaredDialect = {}) {
  const bytes = Buffer.from(text)
  const reading = readHead(bytes, true, declared)
  const scanner = createFileScanner(createScanner)(scanOptionsOf(reading, 1 << 20))
  const results = [() => scanner.push(bytes.subarray(reading.before.bytes)), () => scanner.end()].map((step) => {
    const { pieces, ...others } = step()
    return { ...others, text: Buffer.concat(pieces).toString() }
  })
  return {
    names: reading.names,
    codes: reading.notes.map(({ code }) => code),
    text: results.map((one) => one.text).join(''),
    rejectedLines: results.flatMap(({ rejects }) => rejects.map(({ line }) => line)),
    runaways: results.flatMap(({ runaways }) => runaways),
  }
}

const cities = ['Lima', 'Oslo', 'Rome', 'Kyiv', 'Bonn']
const damages: Readonly<Record<string, readonly (readonly [line: number, text: string])[]>> = {
  'two unclosed quotes around a value with a comma': [
    [5, '5,Lima,"urgent'],
    [8, '8,Lima,"a, b"'],
    [12, '12,Lima,"urgent'],
  ],
  'the same at the beginning of lines': [
    [5, '"5,Lima,urgent'],
    [8, '"8",Lima,"a, b"'],
    [12, '"12,Lima,urgent'],
  ],
  'the first and the last record': [
    [1, '1,Lima,"urgent'],
    [20, '20,"Lima, Peru",open'],
    [40, '40,Lima,"urgent'],
  ],
  'three, and values with doubled quotes': [
    [2, '2,Lima,"urgent'],
    [9, '9,Lima,"say ""no"""'],
    [10, '10,"Lima,open'],
    [30, '30,"Li, ma",open'],
    [39, '39,Lima,"urgent'],
  ],
  'values of a quote, and one with doubled quotes': [
    [3, '3,",open'],
    [20, '20,Lima,"say ""no"""'],
    [33, '33,Lima,"'],
  ],
}
test('quotes that enclose more values than they break stay quotes, however small the file', () => {
  for (const size of [5, 8, 12, 20, 100]) {
    const rows = Array.from({ length: size }, (_, at) => `${at},"Ada${at}",2020-01-01\n`)
    const damaged = rows.map((row, at) => (at % 5 === 2 ? row.replace('",', ',') : row))
    const { names, codes, text, rejectedLines } = read(`"id","name","day"\n${damaged.join('')}`)
    assert.deepEqual([names, codes], [['id', 'name', 'day'], []])
    assert.equal(text, rows.filter((_, at) => at % 5 !== 2).join(''))
    assert.equal(rejectedLines.length, rows.filter((_, at) => at % 5 === 2).length)
  }
})

for (const [what, lines] of Object.entries(damages)) {
  test(`a file with unclosed quotes keeps all other lines: ${what}`, () => {
    const rows = Array.from({ length: 40 }, (_, at) => `${at + 1},${cities[at % 5]},note ${at + 1}`)
    for (const [line, text] of lines) rows[line - 1] = text
    const damaged = rows.filter((row) => row.replaceAll(/"[^"]*"/g, '').includes('"'))
    const whole = rows.filter((row) => !damaged.includes(row))
    for (const [end, delimiter] of [
      ['\n', ','],
      ['\r\n', ';'],
      ['\r\n', ','],
      ['\n', '\t'],
    ] as const) {
      const written = (some: readonly string[]) => some.map((row) => row.replaceAll(',', delimiter) + end).join('')
      const { text, rejectedLines } = read(written(['id,city,note', ...rows]))
      assert.equal(text, written(whole))
      assert.deepEqual(
        rejectedLines.map((line) => rows[line - 2]),
        damaged,
      )
    }
  })
}

test('a value over several lines whose last one begins with a quote stays one, unless its lines are records', () => {
  const rows = Array.from({ length: 30 }, (_, at) => `${at},"say "no" ${at}",x\n`).join('')
  const value = '7,"they said\n"no" to it",x\n'
  assert.equal(read(`id,t,c\n${rows}${value}${rows}`).rejectedLines.length, 0)
  const runaway = '7,"they said,x\n8,"a, b",x\n'
  assert.deepEqual(read(`id,t,c\n${rows}${runaway}${rows}`).rejectedLines, [32])
})

test('quotes that are not escaped: a quote that closes far below costs one line', () => {
  const rows = Array.from({ length: 300 }, (_, at) => `${at},Lima,open\n`)
  rows[100] = '100,Lima,"urgent\n'
  rows[250] = '250,Lima,"a, b"\n'
  const readWith = (row: string) => {
    const text = `id,city,note\n${[...rows.slice(0, 110), row, ...rows.slice(110)].join('')}`
    const { runaways, rejectedLines } = read(text, { doubleQuote: false })
    return [rejectedLines, runaways.map(({ lineCount, isSplit }) => [lineCount, isSplit])]
  }
  assert.deepEqual(readWith('x,Lima,open\n'), [[102], [[152, true]]])
  assert.deepEqual(readWith('x,Lima,5" pipe\n'), [[102], []])
})

test('lines of quoted values that are cut cost themselves alone', () => {
  const rows = Array.from({ length: 40 }, (_, at) => `"${at + 1}";"2024-05-01"`)
  rows[18] = '"19";"2'
  rows[29] = '"3'
  const { text, rejectedLines } = read(['id;day', ...rows, ''].join('\n'))
  assert.deepEqual(rejectedLines, [20, 31])
  assert.equal(text, rows.flatMap((row, at) => (at === 18 || at === 29 ? [] : [`${row}\n`])).join(''))
})

test('padShortRecords: one record too long does not change what the header names', () => {
  const padded = (text: string) => {
    const { names, rejectedLines } = read(text, { padShortRecords: true })
    return [names.join(), rejectedLines.join()]
  }
  const long = 'a,b,c\n1,x,3\n2,y,3\n1,y,3,z\n'
  assert.deepEqual(padded(long + '1,2,3\n'.repeat(5)), ['a,b,c', '4'])
  assert.deepEqual(padded(`Report\n\n${long}1\n`), ['a,b,c', '6'])
  assert.deepEqual(padded('Report,draft\na,b,c,d\n1,2\n2,3\n3,4\n6,7,8\n1,2,3,4,5\n'), ['a,b,c,d', '7'])
  // A header of fewer names than most records have fields says nothing of the others; neither does a record.
  assert.deepEqual(padded('a,b,c\nr1,2,3,4\nr2,3,4,5\nr3\n'), ['column_1,a,b,c', ''])
  assert.deepEqual(padded('1,2\n1\n1,2,3\n'), ['column_1,column_2,column_3', ''])
})

test('padShortRecords: ragged records are split by the delimiter that most of them have, and one column is doubted', () => {
  const read = (text: string) => {
    const { width, names, notes } = readHead(Buffer.from(text), true, { padShortRecords: true })
    return [width, names.join(), notes.some(({ code }) => code === 'UNLIKELY_TABLE')]
  }
  const ragged = 'a,b,c,d\n1,2\n3,4,5\n6\n7,8\n9,1\n2\n3,,4\n'
  for (const delimiter of [',', ';', '\t', '|']) {
    assert.deepEqual(read(ragged.replaceAll(',', delimiter)), [4, 'a,b,c,d', false])
  }
  const other = 'first: one\nsecond: two, or three\n\nthird: [4, 5]\n\nfourth: six\nfifth: seven\n'
  assert.deepEqual(read(other), [1, 'first: one', true])
})

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 1_000_000))
test(`a damaged line costs at most itself, seed ${seed}`, () => {
  const random = randomFrom(seed)
  const pick = <T>(of: readonly T[]) => of[random(of.length)] as T
  for (let round = 0; round < 150; round += 1) {
    const [delimiter, end, count] = [pick([',', ';', '\t', '|']), pick(['\n', '\r\n']), pick([30, 60, 300])]
    const style = random(3)
    const notes = ['open', 'call back', `a${delimiter} b`, 'say "no"', 'late']
    const written = (value: string, isText: boolean) =>
      /["\t,;|]/.test(value) || style === 2 || (style === 1 && isText) ? `"${value.replaceAll('"', '""')}"` : value
    const rows = Array.from({ length: count }, (_, at) => [
      written(`${at}`, false),
      written(pick(cities), true),
      written(random(5) ? 'open' : pick(notes), true),
    ])
    const lines = rows.map((row) => row.join(delimiter))
    const damaged = new Set(Array.from({ length: 1 + random(3) }, () => pick([0, count - 1, random(count)])))
    const kind = random(5)
    for (const at of damaged) {
      const [id = '', city = '', note = ''] = rows[at] ?? []
      const bad = [
        [id, city, `"${note.replaceAll('"', '')}`],
        [`"${id.replaceAll('"', '')}`, city, note],
        [id, note],
        [id, city, 'x', note],
        [id, `${city}\0`, note],
      ]
      lines[at] = bad[kind]?.join(delimiter) ?? ''
    }
    const whole = lines.filter((_, at) => !damaged.has(at))
    const { text, rejectedLines } = read(
      ['id', 'city', 'note'].join(delimiter) + end + lines.map((line) => line + end).join(''),
    )
    const what = `round ${round}, kind ${kind}, lines ${[...damaged].map((at) => at + 2)}`
    const texts = new Set(text.split(end))
    assert.deepEqual(
      whole.filter((line) => !texts.has(line)),
      [],
      what,
    )
    assert.ok(
      rejectedLines.every((line) => damaged.has(line - 2)),
      what,
    )
  }
})
