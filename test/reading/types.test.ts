// Tests of types: all records decide them, even if the decisive value comes long after the first megabyte.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client, type UploadResponse } from '../support/client.ts'
import { createRandom, csvText, seed } from '../support/samples.ts'
import { mediumSegments, sharedService } from '../support/shared-service.ts'

const service = await sharedService(mediumSegments)
const client = new Client(service.url)

/** More than the head on which types are guessed: records have at least 400 bytes. */
const recordCount = 4_000
const padding = 'x'.repeat(396)

/** A file with a column `id` (integer), a column of these values, and padding; one record has the odd value. */
function fileWith({ usual, oddValue, at }: { usual(i: number): string; oddValue: string; at: number }): string {
  return csvText('id,value,padding', recordCount, (i) => `${i + 1},${i === at ? oddValue : usual(i)},${padding}`)
}

interface Case {
  readonly name: string
  usual(i: number): string
  readonly oddValue: string
  readonly guessed: string
  readonly finalType: string
  readonly why: RegExp
  readonly nulls?: number
}

const cases: readonly Case[] = [
  {
    name: 'an integer column with a word',
    usual: (i) => String(i * 7),
    oddValue: 'A17',
    guessed: 'integer',
    finalType: 'text',
    why: /^text: 1 of 4000 values is not an integer without padding \(line 3991\)$/,
  },
  {
    name: 'a decimal column whose scale changes',
    usual: (i) => `${i}.25`,
    oddValue: '7.125',
    guessed: 'decimal(9,2)',
    finalType: 'number',
    why: /^all 4000 values are numbers within double precision$/,
  },
  {
    name: 'a date column with an invalid day',
    usual: (i) => `2026-0${1 + (i % 9)}-1${i % 10}`,
    oddValue: '2026-02-30',
    guessed: 'date',
    finalType: 'text',
    why: /^text: 1 of 4000 values is not an ISO 8601 date \(line 3991\)$/,
  },
  {
    name: 'an integer column with leading zeros',
    usual: (i) => String(i),
    oddValue: '00042',
    guessed: 'integer',
    finalType: 'text',
    why: /^text: 1 of 4000 values has leading zeros \(line 3991\)$/,
  },
  {
    name: 'an integer column with a null word',
    usual: (i) => String(i),
    oddValue: 'NA',
    guessed: 'integer',
    finalType: 'integer',
    why: /^all 3999 values are integers without padding, apart from 1 null word \(NA\)$/,
    nulls: 1,
  },
]

for (const { name, usual, oddValue, guessed, finalType, why, nulls = 0 } of cases) {
  test(`uploading ${name} at the end widens the column and rejects nothing`, async () => {
    const late = fileWith({ usual, oddValue, at: recordCount - 11 })
    const receipt = await client.upload(late)
    assert.deepEqual(
      receipt.columns.map((column) => column.type),
      ['integer', finalType, 'text'],
    )
    const column = receipt.columns[1]!
    assert.match(column.why, why)
    assert.equal(column.nulls, nulls)
    assert.equal(receipt.records.accepted, recordCount)
    assert.equal(receipt.records.total, recordCount + 1)
    assert.equal(receipt.rejects.count, 0)
    assert.ok((await client.get(receipt.links.csv)).equals(Buffer.from(late)))
    const shown = (await client.rows(receipt, `?offset=${recordCount - 12}&limit=3&columns=id,value`)).rows
    const wanted = nulls === 1 ? null : finalType === 'number' ? Number(oddValue) : oddValue
    assert.deepEqual(shown[1], [recordCount - 10, wanted])
    assert.equal(String(shown[0]![1]), usual(recordCount - 12))
  })

  test(`uploading ${name} gives the same result whichever way types are decided`, async () => {
    const head = fileWith({ usual, oddValue: usual(0), at: 0 })
    assert.equal((await client.upload(head)).columns[1]!.type, guessed, 'the head alone has the narrower type')
    // The same records: with the odd value first, the head decides the types; with it last, the whole file.
    const lines = fileWith({ usual, oddValue, at: recordCount - 1 })
      .trimEnd()
      .split('\n')
    const odd = lines.pop()!
    const [header, ...others] = lines
    const early = await client.upload(`${[header, odd, ...others].join('\n')}\n`)
    const late = await client.upload(`${[header, ...others, odd].join('\n')}\n`)
    const shape = ({ columns }: UploadResponse) =>
      columns.map(({ type, nulls, nullWords }) => ({ type, nulls, nullWords }))
    assert.deepEqual(shape(early), shape(late))
    const [earlyRows, lateRows] = [await client.allRows(early, 'id,value'), await client.allRows(late, 'id,value')]
    assert.deepEqual([...earlyRows.slice(1), earlyRows[0]], lateRows)
    const csvLines = async (receipt: UploadResponse) =>
      (await client.get(receipt.links.csv)).toString().trimEnd().split('\n')
    const [earlyLines, lateLines] = [await csvLines(early), await csvLines(late)]
    assert.deepEqual([earlyLines[0], ...earlyLines.slice(2), earlyLines[1]], lateLines)
  })
}

