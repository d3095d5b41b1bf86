// Tests of the column converter: it reports and writes the same as the DuckDB converter.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { isServiceError } from '../core/errors.ts'
import { randomFrom } from '../core/random.testing.ts'
import { writeText } from '../csv/csv-form.ts'
import { utf8OfBytes } from '../reading/encoding/single-byte.ts'
import { decideTypes } from '../reading/types/infer-types.ts'
import { createColumnConverter } from './column-converter.ts'
import {
  csvText,
  jobMsMax,
  layoutOf,
  logger,
  never,
  scratchDir,
  seed,
  startConverter,
  startReader,
  textColumns,
  writeSegment,
} from './converter.testing.ts'
import type { ConvertResult, Segment, TargetColumn } from './converter.ts'
import { examples, undecidedClasses } from './writer/value-examples.testing.ts'

const duckDb = startConverter()
const converter = createColumnConverter({ size: 2, jobMsMax, logger })
const reader = startReader()
after(() => converter.close())

const all = Object.values(examples).flat()

test('writeText() makes on a thread the text that the calling thread would make, in every form', async () => {
  const dialect = {
    delimiter: ';',
    quoteChar: '"',
    doubleQuote: true,
    escapeChar: null,
    lineTerminator: '\n',
    header: false,
    skipRows: 0,
    commentChar: null,
    skipInitialSpace: false,
  } as const
  const lines = ['-5;=1;"@;x"\n', '"a""b";+1-1;\r\n', ';"\n=";-1,5\n'].map((line) => line.repeat(4_000)).join('')
  for (const delimiter of [',', ';', '\t'] as const) {
    for (const isTyped of [null, [true, false, true]]) {
      const job = () => ({ records: Buffer.from(lines), form: { dialect, delimiter, isTyped }, client: '' })
      const made = converter.writeText(job(), never)
      assert.ok(made instanceof Promise)
      assert.ok(Buffer.from(await made).equals(writeText(job())), `${delimiter} ${isTyped}`)
      const little = { ...job(), records: Buffer.from(lines.slice(0, 32_767)) }
      assert.ok(converter.writeText(little, never) instanceof Uint8Array)
    }
  }
})

test('convert() gives the same records, nulls and type mismatches as the DuckDB converter', async (t) => {
  t.diagnostic(`SEED=${seed}`)
  const dir = scratchDir(t)
  const random = randomFrom(seed)
  let typeMismatches = 0
  for (let round = 0; round < 24; round++) {
    // Wide segments go to a thread.
    const width = round % 4 === 3 ? 110 : 7
    const pool = Object.values(examples)
    const main = Array.from({ length: width - 1 }, () => pool[random(pool.length)]!)
    const records = Array.from({ length: 1 + random(200) }, (_, i) => [
      ...main.map((texts) => (random(9) === 0 ? null : texts[random(texts.length)]!)),
      `${i}`,
    ])
    const layout = layoutOf(width, {
      delimiter: [',', ';', '\t', '|'][random(4)]!,
      lineTerminator: random(2) ? '\n' : '\r\n',
    })
    const segment = writeSegment(dir, csvText(records, layout), records.length, layout)
    const decided = decideTypes(await converter.profile(segment, never))
    const columns = decided.map(({ type, nullWords }, i): TargetColumn => ({ name: `n${i}`, type, nullWords }))
    if (random(2) === 0) records.push(Array.from({ length: width }, () => all[random(all.length)]!))
    const other = writeSegment(dir, csvText(records, layout), records.length, layout)
    const [ours, theirs] = [join(dir, `ours-${round}.parquet`), join(dir, 'theirs.parquet')]
    const [our, their] = [
      await converter.convert(other, columns, ours, never),
      await duckDb.convert(other, columns, theirs, never),
    ]
    assert.equal(our.kind, their.kind, `SEED=${seed} ${records.at(-1)}`)
    assert.equal(existsSync(ours), our.kind === 'part' || our.rest !== undefined)
    if (our.kind === 'typeMismatch' || their.kind === 'typeMismatch') {
      typeMismatches++
      await assertRestIsKept(dir, other, columns, ours, our)
      continue
    }
    assert.deepEqual(our.nulls, their.nulls)
    const rowsOf = (path: string) =>
      reader.rows(
        [{ path, records: records.length }],
        columns.map(({ name }) => name),
        0,
        records.length,
        never,
      )
    assert.deepEqual(await rowsOf(ours), await rowsOf(theirs), `SEED=${seed}`)
  }
  assert.ok(typeMismatches > 2 && typeMismatches < 22, `${typeMismatches} typeMismatches`)
})

