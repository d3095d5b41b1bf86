// Measure peers: the same files through the service and through other tools, each taking turns with the service.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench } from './bench.ts'
import { postgresql, questdb } from './peers/databases.ts'
import { chdb, duckdb, multer, sqliteUtils } from './peers/libraries.ts'
import type { Peer } from './peers/peer.ts'
import { median } from './statistics.ts'

const peers: readonly Peer[] = [duckdb, questdb, postgresql, chdb, multer, sqliteUtils]

const files = [
  { name: '4.2 MB', bytes: 4_200_000, rounds: 3 },
  { name: '100 MB', bytes: 100_000_000, rounds: 3 },
  { name: '1000 MB', bytes: 1_036_000_000, rounds: 1 },
]

export interface PeerFigures {
  readonly name: string
  readonly how: string
  readonly keeps: string
  readonly hashes: string
  readonly syncs: string
  /** The reason if there are no times. */
  readonly problem?: string
  /** Times by file; without files that are too large for the tool. */
  readonly times: readonly { readonly file: string; readonly ms: number; readonly uploadMs: number }[]
}

export async function measurePeers(bench: Bench): Promise<PeerFigures[]> {
  const directory = join(bench.directory, 'peers')
  mkdirSync(directory, { recursive: true })
  const figures: PeerFigures[] = []
  for (const peer of peers) {
    const figure = await measurePeer(bench, peer, directory)
    console.error(JSON.stringify(figure))
    figures.push(figure)
  }
  return figures
}

async function measurePeer(bench: Bench, peer: Peer, directory: string): Promise<PeerFigures> {
  const { name, how, keeps, hashes, syncs, bytesMax = Number.POSITIVE_INFINITY } = peer
  const about = { name, how, keeps, hashes, syncs }
  const times: { file: string; ms: number; uploadMs: number }[] = []
  try {
    await using running = await peer.open(directory)
    for (const { name: file, bytes, rounds } of files.filter((one) => one.bytes <= bytesMax)) {
      const path = bench.file({ bytes })
      const turns: { ms: number; uploadMs: number }[] = []
      // The first of several rounds warms up.
      for (let turn = 0; turn < Math.max(1, rounds + (rounds > 1 ? 1 : 0)); turn++) {
        const ms = await running.take(path)
        const { ms: uploadMs } = await bench.uploadOnce(path)
        if (turn > 0 || rounds === 1) turns.push({ ms, uploadMs })
      }
      times.push({
        file,
        ms: median(turns.map((one) => one.ms)),
        uploadMs: median(turns.map((one) => one.uploadMs)),
      })
    }
    return { ...about, times }
  } catch (error) {
    return { ...about, times, problem: error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error) }
  }
}
