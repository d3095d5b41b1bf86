// Tests of corrections of every file of the corpora: nothing of original or corrections is lost, and all are in place.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { RejectPreview } from '../../src/core/receipt.ts'
import { createCsvRewriter } from '../../src/csv/csv-rewriter.ts'
import { forEachLimit } from '../../src/io/for-each-limit.ts'
import { scanOptions } from '../../src/reading/scan-options.ts'
import { createFileScanner } from '../../src/reading/scanner/file-scanner.ts'
import { createScanner } from '../../src/reading/scanner/wasm-scanner.ts'
import { Client, jsonOf, type UploadResponse } from '../support/client.ts'
import { seed } from '../support/samples.ts'
import { ownService } from '../support/shared-service.ts'
import { assertVerified } from '../support/verified.ts'

const corpora = new URL('../../../shared/corpora/', import.meta.url).pathname
const folders = ['twin/polluted_files/csv', 'csv-spectrum', 'encodings/in', 'real', 'duckdb-csv/files', 'csvw/tests']

const service = await ownService()
const client = new Client(service.url)

async function correct({ id }: { readonly id: string }, body: string): Promise<UploadResponse> {
  const headers = { 'content-type': 'application/x-ndjson' }
  const answer = await client.ask('POST', `/qas/datasets/${id}/corrections`, Buffer.from(body), headers)
  assert.equal(answer.status, 200, answer.body.toString())
  return jsonOf<UploadResponse>(answer)
}

/** A record that no file has, with the width of the table. */
function textFor({ record }: RejectPreview, { columns, dialect }: UploadResponse): string {
  const others = columns.slice(1).map(() => dialect.delimiter.charAt(0))
  return `fix${record}fix${others.join('')}`
}

function body(rejects: readonly RejectPreview[], dataset: UploadResponse): string {
  return rejects.map((one) => `${JSON.stringify({ record: one.record, text: textFor(one, dataset) })}\n`).join('')
}

async function csvOf({ links }: UploadResponse): Promise<string> {
  return (await client.get(links.csv)).toString()
}

function withoutFixed(csv: string): string {
  return csv.replaceAll(/^fix\d+fix,*\r?\n/gm, '')
}

/** The file with the texts spliced in, as the scanner reads it: possible in UTF-8. */
function spliced(bytes: Buffer, first: UploadResponse, rejects: readonly RejectPreview[]): string {
  const { body: start, dialect, encoding, columns } = first
  const pieces: Uint8Array[] = []
  let from = start.byteOffset
  for (const reject of rejects) {
    pieces.push(bytes.subarray(from, reject.byteOffset), Buffer.from(textFor(reject, first)))
    from = reject.byteOffset + reject.byteLength
  }
  pieces.push(bytes.subarray(from))
  const layout = { encoding, dialect, width: columns.length, start }
  const scanner = createFileScanner(createScanner)(scanOptions(layout, start.recordBytesMax))
  const rewrite = createCsvRewriter(dialect)
  const parts = [Buffer.concat(rewrite(scanner.push(Buffer.concat(pieces)).pieces))]
  parts.push(Buffer.concat(rewrite(scanner.end().pieces)))
  return Buffer.concat(parts).toString()
}

async function check(bytes: Buffer, name: string): Promise<boolean> {
  const answer = await client.send({ content: bytes, fileName: 'corpus.csv' })
  if (answer.status !== 200) return false
  const first = jsonOf<UploadResponse>(answer)
  if (first.rejects.count === 0) return false
  const rejects = await client.allRejects(first)
  const csv = await csvOf(first)
  const halves = [rejects.filter((_, i) => i % 2 === 0), rejects.filter((_, i) => i % 2 === 1)] as const

  const half = await correct(first, body(halves[0], first))
  assert.deepEqual(await client.allRejects(half), halves[1], name)
  assert.equal(withoutFixed(await csvOf(half)), csv, name)
  const { total, header, blank, skipped, accepted, rejected } = half.records
  assert.equal(header + blank + skipped + accepted + rejected, total)
  assert.deepEqual([total, accepted], [first.records.total, first.records.accepted + halves[0].length], name)
  assert.equal(half.file.sha256, first.file.sha256)
  const whole = await correct(first, body(rejects, first))
  assert.equal(whole.rejects.count, 0)
  const wholeCsv = await csvOf(whole)
  assert.equal(withoutFixed(wholeCsv), csv, name)
  const fixed = [...wholeCsv.matchAll(/^fix(\d+)fix/gm)].map(([, record]) => Number(record))
  assert.deepEqual(
    fixed,
    rejects.map(({ record }) => record),
    name,
  )
  await assertVerified(join(service.dataDir, 'datasets', whole.id))
  if (halves[1].length > 0) {
    const stepwise = await correct(half, body(halves[1], first))
    assert.deepEqual([stepwise.id, stepwise.duplicate], [whole.id, true], name)
  }
  // Empty records followed only by rejects count as blank and stay so; in the spliced file they would be records.
  const hasEmptyEnd = first.notes.some(({ code }) => code === 'EMPTY_RECORDS_AT_END')
  const isPlain = first.encoding.name === 'utf-8' && !first.file.compression && !first.body.gap && !hasEmptyEnd
  if (isPlain)
    assert.ok(wholeCsv.endsWith(spliced(bytes, first, rejects)), `${name}: corrected records are not in place`)
  for (const { id } of [first, half, whole]) await client.ask('DELETE', `/qas/datasets/${id}`)
  return true
}

/** Maximum number of files tried per folder; the seed selects them. */
const filesMax = 100

for (const folder of folders) {
  test(`corrections of the rejects of ${folder} lose nothing (SEED=${seed})`, async (t) => {
    const dir = join(corpora, ...folder.split('/'))
    if (!existsSync(dir)) return t.skip('the corpora are not beside the checkout')
    const names = readdirSync(dir, { recursive: true, encoding: 'utf8' })
    const all = names.filter((name) => !/(^|[/\\])\./.test(name) && statSync(join(dir, name)).isFile())
    const step = Math.ceil(all.length / filesMax)
    const files = all.filter((_, i) => i % step === seed % step)
    let count = 0
    await forEachLimit(files, 4, async (name) => {
      if (await check(readFileSync(join(dir, name)), `${folder}/${name}`)) count++
    })
    t.diagnostic(`${count} of ${files.length} files with rejects`)
  })
}