test('convert() leaves no file if no column of a small segment can be written', async (t) => {
  const dir = scratchDir(t)
  const layout = layoutOf(1)
  const path = join(dir, 'part.parquet')
  const decided = decideTypes(
    await converter.profile(writeSegment(dir, csvText([['1'], ['2']], layout), 2, layout), never),
  )
  const columns = decided.map(({ type, nullWords }): TargetColumn => ({ name: 'n', type, nullWords }))
  const typeMismatch = writeSegment(dir, csvText([['1'], ['two']], layout), 2, layout)
  const result = await converter.convert(typeMismatch, columns, path, never)
  assert.deepEqual([result.kind, 'rest' in result && result.rest], ['typeMismatch', false])
  assert.equal(existsSync(path), false)
})

/**
 * Converts again in the types decided from all values, copying the columns that fitted, and asserts that DuckDB writes
 * the same records.
 */
async function assertRestIsKept(
  dir: string,
  segment: Segment,
  columns: readonly TargetColumn[],
  path: string,
  result: ConvertResult,
): Promise<void> {
  assert.ok(result.kind === 'typeMismatch')
  const isWritten = result.rest?.isWritten ?? columns.map(() => false)
  assert.ok(isWritten.includes(false))
  const final = decideTypes(await converter.profile(segment, never))
  const wanted = columns.map(({ name }, i): TargetColumn => {
    const { type, nullWords } = final[i]!
    return { name, type, nullWords }
  })
  let place = 0
  const kept = wanted.map((column, i) => {
    if (!isWritten[i]) return null
    place++
    return isDeepStrictEqual(column, columns[i]) ? place - 1 : null
  })
  const [ours, theirs] = [join(dir, 'again.parquet'), join(dir, 'theirs.parquet')]
  const older = result.rest && { path, kept }
  const our = await converter.convert(segment, wanted, ours, never, { ...(older && { older }) })
  const their = await duckDb.convert(segment, wanted, theirs, never)
  assert.ok(our.kind === 'part' && their.kind === 'part', `SEED=${seed}`)
  assert.deepEqual(our.nulls, their.nulls)
  const { records } = segment
  const names = columns.map(({ name }) => name)
  const rowsOf = (part: string) => reader.rows([{ path: part, records }], names, 0, records, never)
  assert.deepEqual(await rowsOf(ours), await rowsOf(theirs), `SEED=${seed}`)
}

test('convert() fails, and leaves no part, if a small segment does not match its description', async (t) => {
  const dir = scratchDir(t)
  const segment = writeSegment(dir, 'a,b\nc,d\n', 2, layoutOf(2))
  const path = join(dir, 'part.parquet')
  for (const [other, code] of [
    [{ records: 3 }, 'CONVERSION_FAILED'],
    [{ bytes: 5 }, 'CONVERSION_FAILED'],
    [{ layout: layoutOf(3) }, 'CONVERSION_FAILED'],
    [{ path: join(dir, 'none.csv') }, 'STORE_FAILED'],
  ] as const) {
    const wrong = { ...segment, ...other }
    const converting = converter.convert(wrong, textColumns(wrong.layout.width), path, never)
    await assert.rejects(converting, (error) => isServiceError(error, code))
    assert.equal(existsSync(path), false)
  }
  const stopped = AbortSignal.abort(new Error('enough'))
  await assert.rejects(converter.convert(segment, textColumns(2), path, stopped), /enough/)
  assert.equal((await converter.convert(segment, textColumns(2), path, never)).kind, 'part')
})

