// Tests of mend: what a rule changes is one value, whatever the dialect and the replacement; all else stays as written.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Dialect } from '../../core/receipt.ts'
import type { RejectReason } from '../../core/reject-reasons.ts'
import { createCsvRewriter } from '../../csv/csv-rewriter.ts'
import { comma, FieldWalker, quote } from '../../csv/field-walker.ts'
import { scanOptions } from '../../reading/scan-options.ts'
import { createFileScanner } from '../../reading/scanner/file-scanner.ts'
import { createScanner } from '../../reading/scanner/wasm-scanner.ts'
import { mended, type Rule } from './mend.ts'
import { recordReader } from './record-of-text.ts'

const plain: Dialect = {
  delimiter: ',',
  quoteChar: '"',
  doubleQuote: true,
  escapeChar: null,
  lineTerminator: '\n',
  header: true,
  skipRows: 0,
  commentChar: null,
  skipInitialSpace: false,
}
const dialects: readonly Dialect[] = [
  plain,
  { ...plain, delimiter: ';', skipInitialSpace: true, commentChar: '#' },
  { ...plain, delimiter: '¦', lineTerminator: '\r\n' },
  { ...plain, delimiter: '\t', quoteChar: null },
  { ...plain, escapeChar: '\\', doubleQuote: false },
  { ...plain, escapeChar: '\\', doubleQuote: true, declared: ['escapeChar'] },
  { ...plain, doubleQuote: false },
  { ...plain, quoteChar: "'", delimiter: '|', lineTerminator: '\r' },
]
const width = 3

/** The values of a text as a record of the dialect; null if it is none. */
function valuesOf(text: string, dialect: Dialect): readonly string[] | null {
  const start = { byteOffset: 0, records: 0, lines: 0, headerFields: null }
  const options = scanOptions({ encoding: { name: 'utf-8', bom: false }, dialect, width, start }, 1_048_576)
  const record = recordReader(createFileScanner(createScanner), options)(text)
  if (record.kind === 'refused') return null
  const [bytes = new Uint8Array()] = createCsvRewriter({ ...dialect, skipInitialSpace: false })(record.pieces)
  const walker = new FieldWalker({ delimiter: Uint8Array.of(comma), quoteByte: quote, escapeByte: -1, lineEnd: 'lf' })
  const values: string[] = []
  const all = dialect.delimiter === ',' && record.pieces.length > 1 ? Buffer.concat(record.pieces) : bytes
  walker.begin(all)
  while (walker.advance()) {
    const value = Buffer.from(all.subarray(walker.start, walker.end)).toString()
    values.push(walker.isQuoted ? value.replaceAll('""', '"') : value)
  }
  return values
}

function run(
  rule: Partial<Rule>,
  text: string,
  reason: RejectReason,
  column: number | null = null,
  next: string | null = null,
) {
  const whole: Rule = { reason, column: null, mend: 'trim', ...rule }
  return mended(whole, { text, reason, column, next, nullWord: '' }, plain, width)
}

test('mended() writes a value so that it is read back, and leaves the others as they are', () => {
  const seed = Math.floor(Math.random() * 2 ** 31)
  let state = seed
  const random = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * below)
  }
  const alphabet = ['a', 'é', '$&', '"', "'", ',', ';', '|', '¦', '\t', ' ', '\\', '#', '\n', '\r\n', '\\"', '""', '']
  const word = () => Array.from({ length: random(5) }, () => alphabet[random(alphabet.length)]).join('')
  const counts = { mended: 0, refused: 0 }
  for (let round = 0; round < 20_000; round++) {
    const dialect = dialects[round % dialects.length] ?? plain
    const text = Array.from({ length: width }, () => (random(3) === 0 ? `"${word()}"` : `${word()}k`)).join(
      dialect.delimiter,
    )
    const before = valuesOf(text, dialect)
    if (before === null) continue
    const column = 1 + random(width)
    const by = word()
    const rule: Rule = { reason: 'constraint', column, mend: 'replace', text: 'k', with: by }
    const after = mended(rule, { text, reason: 'constraint', column, next: null, nullWord: '' }, dialect, width)
    const place = `SEED=${seed} round ${round}: ${JSON.stringify({ dialect, text, column, by, after })}`
    if (after === null) {
      counts.refused++
      continue
    }
    const values = valuesOf(after, dialect)
    if (values === null) continue
    counts.mended++
    const wanted = before.with(column - 1, (before[column - 1] ?? '').split('k').join(by))
    assert.deepEqual(values, wanted, place)
  }
  assert.ok(counts.mended > 2_000, JSON.stringify({ seed, ...counts }))
})

