// Part buffers: the memory in which bytes lie on their way to object storage, a few parts for the whole process.

/** 10,000 parts are allowed, so this is enough for 80 GB. Bytes. */
export const partBytes = 8_388_608
/** Of all uploads together: what they hold is this many parts. */
const partsAtOnceMax = 4
/** A smaller file does not wait for large ones. Bytes. */
const ownBytesMax = 65_536

const idle: Buffer[] = []
let made = 0
const waiting: (() => void)[] = []

/** Calls `use` with room for so many bytes, at most a part; what is in it is unknown. */
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
