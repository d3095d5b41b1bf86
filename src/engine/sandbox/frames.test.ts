// Tests of frames: intact however a stream is split, missing if it ends early, and refused if they are too long.
import assert from 'node:assert/strict'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { frameOf, readFrames, writeFrame } from './frames.ts'

const bytes = Buffer.concat(['a verdict', 'b', ''].map(frameOf))

async function framesOf(chunks: readonly Buffer[], bytesMax = () => 65_536): Promise<readonly string[]> {
  async function* stream() {
    yield* chunks
  }
  return (await Array.fromAsync(readFrames(stream(), bytesMax))).map(String)
}

test('readFrames() yields what was sent, split at any byte', async () => {
  for (let i = 0; i <= bytes.length; i++) {
    assert.deepEqual(await framesOf([bytes.subarray(0, i), bytes.subarray(i)]), ['a verdict', 'b', ''])
  }
  assert.deepEqual(await framesOf([...bytes].map((byte) => Buffer.from([byte]))), ['a verdict', 'b', ''])
})

test('readFrames() drops an incomplete frame', async () => {
  for (let i = 0; i < bytes.length; i++) assert.ok(!(await framesOf([bytes.subarray(0, i)])).includes(''), String(i))
})

test('readFrames() throws as soon as a length exceeds its limit, which is queried for each frame', async () => {
  const limits = [9, 0]
  const seen: string[] = []
  const reading = (async () => {
    async function* stream() {
      yield bytes
      assert.fail('more was read')
    }
    for await (const frame of readFrames(stream(), () => limits.shift() ?? 0)) seen.push(String(frame))
  })()
  await assert.rejects(reading, /it has 1 bytes, expected at most 0/)
  assert.deepEqual(seen, ['a verdict'])
})

test('writeFrame() writes what readFrames() reads', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'frames-'))
  const path = join(dir, 'output')
  const descriptor = openSync(path, 'w')
  writeFrame(descriptor, 'é'.repeat(40_000))
  writeFrame(descriptor, Buffer.alloc(0))
  closeSync(descriptor)
  const written = readFileSync(path)
  rmSync(dir, { recursive: true })
  assert.deepEqual(await framesOf([written], () => 80_000), ['é'.repeat(40_000), ''])
})
