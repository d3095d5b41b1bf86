// Tests of large files: one bad record among ten million is named exactly.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { RowPage } from '../../src/service/service.ts'
import { RunningService, scratchDir } from '../support/running-service.ts'
import { uploadMade } from './made-upload.ts'

const scratch = await scratchDir()
after(() => scratch[Symbol.asyncDispose]())

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
