// Tests of bounds: large files, huge records, numbers of columns and quoted values. Each file gives a dataset or a
// refusal, and memory stays bounded.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { UploadResponse } from '../support/client.ts'
import { asLaunched, RunningService, scratchDir, seesProcesses } from '../support/running-service.ts'
import { megabyte, peakMegabytes, repeated, sendMade } from './made-upload.ts'

const scratch = await scratchDir()
after(() => scratch[Symbol.asyncDispose]())

/** A record may have 16 MiB, and the scanner holds several times that: measured 165 to 197. */
const serverMegabytesUsual = 250
/** The usual bound of a reader, and its additional memory for records of thousands of columns. */
const childMegabytesMax = 350

interface Bound {
  readonly title: string
  content(): Iterable<string | Uint8Array>
  /** Status of the response. */
  readonly status: 200 | 422
  readonly records?: Partial<UploadResponse['records']>
  readonly reasons?: UploadResponse['rejects']['reasons']
  readonly message?: RegExp
  readonly serverMegabytesMax?: number
}

const strict = Array.from({ length: 1_000 }, (_, i) => `${i},name ${i},x\n`).join('')
const filler = Buffer.alloc(megabyte, 'x')
const manyFields = Buffer.from('1,'.repeat(megabyte / 2))

/** The same records again and again, up to the limit of 1000 MB, the framing included. */
const records = Array.from({ length: 1_000 }, (_, i) => {
  return `${i},"name ${i}, and more",${i}@example.org,Zürich,${i % 100}.50,0.${i + 1},true,2026-11-20 12:00:00\n`
}).join('')
const repetitions = Math.floor((1_048_576_000 - 10_000) / Buffer.byteLength(records))

function* parts(...all: readonly Iterable<string | Uint8Array>[]) {
  for (const part of all) yield* part
}

const bounds: readonly Bound[] = [
  {
    title: '1000 MB of records',
    content: () => repeated('id,name,email,city,amount,ratio,active,created_at\n', records, repetitions),
    status: 200,
    records: { accepted: repetitions * 1_000 },
    // With its column thread: measured 154 to 165.
    serverMegabytesMax: 200,
  },
  {
    title: 'a record of 500 MB between strict records',
    content: () => parts(['a,b,c\n', strict], repeated('1,', filler, 500), [',3\n', strict]),
    status: 200,
    records: { accepted: 2_000, rejected: 1 },
    reasons: { record_too_long: 1 },
  },
  {
    title: 'a quoted record of 500 MB between strict records',
    content: () => parts(['a,b,c\n', strict], repeated('1,"', filler, 500), ['",3\n', strict]),
    status: 200,
    records: { accepted: 2_000, rejected: 1 },
    reasons: { record_too_long: 1 },
  },
  {
    title: 'a record of 1,000,000 columns between strict records',
    content: () => parts(['a,b,c\n', strict], [manyFields, manyFields, '1\n', strict]),
    status: 200,
    records: { accepted: 2_000, rejected: 1 },
    reasons: { too_many_fields: 1 },
  },
  {
    title: 'a record of 250,000,000 columns between strict records',
    content: () => parts(['a,b,c\n', strict], repeated('', manyFields, 500), ['1\n', strict]),
    status: 200,
    records: { accepted: 2_000, rejected: 1 },
    reasons: { record_too_long: 1 },
  },
  {
    title: 'a header of 1,000,000 columns',
    content: () => parts(repeated('', manyFields, 2), ['1\n'], repeated('', manyFields, 2), ['1\n']),
    status: 422,
    message: /more than \d+ columns, .+;/,
  },
  {
    title: 'a quote that is never closed, with 500 MB after it',
    content: () => parts(['a,b,c\n', strict, '1,"2,3\n'], repeated('', strict.repeat(70), 500)),
    status: 200,
    records: { accepted: 35_001_000, rejected: 1 },
    reasons: { unclosed_quote: 1 },
  },
  {
    title: 'a quote at the very beginning that is never closed, with 500 MB after it',
    content: () => parts(['"'], repeated('', strict.repeat(70), 500)),
    status: 200,
  },
  {
    title: '500 MB in one line from the beginning',
    content: () => repeated('', filler, 500),
    status: 200,
    records: { accepted: 0, rejected: 1 },
    reasons: { record_too_long: 1 },
  },
  {
    title: '500 MB in one quoted field from the beginning',
    content: () => repeated('"', filler, 500),
    status: 200,
    records: { accepted: 0, rejected: 1 },
    reasons: { record_too_long: 1 },
  },
  {
    title: '500 MB of line ends',
    content: () => repeated('a,b,c\n1,2,3\n', Buffer.alloc(megabyte, '\n'), 500),
    status: 200,
    records: { accepted: 1, blank: 500_000_000 },
    // The first megabyte is examined line by line before anything is decided: measured 330 for a million lines.
    serverMegabytesMax: 400,
  },
]

for (const { title, content, status, records, reasons, message, ...bound } of bounds) {
  test(`${title}: ${status}, within the memory bounds`, async (t) => {
    if (!seesProcesses) return t.skip('this system does not show processes')
    const dir = `${scratch.path}/${title.replaceAll(/\W+/g, '-')}`
    await using service = await RunningService.start(dir, [], asLaunched)
    const { status: seen, answer } = await sendMade(service, content())
    const peaks = { server: peakMegabytes(service.pid), children: service.children().map(peakMegabytes) }
    const shown = JSON.stringify(answer).slice(0, 500)
    t.diagnostic(`peaks in MB: ${JSON.stringify(peaks)}; ${shown}`)
    assert.equal(seen, status, shown)
    if (seen === 200) {
      const receipt = answer as UploadResponse // other tests verify the type of responses
      assert.deepEqual({ ...receipt.records, ...records }, receipt.records)
      if (reasons !== undefined) assert.deepEqual(receipt.rejects.reasons, reasons)
    } else if (message !== undefined) assert.match((answer as { message: string }).message, message)
    const serverMegabytesMax = bound.serverMegabytesMax ?? serverMegabytesUsual
    assert.ok(peaks.server <= serverMegabytesMax, `the server took ${peaks.server} MB`)
    for (const child of peaks.children) assert.ok(child <= childMegabytesMax, `a reader took ${child} MB`)
  })
}
