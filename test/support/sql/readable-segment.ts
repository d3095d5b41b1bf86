// Readable segment: a segment in a form that DuckDB reads correctly. Knows no SQL.
import { closeSync, createReadStream, createWriteStream, openSync, readSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { Segment } from '../../../src/columns/converter.ts'

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])

/**
 * Runs `use` with the segment. DuckDB skips a byte order mark at the start of any file. If it is data, part of the
 * first record's first value, `use` gets a copy with a second mark in front.
 */
export async function withReadable<Result>(
  segment: Segment,
  use: (segment: Segment) => Promise<Result>,
): Promise<Result> {
  if (!beginsWithMark(segment.path)) return use(segment)
  const path = `${segment.path}.marked`
  try {
    const copy = createWriteStream(path)
    copy.write(byteOrderMark)
    await pipeline(createReadStream(segment.path), copy)
    return await use({ ...segment, path, bytes: segment.bytes + byteOrderMark.length })
  } finally {
    await rm(path, { force: true })
  }
}

function beginsWithMark(path: string): boolean {
  const descriptor = openSync(path, 'r')
  try {
    const first = Buffer.alloc(byteOrderMark.length)
    return readSync(descriptor, first) === first.length && first.equals(byteOrderMark)
  } finally {
    closeSync(descriptor)
  }
}
