// Measure beside: how long files of 1 KB take alone, and while large files are being uploaded.
import type { Bench } from './bench.ts'
import type { Reply } from './client.ts'
import { LineProcess } from './processes.ts'
import { median, quantile } from './statistics.ts'

export interface BesideFigures {
  /** Concurrent uploads of 1000 MB. */
  readonly large: number
  readonly small: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
  /** Median of the large uploads. */
  readonly largeMs: number
}

const smallBytes = 1_000
const largeBytes = 1_036_000_000
/** More than are sent while the large uploads last. All files differ, so that none is a duplicate. */
const smallCount = 3_000

/** Sends small files one after another, beside one and three large uploads. */
export async function measureBeside(bench: Bench): Promise<BesideFigures[]> {
  const smallPaths = Array.from({ length: smallCount }, (_, i) =>
    bench.file({ bytes: smallBytes, seed: bench.seed + 1_000 + i }),
  )
  const figures: BesideFigures[] = []
  for (const large of [1, 3]) {
    const figure = await besideLarge(bench, large, smallPaths)
    console.error(JSON.stringify(figure))
    figures.push(figure)
  }
  return figures
}

async function besideLarge(bench: Bench, large: number, smallPaths: readonly string[]): Promise<BesideFigures> {
  const largePaths = Array.from({ length: large }, (_, i) => bench.file({ bytes: largeBytes, seed: bench.seed + i }))
  const small = new LineProcess('client.ts')
  try {
    const rounds = large === 1 ? 3 : 1
    const times: number[] = []
    const largeMs: number[] = []
    for (let round = 0; round < rounds; round++) {
      let isOver = false
      const replies = bench.upload(largePaths, large).finally(() => {
        isOver = true
      })
      const sent: Reply[] = []
      for (const path of smallPaths) {
        const [reply] = await bench.upload([path], 1, small)
        if (isOver) {
          if (reply !== undefined) await bench.remove(reply)
          break
        }
        if (reply?.status !== 200) throw new Error(`Cannot upload ${path}: ${reply?.body}`)
        sent.push(reply)
      }
      const largeReplies = await replies
      largeMs.push(...largeReplies.map(({ ms }) => ms))
      times.push(...sent.map(({ ms }) => ms))
      for (const reply of [...sent, ...largeReplies]) await bench.remove(reply)
    }
    return {
      large,
      small: times.length,
      p50Ms: median(times),
      p99Ms: quantile(times, 0.99),
      maxMs: Math.max(...times),
      largeMs: median(largeMs),
    }
  } finally {
    small.end()
  }
}
