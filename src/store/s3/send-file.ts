// Send file: carries a local file to object storage, in parts where it is large. Memory: a few parts for the whole process.
import { open } from 'node:fs/promises'
import { readFully } from '../../io/read-bytes.ts'
import type { S3Objects } from './s3-objects.ts'

/** 10,000 parts are allowed, so this is enough for 80 GB. Bytes. */
const partBytes = 8_388_608
/** Of all uploads together: what they hold is this many parts. */
const partsAtOnceMax = 4

const idle: Buffer[] = []
let made = 0
const waiting: (() => void)[] = []

/**
 * Writes the file under that key. Nothing is there under it before, and all of it when it resolves.
 * @throws {ServiceError} STORE_UNAVAILABLE, STORE_FAILED, also where the file has another size
 */
export async function sendFile(objects: S3Objects, key: string, path: string, bytes: number): Promise<void> {
  await using file = await open(path, 'r')
  const { size } = await file.stat()
  if (size !== bytes) throw new Error(`Cannot store file: it has ${size} bytes, wanted ${bytes}`)
  if (bytes <= partBytes) {
    await withPart(async (part) => {
      await objects.put(key, part.subarray(0, await readFully(file, part.subarray(0, bytes), 0)))
    })
    return
  }
  const multipart = await objects.multipart(key)
  try {
    for (let at = 0; at < bytes; at += partBytes) {
      await withPart(async (part) => {
        await multipart.add(part.subarray(0, await readFully(file, part, at)))
      })
    }
    await multipart.complete()
  } catch (error) {
    // What cannot be ended now is ended by the next sweep.
    await multipart.abort().catch(() => {})
    throw error
  }
}

async function withPart<Result>(use: (part: Buffer) => Promise<Result>): Promise<Result> {
  const part = await takePart()
  try {
    return await use(part)
  } finally {
    idle.push(part)
    waiting.shift()?.()
  }
}

async function takePart(): Promise<Buffer> {
  for (;;) {
    const part = idle.pop()
    if (part !== undefined) return part
    if (made < partsAtOnceMax) {
      made += 1
      return Buffer.allocUnsafeSlow(partBytes)
    }
    await new Promise<void>((resolve) => waiting.push(resolve))
  }
}