test('columns that change at different places end as if all values had been known at first', async () => {
  const last = recordCount - 1
  const record = (i: number): readonly string[] => [
    `${i}`,
    i === 1_200 ? 'n/a' : `${i * 3}`,
    i < 900 ? `${i}.50` : i < 2_000 ? `${i}00.50` : i === 3_000 ? 'late' : `${i}000.50`,
    i === last ? 'x' : '',
    i >= 2_500 && i % 100 === 0 ? '' : i === last ? '2026-02-30' : '2026-02-03',
    i % 2 === 0 ? 'true' : 'false',
  ]
  const content = csvText('id,word,amount,empty,day,flag,padding', recordCount, (i) =>
    [...record(i), padding].join(','),
  )
  const receipt = await client.upload(content)
  assert.deepEqual(
    receipt.columns.map(({ type, nulls }) => [type, nulls]),
    [
      ['integer', 0],
      ['integer', 1],
      ['text', 0],
      ['text', last],
      ['text', 15],
      ['boolean', 0],
      ['text', 0],
    ],
  )
  const rows = await client.allRows(receipt, 'id,word,amount,empty,day,flag')
  const wanted = Array.from({ length: recordCount }, (_, i) => {
    const [, word, amount, empty, day] = record(i)
    return [i, word === 'n/a' ? null : Number(word), amount, empty || null, day || null, i % 2 === 0]
  })
  assert.deepEqual(rows, wanted)
})

test('a last column that is empty in the head is noted as always empty only if it is', async () => {
  const fileOf = (last: string) =>
    csvText('id,padding,', recordCount, (i) => `${i},${padding},${i === recordCount - 1 ? last : ''}`)
  const codesOf = ({ notes }: UploadResponse) => notes.map(({ code }) => code)
  assert.deepEqual(codesOf(await client.upload(fileOf(''))), ['LAST_COLUMN_EMPTY'])
  assert.deepEqual(codesOf(await client.upload(fileOf('7'))), [])
})

test('rejects and blank lines are counted once, and not as rows, if types take a second pass', async () => {
  const lines = fileWith({ usual: String, oddValue: 'A17', at: recordCount - 1 }).split('\n')
  lines.splice(100, 0, '1,2,3,4', '')
  lines.splice(3_000, 0, '1', '"a"b,2,3')
  const content = lines.join('\n')
  const receipt = await client.upload(content)
  const { total, header, blank, skipped, accepted, rejected } = receipt.records
  assert.deepEqual(
    { total, header, blank, skipped, accepted, rejected },
    { total: recordCount + 5, header: 1, blank: 1, skipped: 0, accepted: recordCount, rejected: 3 },
  )
  const row = Number(/^text: .* \(row (\d+)\)$/.exec(receipt.columns[1]!.why)?.[1])
  assert.deepEqual((await client.rows(receipt, `?offset=${row - 1}&limit=1&columns=value`)).rows, [['A17']])
  const rejects = await client.allRejects(receipt)
  assert.deepEqual(
    rejects.map(({ line, record, reason }) => ({ line, record, reason })),
    [
      { line: 101, record: 101, reason: 'too_many_fields' },
      { line: 3_001, record: 3_001, reason: 'too_few_fields' },
      { line: 3_002, record: 3_002, reason: 'text_after_quote' },
    ],
  )
  assert.deepEqual(
    receipt.parts.reduce((sum, part) => sum + part.records, 0),
    recordCount,
  )
})

