// Read object: reads an object that does not change, over connections that may break. Knows no dataset.
import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { ServiceError } from '../../core/errors.ts'
import type { ReadBytes } from '../../io/read-bytes.ts'
import type { S3Objects } from './s3-objects.ts'

export interface ObjectRange {
  readonly key: string
  readonly etag: string
  readonly start: number
  readonly end: number
  /** Called if the object is missing; throws if that is no damage. */
  readonly check?: () => Promise<unknown>
}

/** How often a broken response is requested again, from where it broke, without getting any further. */
const resumesMax = 5
/** Reads close to each other are served by one request. Bytes. */
const readAheadBytes = 1_048_576

/**
 * Bytes start … end-1. @throws {ServiceError} STORE_UNAVAILABLE; DATASET_DAMAGED if another object has replaced this
 * one
 */
export async function* readFrom(objects: S3Objects, range: ObjectRange): AsyncGenerator<Uint8Array> {
  const { key, etag, end } = range
  let at = range.start
  let resumes = 0
  while (at < end) {
    const from = at
    let failure: unknown = null
    const chunks = await objects.read(key, at, end, etag)
    if (chunks === null) {
      await range.check?.()
      throw new ServiceError('DATASET_DAMAGED', { name: nameOf(key) })
    }
    try {
      for await (const chunk of chunks) {
        at += chunk.length
        // The receiver owns the chunk, and may release it.
        yield Buffer.from(chunk)
      }
    } catch (error) {
      failure = error
    }
    // While a receiver takes its time, connections break any number of times.
    resumes = at > from ? 0 : resumes + 1
    if (resumes > resumesMax) {
      throw new ServiceError('STORE_UNAVAILABLE', { problem: 'it does not answer' }, failure)
    }
  }
}

/** Reads at any position; each read is a request, unless the last one fetched the bytes. */
export function readsOf(
  objects: S3Objects,
  { bytes, ...object }: Omit<ObjectRange, 'start' | 'end'> & { readonly bytes: number },
): ReadBytes {
  let from = 0
  let held = Buffer.alloc(0)
  return async (position, length) => {
    const end = Math.min(position + length, bytes)
    if (end <= position) return Buffer.alloc(0)
    if (position < from || end > from + held.length) {
      const until = Math.min(bytes, Math.max(end, position + readAheadBytes))
      held = Buffer.concat(await Array.fromAsync(readFrom(objects, { ...object, start: position, end: until })))
      from = position
    }
    // A copy: the next read replaces the buffer.
    return Buffer.from(held.subarray(position - from, end - from))
  }
}

/** Writes an object to a new file; false if there is none. */
export async function fetchFile(objects: S3Objects, key: string, path: string): Promise<boolean> {
  const found = await objects.head(key)
  if (found === null) return false
  const chunks = readFrom(objects, { key, etag: found.etag, start: 0, end: found.bytes })
  await pipeline(chunks, createWriteStream(path, { mode: 0o600 }))
  return true
}

function nameOf(key: string): string {
  return key.split('/').slice(3).join('/')
}
