// Tests of upload events: events are read however their bytes are split.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventsOf } from './upload-events.ts'

const text =
  'retry: 2000\n\nid: m1\ndata: {"fileName":"ä: b.csv"}\n\n:\n\nevent: upload\ndata: {"phase":"done"}\n\nid: m3\ndata: {"half'

async function read(pieces: readonly Uint8Array[]) {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece)
      controller.close()
    },
  })
  return Array.fromAsync(eventsOf(body))
}

test('eventsOf() reads event, id and data, split at any byte, and ignores comments and incomplete events', async () => {
  const bytes = Buffer.from(text)
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    assert.deepEqual(await read([bytes.subarray(0, cut), bytes.subarray(cut)].filter(({ length }) => length > 0)), [
      { event: 'message', id: 'm1', data: '{"fileName":"ä: b.csv"}' },
      { event: 'upload', id: null, data: '{"phase":"done"}' },
    ])
  }
})
