// Pieces: whole however the output is cut on its way, and known for cut short where it is.
import assert from 'node:assert/strict'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readPieces, writeEnd, writePieces } from './result-frames.ts'

function written(...texts: readonly string[]): Buffer {
  const dir = mkdtempSync(join(tmpdir(), 'pieces-'))
  const path = join(dir, 'output')
  const descriptor = openSync(path, 'w')
  for (const text of texts) writePieces(descriptor, Buffer.from(text))
  writeEnd(descriptor)
  closeSync(descriptor)
  const bytes = readFileSync(path)
  rmSync(dir, { recursive: true })
  return bytes
}

async function piecesOf(...chunks: readonly Buffer[]): Promise<readonly string[]> {
  async function* output() {
    yield* chunks
  }
  return (await Array.fromAsync(readPieces(output()))).map(String)
}

test('readPieces() gives what was written, cut at any byte', async () => {
  const bytes = written('a verdict', 'b')
  for (let i = 0; i <= bytes.length; i++) {
    assert.deepEqual(await piecesOf(bytes.subarray(0, i), bytes.subarray(i)), ['a verdict', 'b', ''])
  }
})

test('readPieces() gives no end where the output is cut short', async () => {
  const bytes = written('a verdict', 'b')
  for (let i = 0; i < bytes.length; i++) assert.ok(!(await piecesOf(bytes.subarray(0, i))).includes(''), String(i))
})

test('readPieces() gives long texts in pieces, and refuses a length that nobody wrote', async () => {
  const text = 'x'.repeat(65_537)
  assert.deepEqual(
    (await piecesOf(written(text))).map(({ length }) => length),
    [65_536, 1, 0],
  )
  await assert.rejects(piecesOf(Buffer.from([1, 0, 1, 0])), /it has 65541 bytes/)
})
