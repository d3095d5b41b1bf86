// Tests of sent files: a file that is abandoned sends nothing more and holds nothing open.
import assert from 'node:assert/strict'
import { mkdtemp, open, rm, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { S3Objects } from './s3-objects.ts'
import { partBytes, SentFile } from './sent-file.ts'

const dir = await mkdtemp(join(tmpdir(), 'sent-file-'))
after(() => rm(dir, { recursive: true }))

/** A bucket whose parts take until the next turn of the event loop; `calls` has them in order. */
function bucket() {
  const calls: string[] = []
  const multipart = async () => ({
    add: async (part: number) => {
      calls.push(`part ${part}`)
      await new Promise((resolve) => setImmediate(resolve))
      if (part === 2) throw new Error('the bucket fails')
    },
    complete: async () => void calls.push('complete'),
    abort: async () => void calls.push('abort'),
  })
  return { calls, objects: { multipart } as unknown as S3Objects } // no more is called for a large file
}

test('SentFile sends nothing after it is disposed, whatever it has not sent yet', async () => {
  const path = join(dir, 'large')
  await (await open(path, 'w')).close()
  await truncate(path, 6 * partBytes)
  const { calls, objects } = bucket()
  const sent = new SentFile({ objects, key: async () => 'key', signal: new AbortController().signal }, path)
  sent.grow(6 * partBytes)
  await sent[Symbol.asyncDispose]()
  const before = calls.length
  assert.equal(calls.at(-1), 'abort')
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setTimeout(resolve, 1))
  assert.deepEqual(calls.slice(before), [])
})