for (const count of [20, 20_000]) {
  test(`convert() writes the same part from ${count} records stored in another encoding`, async (t) => {
    const dir = scratchDir(t)
    const lines = Array.from({ length: count }, (_, i) => `${i},Zürich ${i % 7}€,"Göran, ${i}"\n`)
    const encoded = lines.map((line) => Buffer.from(line.replaceAll('€', '\x80'), 'latin1'))
    const layout = layoutOf(3)
    const textPath = join(dir, 'text.csv')
    const [skipped, inText, inOwn] = [encoded.slice(0, 3), encoded.slice(3, -5), lines.slice(-5)]
    writeFileSync(textPath, Buffer.concat(encoded))
    const own = writeSegment(dir, inOwn.join(''), inOwn.length, layout, 'own.csv')
    const [byteOffset, bytes] = [skipped, inText].map((some) => Buffer.concat(some).length) as [number, number]
    const pieces = [
      { path: textPath, byteOffset, bytes },
      { path: own.path, byteOffset: 0, bytes: own.bytes },
    ]
    const whole = writeSegment(dir, lines.slice(3).join(''), count - 3, layout)
    const table = utf8OfBytes('windows-1252') ?? assert.fail()
    const { records } = whole
    const segment: Segment = { path: own.path, pieces, utf8OfBytes: table, records, bytes: whole.bytes, layout }
    const parts: Buffer[] = []
    for (const [i, one] of [whole, segment].entries()) {
      const path = join(dir, `part-${i}.parquet`)
      assert.equal((await converter.convert(one, textColumns(3), path, never)).kind, 'part')
      parts.push(readFileSync(path))
    }
    assert.deepEqual(parts[1], parts[0])
  })
}

for (const [where, count] of [
  ['on this thread', 200],
  ['in a thread', 20_000],
] as const) {
  test(`convert() leaves out the records that break declared rules, and names them, ${where}`, async (t) => {
    const dir = scratchDir(t)
    const isBroken = (i: number) => i % 7 === 3
    const lines = Array.from(
      { length: count },
      (_, i) => `${isBroken(i) ? 'x' : `+0${i}`},${isBroken(i) ? 'text' : i}\n`,
    )
    const segment = writeSegment(dir, lines.join(''), count, layoutOf(2))
    const [first, second] = textColumns(2)
    const integer = { kind: 'integer' } as const
    const declared = { form: { ...integer, groupChar: null }, missing: [''], isRequired: false, checks: [] } as const
    const columns = [{ ...first!, type: integer, declared }, second!]
    const [path, violationsPath] = [join(dir, 'part.parquet'), join(dir, 'violations')]
    const broken = lines.flatMap((_, i) => (isBroken(i) ? [[i + 1, 0, 1, 'x', null]] : []))
    const accepted = count - broken.length
    const [, detected] = await converter.profile(segment, never, [declared, undefined])
    assert.deepEqual([detected?.records, Object.keys(detected?.classes ?? {})], [accepted, ['integer']])

    const made = await converter.convert(segment, columns, path, never, { violationsPath })
    assert.ok(made.kind === 'part')
    assert.deepEqual([made.part.records, made.violations], [accepted, broken.length])
    assert.deepEqual(made.facts[1], detected)
    const found = gunzipSync(readFileSync(violationsPath)).toString().split('\n')
    assert.deepEqual(
      found.filter(Boolean).map((line) => JSON.parse(line).slice(0, 5)),
      broken,
    )
    // Written again with another type, without the file of violations.
    rmSync(violationsPath)
    const again = join(dir, 'again.parquet')
    const other = [columns[0]!, { ...second!, type: integer }]
    const rewritten = await converter.convert(segment, other, again, never, { older: { path, kept: [0, null] } })
    assert.deepEqual([rewritten.kind, rewritten.violations], ['part', broken.length])
    const names = columns.map(({ name }) => name)
    assert.deepEqual(
      await reader.rows([{ path: again, records: accepted }], names, 0, count, never),
      lines.flatMap((_, i) => (isBroken(i) ? [] : [[i, i]])),
    )
    // None without violations, and none of a job that fails.
    const whole = writeSegment(dir, '1,2\n'.repeat(count), count, layoutOf(2), 'whole.csv')
    assert.equal((await converter.convert(whole, columns, path, never, { violationsPath })).violations, 0)
    const wrong = { ...segment, records: count + 1 }
    await assert.rejects(converter.convert(wrong, columns, path, never, { violationsPath }))
    assert.equal(existsSync(violationsPath), false)
  })
}