/** A form of values, with usual values, one that proves it, and one that contradicts it. */
interface FormCase {
  readonly name: string
  /** Proves nothing alone. */
  usual(i: number): string
  readonly proof: string
  readonly contradiction: string
  readonly type: string
  readonly format: string
  readonly doubt: string
  /** Expected values of the record with the proof, and of the first record. */
  readonly proofShown: unknown
  readonly firstShown: unknown
}

const two = (number: number) => String(number).padStart(2, '0')

const formCases: readonly FormCase[] = [
  {
    name: 'dates that may be day first or month first',
    usual: (i) => `${two(1 + (i % 12))}/${two(1 + (i % 11))}/20${two(i % 100)}`,
    proof: '31/12/2020',
    contradiction: '12/31/2020',
    type: 'date',
    format: 'DD/MM/YYYY',
    doubt: 'could be day first or month first',
    proofShown: '2020-12-31',
    firstShown: '2000-01-01',
  },
  {
    name: 'numbers whose comma may be a decimal comma',
    usual: (i) => `"${1 + (i % 999)},${100 + (i % 900)}"`,
    proof: '"0,5"',
    contradiction: '"1,234.5"',
    type: 'number',
    format: '1234,56',
    doubt: 'could be thousands or decimals',
    proofShown: 0.5,
    firstShown: 1.1,
  },
  {
    name: 'numbers whose comma may separate groups',
    usual: (i) => `"${1 + (i % 999)},${100 + (i % 900)}"`,
    proof: '"1,234,567"',
    contradiction: '"0,5"',
    type: 'integer',
    format: '1,234',
    doubt: 'could be thousands or decimals',
    proofShown: 1234567,
    firstShown: 1100,
  },
]

const places = { 'as the first record': 0, 'behind the head': recordCount - 11 }

for (const { name, usual, proof, contradiction, type, format, doubt, proofShown, firstShown } of formCases) {
  for (const [place, at] of Object.entries(places)) {
    test(`uploading ${name}, with the proof ${place}, gives them the type`, async () => {
      const content = fileWith({ usual, oddValue: proof, at })
      const receipt = await client.upload(content)
      const column = receipt.columns[1]!
      assert.deepEqual([column.type, column.format], [type, format])
      assert.match(column.why, /^all 4000 values are /)
      // Of 0,5 and 1,100, one has a trailing zero.
      const doubts = receipt.notes.filter(({ code }) => code !== 'NUMBER_FORMS_DIFFER')
      assert.deepEqual(doubts, [])
      assert.equal(receipt.rejects.count, 0)
      assert.ok((await client.get(receipt.links.csv)).equals(Buffer.from(content)))
      const rows = await client.rows(receipt, `?offset=${at}&limit=1&columns=value`)
      assert.deepEqual(rows.rows, [[proofShown]])
      if (at > 0) assert.deepEqual((await client.rows(receipt, '?limit=1&columns=value')).rows, [[firstShown]])
    })
  }

  test(`uploading ${name}, with a contradiction after the first megabyte, keeps them as text and says so`, async () => {
    const lines = fileWith({ usual, oddValue: contradiction, at: recordCount - 11 }).split('\n')
    lines.splice(lines.length - 1, 0, `0,${proof},${padding}`)
    const receipt = await client.upload(lines.join('\n'))
    const column = receipt.columns[1]!
    assert.equal(column.type, 'text')
    const fault = `1 of 4001 values is not `
    assert.ok(column.why.startsWith(`text: ${fault}`), column.why)
    assert.equal(receipt.notes.length, 1)
    assert.equal(receipt.notes[0]!.column, 'value')
    assert.equal(receipt.notes[0]!.lines?.length, 1)
    assert.match(
      receipt.notes[0]!.message,
      /^Column value: 1 of 4001 values is not .* \(line \d+\): '.*', so it is kept as text\.$/,
    )
  })

  test(`uploading ${name}, without a proof, keeps them as text and says so`, async () => {
    const receipt = await client.upload(fileWith({ usual, oddValue: usual(0), at: 0 }))
    const column = receipt.columns[1]!
    assert.equal(column.type, 'text')
    assert.equal(column.why, `text: all values ${doubt} (lines 2, 3, 4, …)`)
    assert.equal(receipt.notes.length, 1)
    assert.deepEqual(receipt.notes[0]!.lines, [2, 3, 4])
    assert.match(receipt.notes[0]!.code, /^AMBIGUOUS_(?:DATES|NUMBERS)$/)
    assert.match(
      receipt.notes[0]!.message,
      /^Column value: all \d+ values could be .* \(lines 2, 3, 4, …\), so it is kept as text; based on the first \d+ records\.$/,
    )
  })
}

