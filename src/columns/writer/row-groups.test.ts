// Tests of row groups: where they end, how one affects the next, and how their texts are compressed.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Random, randomFrom } from '../../core/random.testing.ts'
import { openDuckDb } from '../../engine/duckdb/duckdb.ts'
import { encodings } from '../parquet/parquet-format.ts'
import { layoutOf, seed, writeColumns } from './columns.testing.ts'

const layout = layoutOf(1)
const columns = [{ name: 'a', type: { kind: 'text' }, nullWords: [] }] as const

test('createColumnWriter() ends a row group with the last record within its bytes', (t) => {
  t.diagnostic(`SEED=${seed}`)
  const random = randomFrom(seed)
  for (let round = 0; round < 100; round++) {
    const rowGroupBytes = 32 + random(300)
    const isShort = round % 2 === 0
    const texts = Array.from({ length: 1 + random(200) }, () =>
      'x'.repeat(1 + random(isShort || random(20) > 0 ? 30 : 900)),
    )
    const wanted: number[] = []
    let bytes = Number.POSITIVE_INFINITY
    for (const { length } of texts) {
      bytes += length + 1
      if (bytes > rowGroupBytes) {
        wanted.push(0)
        bytes = length + 1
      }
      wanted[wanted.length - 1]! += 1
    }
    // Whatever the window, and the pieces in which the records come.
    const windowBytes = random(2) === 0 ? undefined : 16 + random(4 * rowGroupBytes)
    const cut = random(2) === 0 ? undefined : () => 1 + random(2 * rowGroupBytes)
    const text = texts.map((one) => `${one}\n`).join('')
    const { part, rowGroups } = writeColumns(
      text,
      { layout, columns, rowGroupBytes, ...(windowBytes && { windowBytes }) },
      cut,
    )
    assert.deepEqual(
      rowGroups.map(({ records }) => records),
      wanted,
      `SEED=${seed}`,
    )
    const uncut = writeColumns(text, { layout, columns, rowGroupBytes })
    assert.ok(part.equals(uncut.part), `SEED=${seed}`)
  }
})

test('createColumnWriter() has room for the positions of a row group in which every byte is a separator', () => {
  const two = { layout: layoutOf(2), columns: [...columns, { ...columns[0], name: 'b' }] }
  const records = 900_000
  const { rowGroups } = writeColumns(',\n'.repeat(records), { ...two, rowGroupRecords: records })
  const inFirst = 1_572_864 / 2
  assert.deepEqual(
    rowGroups.map((group) => group.records),
    [inFirst, records - inFirst],
  )
})

test('createColumnWriter() writes no dictionary after a row group with too many texts for one', () => {
  const different = Array.from({ length: 3_000 }, (_, i) => `text ${i}`)
  const same = Array.from({ length: 3_000 }, (_, i) => `text ${i % 7}`)
  const encodingsOf = (texts: readonly string[]) => {
    const options = { layout, columns, rowGroupRecords: 3_000 }
    const { rowGroups } = writeColumns(texts.map((text) => `${text}\n`).join(''), options)
    return rowGroups.map(({ chunks }) => chunks[0]?.encoding)
  }
  const { plain, rleDictionary: dictionary } = encodings
  assert.deepEqual(encodingsOf([...same, ...different, ...same]), [dictionary, plain, plain])
  assert.deepEqual(encodingsOf([...same, ...same]), [dictionary, dictionary])
})

test('createColumnWriter() writes one dictionary entry for a text, quoted or not, with the same facts', (t) => {
  t.diagnostic(`SEED=${seed}`)
  const random = randomFrom(seed)
  const values = [
    '12',
    '-',
    'true',
    '2024-05-06',
    'NULL',
    '0.50',
    'abc',
    'a text of 21 letters.',
    'ends with 16 = y',
    'é',
  ]
  for (let round = 0; round < 20; round++) {
    const texts = Array.from({ length: 1 + random(200) }, () => values[random(values.length)]!)
    const written = [() => false, () => true, () => random(2) === 0].map((isQuoted) =>
      writeColumns(texts.map((text) => (isQuoted() ? `"${text}"\n` : `${text}\n`)).join(''), { layout, columns }),
    )
    const [plain, ...others] = written.map(({ part, facts }) => ({ part, facts }))
    for (const other of others) assert.deepEqual(other, plain, `SEED=${seed}, round ${round}`)
  }
})

