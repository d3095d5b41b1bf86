// Tests of looks into a file that is still being read: the same records from every mark on, and without marks.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { readHead } from '../../reading/read-head.ts'
import { dataStart, scanOptions } from '../../reading/scan-options.ts'
import { createFileScanner } from '../../reading/scanner/file-scanner.ts'
import { withTrailingEmpty } from '../../reading/scanner/trailing-empty.ts'
import { createScanner as createWasmScanner } from '../../reading/scanner/wasm-scanner.ts'
import { RecordLook } from './record-look.ts'
import { MarkingTally } from './record-marks.ts'

const dir = await mkdtemp(join(tmpdir(), 'csv-upload-look-'))
after(() => rm(dir, { recursive: true }))
const never = new AbortController().signal
const createScanner = withTrailingEmpty(createFileScanner(createWasmScanner))

const isRejected = (i: number) => i % 7 === 6
const recordCount = 60_000
const indexes = Array.from({ length: recordCount }, (_, i) => i)
const accepted = indexes.filter((i) => !isRejected(i))
const rejected = indexes.filter(isRejected)
const content = Buffer.from(
  `id,name\n${indexes.map((i) => (isRejected(i) ? `${i}\n` : `${i},"a name, of ${i}"\n`)).join('')}`,
)
const textPath = join(dir, 'text')
await writeFile(textPath, content)

/** A look into a file that has been read completely, in chunks of 50,000 bytes. */
function lookAt(isMarking: boolean) {
  const reading = readHead(content.subarray(0, 65_536), false, {})
  const layout = scanOptions({ ...reading, start: dataStart(reading) }, 1_000_000)
  const tally = new MarkingTally(layout.start, isMarking)
  const scanner = createScanner(layout)
  for (let at = layout.start.byteOffset; at < content.length; at += 50_000) {
    tally.add(scanner.push(content.subarray(at, at + 50_000)))
  }
  return { look: new RecordLook({ textPath, reading, layout, createScanner, tally }), marks: tally.marks.list }
}

for (const isMarking of [true, false]) {
  test(`RecordLook finds rows and rejects at any offset, ${isMarking ? 'from marks' : 'without marks'}`, async () => {
    const { look, marks } = lookAt(isMarking)
    assert.ok(isMarking ? marks.length > 10 : marks.length === 1)
    const edges = lookAt(true).marks
    for (const count of new Set([0, 1, 30_000, ...edges.map((one) => one.accepted)])) {
      for (const offset of [count - 1, count].filter((one) => one >= 0)) {
        const { total, rows } = await look.rows({ offset, limit: 3 }, never)
        assert.equal(total, accepted.length)
        assert.deepEqual(
          rows,
          accepted.slice(offset, offset + 3).map((i) => [String(i), `a name, of ${i}`]),
          `rows from ${offset}`,
        )
      }
    }
    for (const count of new Set([0, 1, 5_000, ...edges.map((one) => one.rejected)])) {
      for (const offset of [count - 1, count].filter((one) => one >= 0)) {
        const { total, rejects } = await look.rejects({ offset, limit: 3 }, never)
        assert.equal(total, rejected.length)
        assert.deepEqual(
          rejects.map(({ record, line, text }) => [record, line, text?.trimEnd()]),
          rejected.slice(offset, offset + 3).map((i) => [i + 2, i + 2, String(i)]),
          `rejects from ${offset}`,
        )
      }
    }
    const many = await look.rows({ offset: 100, limit: 20_000 }, never)
    assert.deepEqual([many.rows.length, many.rows.at(-1)?.[0]], [20_000, String(accepted[20_099])])
    assert.deepEqual((await look.rows({ offset: recordCount, limit: 3 }, never)).rows, [])
    assert.deepEqual((await look.rejects({ offset: recordCount, limit: 3 }, never)).rejects, [])
  })
}
