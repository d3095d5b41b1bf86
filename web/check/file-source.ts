// File source: the text of a file that the user has chosen, decompressed if it is a gzip archive. Knows no CSV.
import { compressionOf, signatureBytes } from '../../src/compression/compression.ts'
import type { CompressionFormat } from '../../src/core/receipt.ts'
import type { CheckSource } from './check-file.ts'

/** Bytes read at once, always into the same buffer: V8 collects buffers late, and more of them for larger files. */
const pieceBytes = 1_048_576

export async function fileSource(file: Blob): Promise<CheckSource> {
  const format = compressionOf(await bytesOf(file.slice(0, signatureBytes)))
  if (format !== null) return { chunks: () => decompressed(file, format), read: null }
  return {
    chunks: () => pieces(file),
    read: (position, length) => bytesOf(file.slice(position, position + length)),
  }
}

async function* pieces(file: Blob): AsyncGenerator<Uint8Array> {
  const reader = bufferReader(file)
  if (reader === null) {
    for (let at = 0; at < file.size; at += pieceBytes) yield await bytesOf(file.slice(at, at + pieceBytes))
    return
  }
  try {
    let buffer = new ArrayBuffer(pieceBytes)
    for (;;) {
      const { value, done } = await reader.read(new Uint8Array(buffer))
      if (done || value === undefined) return
      yield value
      buffer = value.buffer
    }
  } finally {
    await reader.cancel()
  }
}

/** Null if the browser cannot read into a given buffer. */
function bufferReader(file: Blob): ReadableStreamBYOBReader | null {
  try {
    return file.stream().getReader({ mode: 'byob' })
  } catch {
    return null
  }
}

/** Throws where the browser does not know the format: most cannot decompress Zstandard. */
async function* decompressed(file: Blob, format: CompressionFormat): AsyncGenerator<Uint8Array> {
  const decoder = new DecompressionStream(format as 'gzip') // browsers may know more formats than the types
  const reader = file.stream().pipeThrough(decoder).getReader()
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value
  } finally {
    await reader.cancel()
  }
}

async function bytesOf(blob: Blob): Promise<Uint8Array> {
  return new Uint8Array(await blob.arrayBuffer())
}
