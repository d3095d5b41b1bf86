// Result frames: how a query child's output is cut, so that its reader knows the end from a death. Knows nothing of what is in it.
import { writeSync } from 'node:fs'

/** Of one piece. Longer ones are cut. */
const pieceBytesMax = 65_536
const lengthBytes = 4

/** Writes bytes as pieces, each behind its length; waits while nobody reads. */
export function writePieces(descriptor: number, bytes: Buffer): void {
  for (let start = 0; start < bytes.length; start += pieceBytesMax) {
    writePiece(descriptor, bytes.subarray(start, start + pieceBytesMax))
  }
}

/** The empty piece says that nothing is missing. */
export function writeEnd(descriptor: number): void {
  writePiece(descriptor, Buffer.alloc(0))
}

function writePiece(descriptor: number, piece: Buffer): void {
  const length = Buffer.alloc(lengthBytes)
  length.writeUInt32LE(piece.length)
  const framed = Buffer.concat([length, piece])
  let written = 0
  while (written < framed.length) written += writeSync(descriptor, framed, written)
}

/** The pieces of an output, the empty one included; what is cut short is left out. */
export async function* readPieces(output: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let seen: Buffer = Buffer.alloc(0)
  for await (const chunk of output) {
    seen = seen.length === 0 ? chunk : Buffer.concat([seen, chunk])
    while (seen.length >= lengthBytes) {
      const end = lengthBytes + seen.readUInt32LE(0)
      if (end > lengthBytes + pieceBytesMax) throw new Error(`Cannot read piece: it has ${end} bytes`)
      if (seen.length < end) break
      yield seen.subarray(lengthBytes, end)
      seen = seen.subarray(end)
    }
  }
}
