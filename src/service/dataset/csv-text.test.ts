// Tests of CSV text: runs that are passed on unchanged give the same bytes as scanning the whole file again.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Random, randomFrom } from '../../core/random.testing.ts'
import type { Receipt, VerbatimRun } from '../../core/receipt.ts'
import { writeText } from '../../csv/csv-form.ts'
import { keepsAlike } from '../../csv/csv-rewriter.ts'
import { scanOptions } from '../../reading/scan-options.ts'
import { createFileScanner } from '../../reading/scanner/file-scanner.ts'
import type { ScanOptions } from '../../reading/scanner/scanner.ts'
import { buildScanner, randomCase, randomCuts } from '../../reading/scanner/scanner-cases.testing.ts'
import { withTrailingEmpty } from '../../reading/scanner/trailing-empty.ts'
import { createScanner } from '../../reading/scanner/wasm-scanner.ts'
import { type RunLimits, VerbatimRuns } from '../ingest/verbatim-runs.ts'
import { csvText } from './csv-text.ts'

buildScanner()

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
const create = withTrailingEmpty(createFileScanner((options) => createScanner(options)))
const plainOptions = { header: false, spreadsheet: 'no', delimiter: ',', typed: false } as const

type Scannable = Pick<Receipt, 'encoding' | 'dialect' | 'columns' | 'body'>

function scannable(options: Partial<ScanOptions>, lineTerminator: '\n' | '\r\n' | '\r', byteOffset: number): Scannable {
  const { quote = 34, escape: escaped = null, comment = null, width = 3 } = options
  const character = (code: number | null) => (code === null ? null : String.fromCharCode(code))
  return {
    encoding: { name: 'utf-8', bom: false },
    dialect: {
      delimiter: ',',
      quoteChar: character(quote),
      doubleQuote: escaped !== 'nothing',
      escapeChar: escaped === 'nothing' ? null : character(escaped),
      lineTerminator,
      header: false,
      skipRows: 0,
      commentChar: character(comment),
      skipInitialSpace: options.skipInitialSpace === true,
      ...(options.padsShort === true && { padShortRecords: true }),
    },
    columns: Array.from({ length: width }, (_, i) => ({ name: `c${i}`, type: 'text', nulls: 0, why: '' })),
    body: {
      byteOffset,
      records: 0,
      lines: 0,
      headerFields: null,
      recordBytesMax: options.recordBytesMax ?? 1000,
      ...(options.runaway && { runaway: options.runaway }),
      ...(options.keepsWideComments === true && { keepsWideComments: true }),
    },
  }
}

/** The runs that an upload finds in these chunks. */
function runsOf(receipt: Scannable, chunks: readonly Uint8Array[], limits?: RunLimits): readonly VerbatimRun[] {
  const { body, columns, dialect } = receipt
  const scanner = create(scanOptions({ ...receipt, width: columns.length, start: body }, body.recordBytesMax))
  const runs = new VerbatimRuns(body.byteOffset, { dialect, encoding: receipt.encoding }, limits)
  for (const chunk of chunks) runs.add(scanner.push(chunk))
  runs.add(scanner.end())
  return runs.list()
}

async function textOf(receipt: Scannable & { verbatim?: readonly VerbatimRun[] }, chunks: readonly Uint8Array[]) {
  // The receiver may release the chunks.
  const source = (async function* () {
    for (const chunk of chunks) yield Uint8Array.from(chunk)
  })()
  const parts: Uint8Array[] = []
  // csvText() reads nothing else of a receipt.
  const whole = receipt as unknown as Receipt
  const text = csvText(
    whole,
    plainOptions,
    { source, exclusions: null, correctionsPath: null },
    { createScanner: create, writeText },
  )
  for await (const part of text) parts.push(Buffer.from(part))
  return Buffer.concat(parts)
}

const clean = ['1,2,3\n', ',,\n', '"a\n",b,"c"""\n', 'ä,"ö,",ü\n', 'x'.repeat(50).concat(',y,z\n')]
const faults = ['1,2\n', '\n', '1,2,3,4\n', '"a\r",b,c\n', 'a\rb,2,3\n', 'a"b,2,3\n', '"a"b,2,3\n', '1,\0,3\n', '"x\n']

