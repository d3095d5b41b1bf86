// File source: the text of a file that the user has chosen, decompressed if it is a gzip archive. Knows no CSV.
import { compressionOf, signatureBytes } from '../../src/compression/compression.ts'
import type { CompressionFormat } from '../../src/core/receipt.ts'
import type { CheckSource } from './check-file.ts'

/** Bytes read at once, always into the same buffer: V8 collects buffers late, and more of them for larger files. */
const pieceBytes = 1_048_576

/** A format that the service supports and this browser does not. */
export class NoDecoder extends Error {}

export async function fileSource(file: Blob): Promise<CheckSource> {
  const format = compressionOf(await bytesOf(file.slice(0, signatureBytes)))
  if (format !== null) {
    decoderOf(format)
    return { chunks: () => decompressed(file, decoderOf(format)), read: null }
  }
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

/** Most browsers cannot decompress Zstandard. @throws {NoDecoder} */
function decoderOf(format: CompressionFormat): DecompressionStream {
  try {
    return new DecompressionStream(format as 'gzip') // browsers may know more formats than the types
  } catch (error) {
    throw new NoDecoder(`there is no decoder for ${format}`, { cause: error })
  }
}

async function* decompressed(file: Blob, decoder: DecompressionStream): AsyncGenerator<Uint8Array> {
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