test('a column that is empty in the first megabyte gets the type of its later values', async () => {
  const usual = (i: number) => (i < recordCount - 100 ? '' : String(i))
  const receipt = await client.upload(fileWith({ usual, oddValue: '7', at: recordCount - 1 }))
  const { type, nulls, why } = receipt.columns[1]!
  assert.deepEqual(
    { type, nulls, why },
    { type: 'integer', nulls: recordCount - 100, why: 'all 100 values are integers without padding' },
  )
})

test('a point between digit groups agrees with the decimal comma of another column', async () => {
  const comma = '"1.234,50"'
  const recordOf = (at: number) => (i: number) =>
    `${1 + (i % 999)}.${100 + (i % 900)},${i === at ? comma : i},${padding}`
  for (const at of [0, recordCount - 1]) {
    const receipt = await client.upload(csvText('count,price,padding', recordCount, recordOf(at)))
    assert.deepEqual(
      receipt.columns.map(({ type, format }) => [type, format]),
      [
        ['text', undefined],
        ['number', '1.234,56'],
        ['text', undefined],
      ],
    )
    assert.match(
      receipt.columns[0]!.why,
      /^text: all (4000 )?values could be thousands or decimals \(lines 2, 3, 4, …\)$/,
    )
  }
})

test('a receipt notes leading zeros with their lines, in at most twenty columns', async () => {
  const header = Array.from({ length: 23 }, (_, i) => `zip${i}`).join()
  const record = (text: string) => Array.from({ length: 23 }, () => text).join()
  const { notes, columns } = await client.upload(csvText(header, 4, (i) => record(i === 2 ? '90210' : `0${i}210`)))
  assert.ok(columns.every(({ type }) => type === 'text'))
  assert.deepEqual(notes[0], {
    code: 'LEADING_ZEROS',
    severity: 'info',
    message: 'Column zip0: 3 of 4 values have leading zeros (lines 2, 3, 5), so it is kept as text.',
    lines: [2, 3, 5],
    column: 'zip0',
  })
  assert.equal(notes.length, 21)
  assert.deepEqual(notes[20], { code: 'MORE_COLUMNS', severity: 'info', message: 'And 3 more columns of this kind.' })
})

/** Columns whose values have one form each, or none. */
const pools: readonly (readonly string[])[] = [
  ['"1,5"', '"1,234"', '7', '"-0,25"', ''],
  ['"1.234,50"', '"999,00"', '"-12.345.678,25"'],
  ['"1,234,567"', '"1,234"', '999'],
  ["1'234.5", "12'345'678.9", '0.5', 'NA'],
  ['1 234', '12 345 678', '9'],
  ['1\u202f234', '7', ''],
  ['1\u2019234.50', '7.25', ''],
  ['31/12/2020', '01/02/2021', '5/6/2021'],
  ['12/31/2020 9:05', '01/02/2021 13:05:06'],
  ['2020.12.31', '2021.1.2', 'NULL'],
  ['"1,234"', '"2,500"'],
  ['01/02/2021', '03/04/2021', ''],
  ['31/12/2020', '2020-12-31'],
]

