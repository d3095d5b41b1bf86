// File source: the text of a file that a person has chosen, decompressed where it is a gzip archive. Knows no CSV.
import type { CheckSource } from './check-file.ts'

/** What is read of the file at once; the next piece is on its way meanwhile. */
const pieceBytes = 4_194_304

const gzip = [0x1f, 0x8b, 0x08]
/** The service reads it; browsers have no decoder for it. */
const zstandard = [0x28, 0xb5, 0x2f, 0xfd]

export async function fileSource(file: Blob): Promise<CheckSource> {
  const start = await bytesOf(file.slice(0, zstandard.length))
  const begins = (signature: readonly number[]) => signature.every((byte, at) => start[at] === byte)
  if (begins(zstandard)) throw new Error('Zstandard cannot be decompressed here')
  if (begins(gzip)) return { chunks: () => decompressed(file), read: null }
  return {
    chunks: () => pieces(file),
    read: (position, length) => bytesOf(file.slice(position, position + length)),
  }
}

async function* pieces(file: Blob): AsyncGenerator<Uint8Array> {
  let next = bytesOf(file.slice(0, pieceBytes))
  for (let at = 0; at < file.size; at += pieceBytes) {
    const piece = await next
    next = bytesOf(file.slice(at + pieceBytes, at + 2 * pieceBytes))
    yield piece
  }
  await next
}

async function* decompressed(file: Blob): AsyncGenerator<Uint8Array> {
  const reader = file.stream().pipeThrough(new DecompressionStream('gzip')).getReader()
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value
  } finally {
    await reader.cancel()
  }
}

async function bytesOf(blob: Blob): Promise<Uint8Array> {
  return new Uint8Array(await blob.arrayBuffer())
}
