// Part buffers: the memory for bytes on their way to object storage, a few parts for the whole process.

/** Bytes of a part. S3 allows 10,000 parts, so this is enough for 80 GB. */
export const partBytes = 8_388_608
/** Number of parts that all uploads together may hold. */
const partsAtOnceMax = 4
/** A file smaller than this does not wait for large ones. Bytes. */
const ownBytesMax = 65_536

const idle: Buffer[] = []
let made = 0
const waiting: (() => void)[] = []

/** Calls `use` with a buffer of this many bytes, at most a part; its content is arbitrary. */
export async function withPart<Result>(bytes: number, use: (part: Buffer) => Promise<Result>): Promise<Result> {
  if (bytes <= ownBytesMax) return await use(Buffer.allocUnsafeSlow(bytes))
  const part = await takePart()
  try {
    return await use(part.subarray(0, bytes))
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