test('createColumnWriter() writes a dictionary for codes that differ in few bytes', () => {
  const forms: readonly ((code: string) => string)[] = [
    (code) => `t${code}`,
    (code) => `${code}@a.net`,
    (code) => `thirteen long${code}`,
    (code) => `${code} and very many bytes behind`,
    (code) => `very many bytes before ${code}`,
    (code) => `"with a quote "" ${code}"`,
  ]
  for (const form of forms) {
    const texts = Array.from({ length: 8_000 }, (_, i) => `${form(String(i % 1_000).padStart(3, '0'))}\n`)
    const { rowGroups } = writeColumns(texts.join(''), { layout, columns })
    assert.deepEqual(
      rowGroups.map(({ chunks }) => chunks[0]?.encoding),
      [encodings.rleDictionary],
      texts[0],
    )
  }
})

const duckDb = await openDuckDb({})

test('texts of a dictionary keep their own quotes, beside the same texts quoted and unquoted', async (t) => {
  t.diagnostic(`SEED=${seed}`)
  const dir = mkdtempSync(join(tmpdir(), 'columns-'))
  t.after(() => rmSync(dir, { recursive: true }))
  const random = randomFrom(seed)
  const path = join(dir, 'part.parquet')
  for (let round = 0; round < 60; round++) {
    const quote = round % 3 === 0 ? "'" : '"'
    const quoted = (text: string) => quote + text.replaceAll(quote, quote + quote) + quote
    const some = Array.from({ length: 1 + random(6) }, () => textOf(random, random(40), 2))
    const closed = [...some, 'NULL', '12', ''].flatMap((text) => [text, `${quote}${text}${quote}`, `${quote}${text}`])
    const texts = Array.from({ length: 100 + random(400) }, () => closed[random(closed.length)]!)
    const fields = texts.map((text) => (text === '' || text.includes(quote) || random(2) === 0 ? quoted(text) : text))
    const text = fields.map((field) => `${field}\n`).join('')
    const written = writeColumns(text, { layout: layoutOf(1, { quote }), columns })
    writeFileSync(path, written.part)
    const rows = await duckDb.runAndReadAll(`SELECT a FROM read_parquet('${path}')`)
    assert.deepEqual(rows.getRowsJson().flat(), texts, `SEED=${seed}, round ${round}`)
    assert.equal(written.rowGroups[0]?.chunks[0]?.encoding, encodings.rleDictionary, `SEED=${seed}, round ${round}`)
  }
})

/** Texts that begin and end like earlier ones, some near, some far, some with nothing in between. */
function alikeTexts(random: Random): readonly string[] {
  const some = (count: number, bytesMax: number) =>
    Array.from({ length: 1 + random(count) }, () => textOf(random, random(bytesMax), 2 + random(30)))
  const heads = some(12, 40)
  const tails = some(12, 60)
  const betweenMax = 1 + random(random(12) === 0 ? 90_000 : 12)
  return Array.from({ length: 20 + random(betweenMax > 100 ? 10 : 4_000) }, () => {
    return `${heads[random(heads.length)]}${textOf(random, random(betweenMax), 10)}${tails[random(tails.length)]}`
  })
}

function textOf(random: Random, length: number, letters: number): string {
  return Array.from({ length }, () => String.fromCharCode(97 + random(letters))).join('')
}

test('texts compressed by their ends are read back unchanged, in mixed row groups and in separate ones', async (t) => {
  t.diagnostic(`SEED=${seed}`)
  const dir = mkdtempSync(join(tmpdir(), 'columns-'))
  t.after(() => rmSync(dir, { recursive: true }))
  const random = randomFrom(seed)
  const path = join(dir, 'part.parquet')
  let others = 0
  // About one in seven is compressed by its ends.
  for (let round = 0; round < 100 || others <= 10; round++) {
    assert.ok(round < 1_000, `only ${others} were compressed by their ends`)
    const texts = alikeTexts(random).map((text) => (random(50) === 0 ? '' : text))
    const text = texts.map((one) => `"${one}"\n`).join('')
    const options = { layout, rowGroupRecords: 1 + random(5_000), rowGroupBytes: 1_000_000 }
    const fastCompression = writeColumns(text, { ...options, columns: [{ ...columns[0], fastCompression: true }] })
    const { part } = writeColumns(text, { ...options, columns })
    if (fastCompression.part.length !== part.length) others++
    writeFileSync(path, fastCompression.part)
    const rows = await duckDb.runAndReadAll(`SELECT a FROM read_parquet('${path}')`)
    assert.deepEqual(rows.getRowsJson().flat(), texts, `SEED=${seed}, round ${round}`)
  }
})