test('mended() puts a wrong field in quotes, closes an open one, and leaves those alone whose place is uncertain', () => {
  assert.equal(run({ mend: 'quote' }, '1,"a"b,c', 'text_after_quote', 2), '1,"""a""b",c')
  assert.equal(run({ mend: 'quote' }, '1,"a, b,c', 'unclosed_quote', 2), '1,"a, b",c')
  assert.equal(run({ mend: 'quote' }, '1,2,"a,b', 'unclosed_quote', 3), '1,2,"a,b"')
  assert.equal(run({ mend: 'quote' }, '1,"a', 'unclosed_quote', 2), null)
  assert.equal(run({ mend: 'quote' }, '1,"b",c', 'constraint', 2), null)
  // The scanner repairs this record: its first value is `"1`, its second `a, b`.
  assert.equal(run({ mend: 'trim' }, '"1,"a, b",c', 'constraint', 2), null)
  assert.equal(run({ mend: 'null' }, '1,"x\\", y",c', 'constraint', 2), null)
  assert.equal(run({ mend: 'null' }, '1,2', 'too_few_fields', 2), null)
})

test('mended() adds, drops and joins without a look at values', () => {
  assert.equal(run({ mend: 'append' }, '1', 'too_few_fields'), '1,,')
  assert.equal(run({ mend: 'append' }, '1,2,3', 'constraint', 1), null)
  assert.equal(run({ mend: 'drop' }, '1,2,3,,""', 'too_many_fields'), '1,2,3')
  assert.equal(run({ mend: 'drop' }, '1,2,3, ', 'too_many_fields'), null)
  assert.equal(run({ mend: 'join' }, '1,a', 'too_few_fields', null, 'b,3'), '1,a b,3')
  assert.equal(run({ mend: 'join', with: '' }, '1,a', 'too_few_fields', null, 'b,3'), '1,ab,3')
  assert.equal(run({ mend: 'join' }, '1,a', 'too_few_fields'), null)
  assert.equal(run({ mend: 'leave' }, '1', 'too_few_fields'), null)
})

test('mended() replaces parts or whole values, and makes nothing of values that it does not change', () => {
  assert.equal(run({ mend: 'replace', text: '.', with: '' }, '1,a.b.c,3', 'constraint', 2), '1,abc,3')
  assert.equal(run({ mend: 'replace', text: 'a', with: 'b', whole: true }, '1,a a,3', 'constraint', 2), null)
  assert.equal(run({ mend: 'replace', text: '', with: '0', whole: true }, '1,,3', 'constraint', 2), '1,0,3')
  assert.equal(run({ mend: 'replace', text: 'x', with: 'y' }, '1,a,3', 'constraint', 2), null)
  assert.equal(run({ mend: 'trim' }, '1," a ",3', 'constraint', 2), '1,"a",3')
  assert.equal(run({ mend: 'trim' }, '1,a,3', 'constraint', 2), null)
  assert.equal(run({ mend: 'null' }, '1,"a",3', 'constraint', 2), '1,,3')
  assert.equal(run({ mend: 'null' }, '1,,3', 'constraint', 2), null)
})