/** Long runs of plain records, with few others in between. */
function mostlyClean(random: Random): { input: Uint8Array; receipt: Scannable } {
  const of = (list: readonly string[]) => list[random(list.length)] ?? ''
  let text = ''
  for (let count = random(8); count >= 0; count--) {
    for (let records = random(60); records > 0; records--) text += of(clean)
    if (random(3) > 0) text += of(faults)
    if (random(8) === 0) text += ',,\n'.repeat(random(40))
  }
  const lineTerminator = random(2) === 0 ? '\r\n' : '\n'
  if (lineTerminator === '\r\n') text = text.replaceAll('\n', '\r\n')
  if (random(6) === 0) text = text.replace('\r\n', '\n')
  if (random(3) === 0) text = text.replace(/\r?\n$/, random(3) === 0 && lineTerminator === '\r\n' ? '\r' : '')
  const byteOffset = random(20)
  return { input: Buffer.from('-'.repeat(byteOffset) + text), receipt: scannable({}, lineTerminator, byteOffset) }
}

function nastyFile(random: Random): { input: Uint8Array; receipt: Scannable } {
  const { input, options } = randomCase(random, 'large')
  const isComma = options.delimiter === 44
  const lineTerminator = options.lineEnd === 'cr' ? '\r' : random(2) === 0 ? '\r\n' : '\n'
  let text = Buffer.from(input).toString('latin1')
  if (lineTerminator === '\r\n' && random(4) > 0) text = text.replaceAll(/\r?\n/g, '\r\n')
  if (random(4) === 0) text += `${','.repeat(options.width - 1)}${lineTerminator}`.repeat(random(4))
  if (random(3) === 0) text = text.replace(/\r?\n$/, random(3) === 0 && lineTerminator === '\r\n' ? '\r' : '')
  const skipped = random(20)
  const receipt = scannable(isComma ? options : { width: options.width }, lineTerminator, skipped)
  return { input: Buffer.from('-'.repeat(skipped) + text, 'latin1'), receipt }
}

test(`csvText() writes the same with the runs of an upload and without (SEED=${seed})`, async () => {
  const random = randomFrom(seed)
  let passed = 0
  for (let index = 0; index < 600; index++) {
    const { input, receipt } = index % 2 === 0 ? nastyFile(random) : mostlyClean(random)
    const limits = { runsMax: 1 + random(5), runBytesMin: 1 + random(20) }
    const verbatim = runsOf(receipt, randomCuts(random, input.subarray(receipt.body.byteOffset), 30), limits)
    const wanted = await textOf(receipt, [input])
    const found = await textOf({ ...receipt, verbatim }, randomCuts(random, input, 20))
    assert.equal(found.toString('latin1'), wanted.toString('latin1'), `SEED=${seed} ${index}`)
    if (!keepsAlike(receipt.dialect, ',')) continue
    for (const [start, end] of verbatim) {
      passed += end - start
      assert.ok(wanted.includes(Buffer.from(input.subarray(start, end))), `SEED=${seed} ${index}: ${start} to ${end}`)
    }
  }
  assert.ok(passed > 50_000, `only ${passed} bytes are in runs`)
})

test('VerbatimRuns ends a run before a record that is not accepted unchanged, and starts the next after it', () => {
  const records = '1,2,3\n'.repeat(40_000)
  const chunks = (text: string) => [Buffer.from(text.slice(0, 500_000)), Buffer.from(text.slice(500_000))]
  const one = (text: string, lineTerminator: '\n' | '\r\n' = '\n', limits = { runsMax: 64, runBytesMin: 1000 }) =>
    runsOf(scannable({}, lineTerminator, 0), chunks(text), limits)
  assert.deepEqual(one(records), [[0, 240_000]])
  assert.deepEqual(one(`${records}1,2,3`), [[0, 240_005]])
  assert.deepEqual(one(`${records}1,"2\r",3\n`), [])
  const long = records.repeat(4)
  assert.deepEqual(one(`${long}1,2\n`), [[0, 499_998]])
  assert.deepEqual(one(`1,2\n${long}`), [[499_996, 960_004]])
  assert.deepEqual(one(long, '\n', { runsMax: 64, runBytesMin: 960_001 }), [])
  assert.deepEqual(one(`1,2,3\n${long.replaceAll('\n', '\r\n')}1,2,3`, '\r\n'), [[499_995, 1_120_011]])
})

test('VerbatimRuns keeps runs of 1 MB or more, and no shorter ones', () => {
  const [below, enough] = [174_762, 174_763].map((count) => [Buffer.from('1,2,3\n'.repeat(count))])
  assert.deepEqual(runsOf(scannable({}, '\n', 0), below!), [])
  assert.deepEqual(runsOf(scannable({}, '\n', 0), enough!), [[0, 1_048_578]])
})