for (const [size, count] of [
  ['small', 20],
  ['large', 50_000],
] as const) {
  test(`convert() says what fails where it appends violations or keys of a ${size} segment`, async (t) => {
    if (!existsSync('/dev/full')) return t.skip('needs /dev/full')
    const dir = scratchDir(t)
    const segment = writeSegment(dir, 'x,2\n'.repeat(count), count, layoutOf(2))
    const [first, second] = textColumns(2)
    const integer = { kind: 'integer' } as const
    const declared = { form: { ...integer, groupChar: null }, missing: [''], isRequired: false, checks: [] } as const
    const [path, full] = [join(dir, 'part.parquet'), join(dir, 'full')]
    const keys = { columns: [[1]], secret: [1n, 2n], path: full, areFound: false } as const
    for (const [columns, options] of [
      [[{ ...first!, type: integer, declared }, second!], { violationsPath: full }],
      [[first!, second!], { keys }],
    ] as const) {
      rmSync(full, { force: true })
      symlinkSync('/dev/full', full)
      const converting = converter.convert(segment, columns, path, never, options)
      await assert.rejects(converting, (error) => isServiceError(error, 'DISK_FULL'))
      assert.equal(existsSync(path), false)
    }
    const columns = [{ ...first!, type: integer, declared }, second!]
    for (const [violationsPath, failure] of [
      [join(dir, 'none', 'violations'), 'STORE_FAILED'],
      // Node states a code, too, where it does not call the system.
      ['\0', 'CONVERSION_FAILED'],
    ] as const) {
      const converting = converter.convert(segment, columns, path, never, { violationsPath })
      await assert.rejects(converting, (error) => isServiceError(error, failure))
      assert.equal(existsSync(path), false)
    }
  })
}

test('convert() keeps a column open only while no value decides its type', async (t) => {
  const dir = scratchDir(t)
  const path = join(dir, 'part.parquet')
  for (const classes of undecidedClasses) {
    const head: readonly (string | null)[] = [null, 'NA', ...classes.flatMap((name) => examples[name].slice(0, 2))]
    // With a second column, because a record must not be blank.
    const segmentOf = (texts: typeof head) => {
      const records = texts.map((text) => [text, 'x'])
      return writeSegment(dir, csvText(records, layoutOf(2)), texts.length, layoutOf(2))
    }
    const [open] = decideTypes(await converter.profile(segmentOf(head), never))
    assert.ok(open?.type.kind === 'text' && open.holdsFor !== null)
    const [first, second] = textColumns(2)
    const targets = [{ ...first!, classes: open.holdsFor }, second!]
    assert.equal((await converter.convert(segmentOf(head), targets, path, never)).kind, 'part')
    for (const text of all.filter((_, i) => i % 3 === 0)) {
      const segment = segmentOf([...head, text])
      const [decision] = decideTypes(await converter.profile(segment, never))
      if (decision?.type.kind === 'text') continue
      const { kind } = await converter.convert(segment, targets, path, never)
      assert.equal(kind, 'typeMismatch', `${text} decides nothing beside [${classes}]`)
    }
  }
})
