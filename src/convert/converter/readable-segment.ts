// Readable segment: a segment as DuckDB reads it right. Knows no SQL.
import { closeSync, createReadStream, createWriteStream, openSync, readSync } from 'node:fs'
import { rm, truncate } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { Segment } from '../convert.ts'

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
  if (!beginsWithMark(segment.path)) return use(segment)
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

/** In a converter nothing else runs meanwhile, so it reads at once and not by turns. */
function beginsWithMark(path: string): boolean {
  const descriptor = openSync(path, 'r')
  try {
    const first = Buffer.alloc(byteOrderMark.length)
    return readSync(descriptor, first) === first.length && first.equals(byteOrderMark)
  } finally {
    closeSync(descriptor)
  }
}
