// Readable segment: a segment as DuckDB reads it right. Knows no SQL.
import { createReadStream, createWriteStream } from 'node:fs'
import { open, rm, truncate } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { Segment } from './convert.ts'

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])

/**
 * Runs `use` with the segment. DuckDB takes a byte order mark in front of any file for no data; where it is data, the first
 * value of a record, `use` gets a copy with one more in front, which is gone afterwards, or empty where its place was given.
 */
export async function withReadable<Result>(
  segment: Segment,
  use: (segment: Segment) => Promise<Result>,
  givenPath?: string,
): Promise<Result> {
  if (!(await beginsWithMark(segment.path))) return use(segment)
  const path = givenPath ?? `${segment.path}.marked`
  try {
    const copy = createWriteStream(path)
    copy.write(byteOrderMark)
    await pipeline(createReadStream(segment.path), copy)
    return await use({ ...segment, path, bytes: segment.bytes + byteOrderMark.length })
  } finally {
    // Where it was given, the directory is not ours.
    await (givenPath === undefined ? rm(path, { force: true }) : truncate(path))
  }
}

async function beginsWithMark(path: string): Promise<boolean> {
  await using file = await open(path)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(3), 0, 3, 0)
  return bytesRead === 3 && buffer.equals(byteOrderMark)
}
