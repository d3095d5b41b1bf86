// Record parts: runs the parser over a body and records its calls. For tests only.
import { isServiceError } from '../core/errors.ts'
import type { MultipartLimits, PartHead } from './multipart.ts'
import { MultipartParser } from './multipart-parser.ts'

export const testLimits: MultipartLimits = { partsMax: 100, partHeadBytesMax: 10_240 }

/** A part as reported to the sink. `isWhole` once its end was reported. */
export interface RecordedPart {
  readonly head: PartHead
  /** One character a byte. */
  content: string
  isWhole: boolean
}

export interface ParsedBody {
  readonly parts: readonly RecordedPart[]
  /** The problem of the BAD_MULTIPART that was thrown; null if none was. */
  readonly problem: string | null
}

/** Bytes of a text with one character a byte. */
export function bytesOf(text: string): Buffer {
  return Buffer.from(text, 'latin1')
}

/** Splits a body before each of the given indices. */
export function cutAt(body: Buffer, indices: readonly number[]): Buffer[] {
  const edges = [0, ...indices, body.length]
  return edges.slice(1).map((edge, index) => body.subarray(edges[index], edge))
}

/** Pushes the chunks and ends the body. An error other than BAD_MULTIPART, or a call out of order, is thrown. */
export function recordParts(boundary: string, chunks: readonly Uint8Array[], limits = testLimits): ParsedBody {
  const parts: RecordedPart[] = []
  const open = () => {
    const part = parts.at(-1)
    if (part === undefined || part.isWhole) throw new Error('the sink was called outside a part')
    return part
  }
  const parser = new MultipartParser(boundary, limits, {
    head(head) {
      if (parts.at(-1)?.isWhole === false) throw new Error('a part began within another')
      parts.push({ head, content: '', isWhole: false })
    },
    data(bytes) {
      if (bytes.length === 0) throw new Error('the sink was given no bytes')
      open().content += Buffer.from(bytes).toString('latin1')
    },
    end() {
      open().isWhole = true
    },
  })
  try {
    for (const chunk of chunks) parser.push(chunk)
    parser.end()
    return { parts, problem: null }
  } catch (error) {
    if (!isServiceError(error, 'BAD_MULTIPART')) throw error
    return { parts, problem: error.details.problem }
  }
}

/**
 * What the upload service makes of a body: the content of the one part named `file` with a file name, or why there is
 * none.
 */
export function parseOutcome(boundary: string, chunks: readonly Uint8Array[]): { file: string } | { refused: string } {
  const { parts, problem } = recordParts(boundary, chunks)
  if (problem !== null) return { refused: problem }
  const files = parts.filter((part) => part.head.name === 'file' && part.head.fileName)
  const [file] = files
  if (file === undefined) return { refused: 'missing' }
  if (files.length > 1) return { refused: 'two' }
  return file.content === '' ? { refused: 'empty' } : { file: file.content }
}
