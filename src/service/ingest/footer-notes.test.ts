// Tests of footer notes: footers, totals and truncated files are noted from their last lines, and other files are not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readHead } from '../../reading/read-head.ts'
import { headBytesMax } from '../../reading/reading.ts'
import { dataStart, scanOptions } from '../../reading/scan-options.ts'
import { createFileScanner } from '../../reading/scanner/file-scanner.ts'
import { buildScanner } from '../../reading/scanner/scanner-cases.testing.ts'
import { createScanner } from '../../reading/scanner/wasm-scanner.ts'
import { footerNotes } from './footer-notes.ts'
import { RecordTally } from './record-tally.ts'

buildScanner()

async function readNotes(text: string | Buffer) {
  const bytes = Buffer.from(text)
  const reading = readHead(bytes, bytes.length <= headBytesMax)
  const scanner = createFileScanner(createScanner)(scanOptions({ ...reading, start: dataStart(reading) }, 1_000_000))
  const tally = new RecordTally()
  tally.add(scanner.push(bytes.subarray(reading.before.bytes)))
  tally.add(scanner.end())
  const read = async (position: number, length: number) => bytes.subarray(position, position + length)
  const end = { read, bytes: bytes.length, reading, lines: tally.lines, lastRejects: tally.last }
  return footerNotes(end)
}

async function notesOf(text: string | Buffer): Promise<string> {
  return (await readNotes(text)).map(({ message }) => message).join(' ')
}

const rows = Array.from({ length: 200 }, (_, at) => `${at},Ann,${at * 2}\n`).join('')
const table = `id,name,n\n${rows}`

const cases: readonly [what: string, text: string | Buffer, wanted: RegExp][] = [
  ['nothing of an ordinary file', table, /^$/],
  ['nothing of a file without a last line end', table.trimEnd(), /^$/],
  ['nothing of a header alone', 'total,n\n', /^$/],
  ['nothing of a record that lacks one field', `${table}200,Ann\n`, /^$/],
  [
    'a total of the full width',
    `${table}Total,,39800\n`,
    /^The last record \(line 202\) looks like a total: it is read/,
  ],
  ['a total in quotes, blank lines below', `${table}"Gesamt:",,39800\n\n\n`, /\(line 202\) looks like a total/],
  ['a total with its figure', `${table}Total: 39800,,\n`, /\(line 202\) looks like a total/],
  ['a count in brackets', `${table}Total (all),,39800\n`, /\(line 202\) looks like a total/],
  ['nothing for a longer word', `${table}Totalenergies,,39800\n`, /^$/],
  ['a total without a line end', `${table},Grand total,39800`, /\(line 202\) looks like a total/],
  ['an average', `${table}Average,,199\n`, /\(line 202\) looks like an average: it is read/],
  ['a short average', `${table}Mean,199\n`, /\(line 202\) has fewer fields/],
  ['nothing for a word that contains an average', `${table}Meanwhile,,199\n`, /^$/],
  ['a short total', `${table}Total,39800\n`, /^The last record \(line 202\) has fewer fields .* it is a reject\.$/],
  ['the row count of a client', `${table}\n(200 rows)\n`, /\(line 203\) has fewer fields/],
  ['the row count of a client without a line end', `${table}-- 200 rows --`, /\(line 202\) has fewer fields/],
  [
    'several remarks',
    `${table}\nSource: us\n\nMade by hand\n`,
    /^The last 2 records \(lines 203, 205\) have fewer fields/,
  ],
  [
    'a remark below a total',
    `${table}Total,,39800\nSource: us\n`,
    /line 202\) looks like a total.*line 203\) has fewer/,
  ],
  [
    'a total below more lines than are read',
    `${table}${rows.repeat(40)}Total,,1\n`,
    /\(line 8202\) looks like a total/,
  ],
  ['a remark in UTF-16', Buffer.from(`\ufeff${table}Source: us\n`, 'utf16le'), /\(line 202\) has fewer fields/],
  ['nothing for a second table', `${table}\nplace,size\nRome,1\nOslo,2\n`, /^$/],
  ['many short records are no footer', `${table}${'a,b\n'.repeat(6)}`, /^$/],
  [
    'a truncated record',
    `${table}200,An`,
    /^The file ends in an incomplete record .*\(line 202\): it may be truncated/,
  ],
  ['the end of a text from DOS', `${table}\x1a`, /^The last record \(line 202\) has fewer fields/],
  ['a record truncated in quotes', `${table}200,"An`, /\(line 202\): it may be truncated/],
  ['nothing for a long total column', `name,n\n${'Total,1\nother,2\n'.repeat(9)}`, /^$/],
]
for (const [what, text, wanted] of cases) {
  test(`footerNotes() notes ${what}`, async () => assert.match(await notesOf(text), wanted))
}

test('footerNotes() has codes and lines', async () => {
  const codes = async (text: string) => (await readNotes(text)).map(({ code, lines }) => [code, lines])
  assert.deepEqual(await codes(`${table}Total,,39800\nSource: us\n`), [
    ['TOTAL_RECORD', [202]],
    ['FOOTER_REJECTED', [203]],
  ])
  assert.deepEqual(await codes(`${table}200,An`), [['FILE_CUT_OFF', [202]]])
})

test('footerNotes() notes totals in the words of many languages', async () => {
  const words =
    'Grand Total,Zwischensumme,Gesamtergebnis,Total général,Razem,Suma końcowa,Łącznie,Genel Toplam,Összesen,Celkem,ИТОГО,' +
    'Σύνολο,合計,总计,총계,Totalt,Yhteensä,המ,סה"כ,المجموع'
  const missed: string[] = []
  for (const word of words.split(',')) if (!/a total/.test(await notesOf(`${table}${word},,39800\n`))) missed.push(word)
  assert.deepEqual(missed, ['המ'])
})

test('footerNotes() notes lines of UTF-8 at the end of a long file that begins in another encoding', async () => {
  const line = 'Müller,Köln,7\n'
  const head = Buffer.from(`name,ort,n\n${line.repeat(90_000)}`, 'latin1')
  const notes = await readNotes(Buffer.concat([head, Buffer.from(line.repeat(2)), Buffer.from('Ann,Rom,1\n')]))
  assert.deepEqual(notes, [
    {
      code: 'ENCODING_GUESSED',
      message:
        'The encoding is not certain: windows-1252 was guessed from the first megabyte, but 2 lines at the end are valid UTF-8; please check lines 90002 to 90003.',
      lines: [90002, 90003],
    },
  ])
  assert.deepEqual(await readNotes(head), [])
})
