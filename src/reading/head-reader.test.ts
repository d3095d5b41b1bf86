// Tests of the head reader: its fast path gives the reading of the whole head, and is not used if anything is in doubt.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createHeadReader } from './head-reader.ts'
import { readHead } from './read-head.ts'
import { headBytesMax } from './reading.ts'
import { createFileScanner } from './scanner/file-scanner.ts'
import { withTrailingEmpty } from './scanner/trailing-empty.ts'
import { createScanner } from './scanner/wasm-scanner.ts'

/** Number of bytes on which the last reading was based. */
let decidedOn = 0
const read = createHeadReader(
  (head, ...rest) => {
    decidedOn = head.length
    return readHead(head, ...rest)
  },
  withTrailingEmpty(createFileScanner(createScanner)),
)
const lineAt = 15_000

/** A head of `headBytesMax` bytes, with one line replaced. */
function headWith(
  line: string | null,
  record = (i: number) => `${i},name ${i},${i}.50,2024-02-${10 + (i % 19)}`,
): Buffer {
  const lines = Array.from({ length: 30_000 }, (_, i) => record(i))
  if (line !== null) lines[lineAt] = line
  return Buffer.from(`id,name,amount,day\n${lines.join('\n')}\n`).subarray(0, headBytesMax)
}

test('createHeadReader() derives the reading of a uniform head from its beginning', () => {
  const texts: readonly Buffer[] = [
    headWith(null),
    headWith('-----,-----,-----,-----'),
    headWith(null, (i) => `${i},"Müller, ${i}",${i}.5,x`),
    Buffer.from(headWith(null).toString().replaceAll(',', ';').replaceAll('.', ',')),
    Buffer.from(`\ufeff${headWith(null)}`),
    Buffer.from(headWith(null).toString().replaceAll('\n', '\r\n')),
    Buffer.from(headWith(null).toString().replaceAll(',', '\t')),
    headWith('15000,5" pipe,3.50,2024-02-10'),
    headWith('15000,"two" ,3.50,2024-02-10'),
    headWith('15000,t\rwo,3.50,2024-02-10'),
    headWith(null, (i) => `${i},${['5" pipe', '"two" ', 't\rwo'][i % 3]},${i}.50,2024-02-${10 + (i % 19)}`),
  ]
  for (const head of texts) {
    assert.deepEqual(read(head, false), readHead(head, false))
    assert.ok(decidedOn < 70_000, `${decidedOn} bytes of ${head.subarray(0, 50)}`)
  }
})

test('createHeadReader() reads the whole head if one of its lines is in doubt', () => {
  const lines = {
    'a line end of CR LF': '15000,two,3.50,2024-02-10\r',
    'a short record': '1,2',
    'a long record': '1,2,3,4,5',
    'a blank line': '',
    'a comment': '# made by a program, and by no one else',
    'a multi-line value': '1,"two\nlines",3,4',
    'a stray quote': '1,"two,3,4',
    'a quote inside a value': '1,"a "quoted" name",3,4',
    'another escape': '1,"a \\"quoted\\" name",3,4',
    'a marked record': '#15000,two,3.50,2024-02-10',
    'a record marked in another way': '//15000,two,3.50,2024-02-10',
    'two carriage returns before the line end': '15000,two,3.50,2024-02-10\r\r',
    'a carriage return after a line end': '\r15000,two,3.50,2024-02-10',
    'the header again': 'id,name,amount,day',
    'letters beyond ASCII': '1,Müller,3,4',
    'a NUL': '1,a\0b,3,4',
    'an escape to Kanji': '1,\x1b$B$"\x1b(B,3,4',
  }
  for (const [what, line] of Object.entries(lines)) {
    const head = headWith(line)
    const attempt = (reader: typeof readHead) => {
      try {
        return reader(head, false)
      } catch (error) {
        return String(error)
      }
    }
    assert.deepEqual(attempt(read), attempt(readHead), what)
  }
  const latin = Buffer.concat([headWith(null).subarray(0, 700_000), Buffer.from('\n1,M\xfcller,3,4\n', 'latin1')])
  assert.deepEqual(read(latin, false), readHead(latin, false))
})

test('createHeadReader() reads the whole head if the beginning is in doubt, or has few records', () => {
  const wide = (i: number) => `${i},${'x'.repeat(2_000)},3,4`
  const heads = [
    headWith(null, wide),
    headWith('15000,two,3.50,"x" ', (i) => `${i},name ${i},${i % 11 === 1 ? '" "' : i},x`),
    Buffer.from(headWith(null).toString().replace('2,name', '2,"name')),
    Buffer.from(headWith(null).toString().replaceAll('\n', '\r\r\n')),
    headWith(null).subarray(0, 400_000),
    Buffer.from(headWith(null).toString().replaceAll(',', ' ')),
    Buffer.from(headWith(null).toString().replaceAll(',', '')),
    Buffer.from(headWith(null).toString(), 'utf16le').subarray(0, headBytesMax),
  ]
  for (const head of heads) assert.deepEqual(read(head, false), readHead(head, false))
})

test('createHeadReader() follows declarations', () => {
  const head = headWith(null)
  for (const declared of [{ header: false }, { delimiter: ';' }, { quoteChar: null }, { skipRows: 1 }]) {
    assert.deepEqual(read(head, false, declared), readHead(head, false, declared))
  }
  const short = headWith('15000,two')
  const padded = { padShortRecords: true } as const
  assert.deepEqual(read(short, false, padded), readHead(short, false, padded))
})

test('createHeadReader() reads more of a head whose records are long, or whose first letters are all ASCII', () => {
  const long = headWith(null, (i) => `${i},${'x'.repeat(500)},3,4`)
  const late = headWith(null, (i) => `${i},${i === 3_000 ? 'Müller' : 'x'.repeat(20)},3,4`)
  for (const head of [long, late]) {
    assert.deepEqual(read(head, false), readHead(head, false))
    assert.equal(decidedOn, 262_144)
  }
})

test('createHeadReader() reads a whole file that ends without a line end', () => {
  const file = headWith(null).subarray(0, 600_000)
  const end = file.lastIndexOf(0x0a)
  for (const head of [
    file.subarray(0, end + 1),
    file.subarray(0, end),
    Buffer.concat([file.subarray(0, end), Buffer.from('\nTotal')]),
  ]) {
    assert.deepEqual(read(head, true), readHead(head, true))
    assert.equal(decidedOn < 70_000, head.at(-1) === 0x0a)
  }
})