test('data.csv uploaded again gives the same values, whatever their form', async (t) => {
  t.diagnostic(`SEED=${seed}`)
  const random = createRandom(seed)
  const formats = new Set<string | undefined>()
  for (let round = 0; round < 4; round++) {
    const header = `id,${pools.map((_, i) => `c${i}`).join()}`
    const record = (i: number) => [i, ...pools.map((pool) => pool[random(pool.length)])].join()
    const first = await client.upload(csvText(header, 5 + random(300), record))
    const again = await client.upload(await client.get(first.links.csv))
    const shape = ({ columns }: UploadResponse) => columns.map(({ why: _, ...column }) => column)
    assert.deepEqual(shape(again), shape(first), `SEED=${seed}`)
    assert.deepEqual(await client.allRows(again), await client.allRows(first), `SEED=${seed}`)
    for (const { format } of first.columns) formats.add(format)
  }
  // The seed decides which forms are proven.
  assert.ok(formats.size >= 6, [...formats].join())
})

const writtenCases: readonly { readonly name: string; usual(i: number): string; readonly oddValue: string }[] = [
  { name: 'one decimal with a trailing zero', usual: (i) => `${i}.${i % 2 === 0 ? '5' : '25'}`, oddValue: '1.50' },
  { name: 'one minus zero', usual: (i) => `${i}.${i % 2 === 0 ? '5' : '25'}`, oddValue: '-0.0' },
  { name: 'one number with an exponent', usual: (i) => `${i}.${i % 2 === 0 ? '5' : '25'}`, oddValue: '1e2' },
  { name: 'one decimal of another scale', usual: (i) => `${i}.50`, oddValue: '2.5' },
  { name: 'one whole number as a decimal', usual: (i) => String(i * 7), oddValue: '14.0' },
]

for (const { name, usual, oddValue } of writtenCases) {
  test(`uploading numbers with ${name} far after the head notes the lines of both`, async () => {
    const receipt = await client.upload(fileWith({ usual, oddValue, at: recordCount - 11 }))
    assert.equal(receipt.columns[1]!.type, 'number')
    const [found, ...others] = receipt.notes
    assert.deepEqual([found?.code, found?.column, others], ['NUMBER_FORMS_DIFFER', 'value', []])
    assert.equal(found?.lines?.at(-1), recordCount - 9)
  })
}

test('uploading numbers as Python writes them, and as JavaScript does, notes nothing', async () => {
  const python = (i: number) => (i % 4 === 0 ? `${i / 4}.0` : String(i / 4))
  for (const usual of [python, (i: number) => String(i / 4)]) {
    const receipt = await client.upload(fileWith({ usual, oddValue: '1e-07', at: recordCount - 11 }))
    assert.deepEqual([receipt.columns[1]!.type, receipt.notes], ['number', []])
  }
})

test('a minus zero among numbers that end in 0 is read as one, however many are before it', async () => {
  const usual = ['1.00', '2.10', '7.25', '0.00', '3.14', '0.50']
  for (const repetitions of [4, 12, 20, 100]) {
    const values = [...Array.from({ length: repetitions }, () => usual).flat(), '1234567.25', '-0.00', '1.25']
    const content = csvText('k,c', values.length, (i) => `${i},${values[i]}`)
    const receipt = await client.upload(content)
    assert.equal(receipt.columns[1]!.type, 'number')
    const minus = (await client.allRows(receipt)).at(-2)![1]
    assert.ok(Object.is(minus, 0), `${repetitions}: ${minus}`)
    const lines = (await client.get(receipt.links.ndjson)).toString().split('\n')
    assert.equal(lines[values.length - 2], `{"k":${values.length - 2},"c":0.0}`)

    // Its last record repeats a key: the part is written again.
    const repeated = csvText('k,c', values.length, (i) => `${i === values.length - 1 ? 0 : i},${values[i]}`)
    const schema = { fields: [{ name: 'k', type: 'integer' }], primaryKey: 'k', fieldsMatch: 'subset' }
    const second = await client.upload({ content: repeated, schema })
    assert.deepEqual([second.columns[1]!.type, second.records.rejected], ['number', 1])
  }
})
