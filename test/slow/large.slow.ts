// Tests of large files: memory does not grow with them, and one bad record among ten million is named exactly.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { RowPage } from '../../src/service/service.ts'
import { RunningService, scratchDir, seesProcesses } from '../support/running-service.ts'
import { peakMegabytes, repeated, uploadMade } from './made-upload.ts'

const scratch = await scratchDir()
after(() => scratch[Symbol.asyncDispose]())

const serverMegabytesMax = 150
const childMegabytesMax = 350

test('an upload of 1000 MB stays within the memory bounds of the server and of every reader', async (t) => {
  if (!seesProcesses) return t.skip('this system does not show processes')
  await using service = await RunningService.start(`${scratch.path}/memory`)
  const lines = Array.from({ length: 1_000 }, (_, i) => {
    return `${i},"name ${i}, and more",${i}@example.org,Zürich,${i % 100}.50,0.${i + 1},true,2026-11-20 12:00:00\n`
  })
  const piece = lines.join('')
  const bytes = Buffer.byteLength(piece)
  // With its other records and the framing, the file must stay below the limit of 1000 MB.
  const pieces = Math.floor((1_048_576_000 - 10_000) / bytes)
  const receipt = await uploadMade(
    service,
    repeated('id,name,email,city,amount,ratio,active,created_at\n', piece, pieces),
  )
  assert.equal(receipt.records?.accepted, pieces * 1_000, JSON.stringify(receipt).slice(0, 500))
  const peaks = { server: peakMegabytes(service.pid), children: service.children().map(peakMegabytes) }
  t.diagnostic(`peaks in MB: ${JSON.stringify(peaks)}; ${receipt.upload.durationMs} ms`)
  assert.ok(peaks.server <= serverMegabytesMax, `the server took ${peaks.server} MB`)
  for (const child of peaks.children) assert.ok(child <= childMegabytesMax, `a reader took ${child} MB`)
})

test('one bad record among ten million is reported with its place, and all others are accepted', async () => {
  await using service = await RunningService.start(`${scratch.path}/one-bad`)
  const recordCount = 10_000_000
  const place = 5_000_003
  const badRecord = `${place},too,many`
  let byteOffset = 0
  function* content(): Generator<string> {
    yield 'id,name\n'
    byteOffset = 'id,name\n'.length
    for (let first = 1; first <= recordCount; first += 1_000) {
      let text = ''
      for (let id = first; id < first + 1_000; id++) {
        if (id === place) byteOffset += text.length
        text += id === place ? `${badRecord}\n` : `${id},name ${id}\n`
      }
      if (first + 999 < place) byteOffset += text.length
      yield text
    }
  }
  const receipt = await uploadMade(service, content())
  assert.deepEqual(receipt.records, {
    total: recordCount + 1,
    header: 1,
    blank: 0,
    skipped: 0,
    accepted: recordCount - 1,
    rejected: 1,
  })
  const [reject, ...others] = receipt.rejects.first
  assert.deepEqual(others, [])
  const { record, line, byteOffset: at, byteLength, text, reason } = reject!
  assert.deepEqual(
    { record, line, at, byteLength, text, reason },
    {
      record: place + 1,
      line: place + 1,
      at: byteOffset,
      byteLength: badRecord.length,
      text: badRecord,
      reason: 'too_many_fields',
    },
  )
  assert.equal(receipt.columns[0]!.type, 'integer')
  const answer = await fetch(new URL(`${receipt.links.rows}?offset=${place - 2}&limit=2&columns=id`, service.url))
  const page = (await answer.json()) as RowPage
  assert.deepEqual(page.rows, [[place - 1], [place + 1]])
})
